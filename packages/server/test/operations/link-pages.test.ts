import { createHash } from "node:crypto"
import { runInNewContext } from "node:vm"
import { describe, expect, it } from "vitest"
import { call, makeControlPlane } from "../harness.ts"

const publicUrl = "https://plane.example/org"
const plane = await makeControlPlane({ publicUrl, pathPrefix: "/org", workers: false, bootstrap: "open" })
const paths = ["/org/sign-in", "/org/invitation", "/org/claim", "/org/installed"] as const
const get = (path: string, method: "GET" | "HEAD" = "GET") => call(plane)(method, path)

const attribute = (tag: string, name: string) =>
  new RegExp(`${name}="([^"]*)"`).exec(tag)?.[1]?.replaceAll("&quot;", '"').replaceAll("&amp;", "&")

/** Runs the page's script with a URL on the page's elements, represented as plain objects. */
const runPage = (page: string, hash: string, search = "") => {
  const elements = (name: string) =>
    [...page.matchAll(new RegExp(`<code [^>]*data-${name}[^>]*>`, "g"))].map(([tag]) => ({
      dataset: {
        member: attribute(tag, "data-member"),
        pattern: attribute(tag, "data-pattern"),
        line: attribute(tag, "data-line")
      },
      textContent: ""
    }))
  const slots = elements("member")
  const lines = elements("line")
  const parts: Record<string, { hidden: boolean }> = { complete: { hidden: true }, incomplete: { hidden: true } }
  let address = `/page${hash}`
  runInNewContext(/<script>([^]*)<\/script>/.exec(page)?.[1] ?? "throw new Error()", {
    URLSearchParams,
    location: { hash, search, pathname: "/page" },
    history: { replaceState: (_: unknown, __: string, url: string) => (address = url) },
    document: {
      body: { dataset: { from: attribute(/<body[^>]*>/.exec(page)?.[0] ?? "", "data-from") } },
      querySelectorAll: (selector: string) => (selector === "[data-member]" ? slots : lines),
      getElementById: (id: string) => parts[id]
    }
  })
  return {
    address,
    shown: slots.map((slot) => slot.textContent),
    lines: lines.map((line) => line.textContent),
    isComplete: parts["complete"]?.hidden === false && parts["incomplete"]?.hidden === true
  }
}

const secret = "0123456789".repeat(4) + "abcdefghi"

