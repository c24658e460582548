/** Pages of others that try to use the session of a person who is signed in to the console. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, afterEach, describe, expect, it } from "vitest"
import { closeAfterEachTest, forgetFaults, makeWorkspace, startConsole } from "./harness.ts"

const { plane, url, viewer } = await startConsole({ workers: false })
const owner = await makeWorkspace(plane)
// The policy blocks what these pages try.
afterEach(forgetFaults)
closeAfterEachTest()

/** A page of an attacker: on the same address with another port, which is the same site, and on another site. */
const server = createServer((_, response) => {
  response.writeHead(200, { "content-type": "text/html" })
  response.end("<!doctype html><title>free prizes</title><h1>Prizes</h1>")
})
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
const { port } = server.address() as AddressInfo

const teams = async () =>
  ((await owner.call("GET", "/v1/teams")).body as { items: ReadonlyArray<unknown> }).items.length

describe.each([
  ["the same site", `http://127.0.0.1:${port}`],
  ["another site", `http://localhost:${port}`]
])("a page on %s", (_, attacker) => {
  it("cannot change anything with the person's cookie", async () => {
    const { page } = await viewer(owner)
    await page.goto("/console/teams")
    await page.goto(attacker)
    const before = await teams()
    const outcomes = await page.evaluate(async (target) => {
      const attempt = (init: RequestInit) =>
        fetch(`${target}/console/api/v1/teams`, { credentials: "include", ...init }).then(
          ({ status, type }) => `${type} ${status}`,
          () => "blocked"
        )
      const body = JSON.stringify({ name: "Stolen" })
      return Promise.all([
        attempt({ method: "POST", body, mode: "no-cors" }),
        attempt({ method: "POST", body, headers: { "content-type": "application/json", "x-orgplane-console": "1" } }),
        attempt({ method: "GET", mode: "no-cors" }),
        attempt({ method: "GET" })
      ])
    }, url)
    // The browser sent some of these; the server refused them, and the page could read none.
    for (const outcome of outcomes) expect(["blocked", "opaque 0"]).toContain(outcome)
    await page.evaluate((target) => {
      const form = document.createElement("form")
      form.method = "post"
      form.action = `${target}/console/api/v1/teams`
      form.enctype = "text/plain"
      const field = document.createElement("input")
      field.name = '{"name":"Stolen","x":"'
      field.value = '"}'
      form.append(field)
      document.body.append(form)
      form.submit()
    }, url)
    await page.waitForURL(`${url}/console/api/v1/teams`)
    expect(await page.locator("body").innerText()).toContain("sec-fetch-site")
    expect(await teams()).toBe(before)
  })

  it("cannot show the console in a frame", async () => {
    const { page } = await viewer(owner)
    await page.goto(attacker)
    await page.evaluate((target) => {
      const frame = document.createElement("iframe")
      frame.src = `${target}/console/teams`
      document.body.append(frame)
    }, url)
    await expect.poll(() => page.frames().at(1)?.url()).toMatch(/^(chrome-error:|about:blank)/)
    expect(await page.frames().at(1)?.getByRole("navigation").count()).toBe(0)
  })

  it("cannot keep a reference to a window of the console", async () => {
    const { page } = await viewer(owner)
    await page.goto(attacker)
    const opened = page.waitForEvent("popup")
    await page.evaluate((target) => {
      Object.assign(window, { victim: window.open(`${target}/console/teams`) })
    }, url)
    const popup = await opened
    await popup.getByRole("heading", { level: 1 }).waitFor()
    expect(await page.evaluate(() => (window as unknown as { victim: Window | null }).victim?.closed)).toBe(true)
    expect(await popup.evaluate(() => window.opener === null)).toBe(true)
  })
})

describe("a script of the page itself", () => {
  it("reads neither the cookie nor a token, and cannot send the cookie to the API", async () => {
    const { open, page } = await viewer(owner)
    await open("/teams")
    const [cookies, me] = await page.evaluate(async () => [
      document.cookie,
      (await fetch("/v1/me", { headers: { "x-orgplane-console": "1" } })).status
    ])
    expect([cookies, me]).toEqual(["", 401])
  })

  it("runs neither scripts from other hosts nor inline scripts", async () => {
    const { open, page } = await viewer(owner)
    await open("/teams")
    const blocked = await page.evaluate(async (source) => {
      const violations: Array<string> = []
      document.addEventListener("securitypolicyviolation", ({ effectiveDirective }) =>
        violations.push(effectiveDirective)
      )
      const inline = document.createElement("script")
      inline.textContent = "globalThis.ran = true"
      const foreign = document.createElement("script")
      foreign.src = `${source}/x.js`
      const style = document.createElement("style")
      style.textContent = "body{display:none}"
      const image = document.createElement("img")
      image.src = `${source}/x.png`
      document.body.append(inline, foreign, style, image)
      await fetch(`${source}/`).catch(() => undefined)
      while (violations.length < 5) await new Promise((resolve) => setTimeout(resolve, 10))
      return [violations.toSorted(), "ran" in globalThis]
    }, `http://localhost:${port}`)
    expect(blocked).toEqual([["connect-src", "img-src", "script-src-elem", "script-src-elem", "style-src-elem"], false])
  })
})