describe("the page of an emailed link", () => {
  it.each(paths)("at %s is public and not cached", async (path) => {
    const { headers, status, text } = await get(path)
    expect(status).toBe(200)
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8")
    expect(headers.get("cache-control")).toBe("no-store")
    expect(headers.get("referrer-policy")).toBe("no-referrer")
    expect(headers.get("x-content-type-options")).toBe("nosniff")
    expect(headers.get("set-cookie")).toBeNull()
    const head = await get(path, "HEAD")
    expect([head.status, head.text]).toEqual([200, ""])
    expect(head.headers.get("content-security-policy")).toBe(headers.get("content-security-policy"))
    expect((await call(plane)("POST", path)).status).toBe(404)
    expect(text).toContain("<noscript>")
  })

  it.each(paths)("at %s can run only its own script, and send nothing", async (path) => {
    const { headers, text } = await get(path)
    const policy = headers.get("content-security-policy") ?? ""
    const digest = (tag: string) => {
      const [, body = "", ...others] = text.split(new RegExp(`<${tag}>|</${tag}>`))
      expect(others).toHaveLength(1)
      return `'sha256-${createHash("sha256").update(body).digest("base64")}'`
    }
    expect(policy.split("; ")).toEqual([
      "default-src 'none'",
      `script-src ${digest("script")}`,
      `style-src ${digest("style")}`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'"
    ])
    expect(text).not.toMatch(
      /\s(src|href|action|srcset|style|on\w+)\s*=|@import|url\(|<(a|img|link|iframe|form|base)\b/i
    )
    expect(text).not.toMatch(/fetch\(|XMLHttpRequest|sendBeacon|WebSocket|document\.cookie|Storage|innerHTML|import\(/)
  })

  it("shows the code of a sign-in with the command for it, and clears the URL", async () => {
    const { text } = await get("/org/sign-in")
    expect(runPage(text, "#challenge=mbpIdhvvSNxjTbmekoyrw-_f&code=D7N54QZB")).toEqual({
      address: "/page",
      shown: ["D7N54QZB", "mbpIdhvvSNxjTbmekoyrw-_f"],
      lines: [`orgplane login --base-url ${publicUrl} --challenge=mbpIdhvvSNxjTbmekoyrw-_f`],
      isComplete: true
    })
  })

  it("shows the claim token that the creator of the workspace received", async () => {
    const workspace = await call(plane)("POST", "/org/v1/bootstrap/workspace", {
      workspaceName: "Acme"
    })
    const [link] = workspace.body.claimLinks
    const [page, fragment] = link.url.split("#")
    const { text } = await get(new URL(page).pathname)
    expect(runPage(text, `#${fragment}`)).toMatchObject({ shown: [link.token], isComplete: true })
  })

  it("shows the query parameters of a code host, and nothing from elsewhere or in another format", async () => {
    const { text } = await get("/org/installed")
    const queryOf = (code: string) => `?code=${code}&installation_id=4711&setup_action=install&state=${"s".repeat(43)}`
    expect(runPage(text, "", queryOf("0a1b2c3d4e5f"))).toEqual({
      address: "/page",
      shown: ["0a1b2c3d4e5f", "4711", "s".repeat(43)],
      lines: [`orgplane connectors complete-install --state=${"s".repeat(43)} --installation-id=4711 --code -`],
      isComplete: true
    })
    for (const [hash, search] of [
      [`#${queryOf("0a1b2c3d4e5f").slice(1)}`, ""],
      ["", queryOf("%3B%20rm%20-rf%20~")],
      ["", "?code=0a1b2c3d4e5f"],
      ["", ""]
    ] as const) {
      expect(runPage(text, hash, search)).toMatchObject({ isComplete: false, shown: ["", "", ""] })
    }
    const claim = await get("/org/claim")
    expect(runPage(claim.text, "", `?token=opc_${secret}`).isComplete).toBe(false)
  })

  it.each([
    "",
    "#",
    "#token=",
    "#token=opi_short",
    "#token=<img src=x onerror=alert(1)>",
    `#token=${encodeURIComponent(`opi_${secret}; rm -rf ~`)}`,
    `#token=${encodeURIComponent(`opi_${secret}\nrm -rf ~`)}`,
    `#token=opk_${secret}`
  ])("shows nothing for %j, which is in no email: its reader would paste it into a shell", async (hash) => {
    const { text } = await get("/org/invitation")
    const seen = runPage(text, hash)
    expect([seen.isComplete, seen.shown.join(""), seen.lines.join("")]).toEqual([false, "", ""])
  })

  it("is served only below the server's path", async () => {
    for (const path of ["/sign-in", "/org/v1/sign-in", "/org/sign-in/x"]) expect((await get(path)).status).toBe(404)
    expect((await get("/org/sign-in/")).status).toBe(200)
  })
})

describe("a host application with its own pages", () => {
  it("receives the links", async () => {
    const own = await makeControlPlane({
      workers: false,
      bootstrap: "open",
      links: { claim: "https://app.example/welcome?from=orgplane", signIn: "app.example://sign-in" }
    })
    const { body } = await call(own)("POST", "/v1/bootstrap/workspace", { workspaceName: "Acme" })
    expect(body.claimLinks[0].url).toBe(`https://app.example/welcome?from=orgplane#token=${body.claimLinks[0].token}`)
    await call(own)("POST", "/v1/sessions/email", { email: "ada@acme.example" })
    await expect.poll(() => own.mails.at(-1)?.text).toContain("\n  app.example://sign-in#challenge=")
  })

  it.each(["not an address", "https://app.example/#there", "/sign-in"])(
    "is rejected with the URL %j",
    async (signIn) => {
      await expect(makeControlPlane({ workers: false, links: { signIn } })).rejects.toThrow("without a fragment")
    }
  )
})
