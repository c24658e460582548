/** Domains, directories and SCIM requests: the CLI as a process against a real server. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { freePort } from "../../../test/free-port.ts"
import { startPlane } from "./plane.ts"

let plane: Awaited<ReturnType<typeof startPlane>>

beforeAll(async () => {
  // A directory's base URL contains the server's port, which must be known before the server starts.
  const port = await freePort()
  plane = await startPlane(() => ({ ORGPLANE_PORT: String(port) }))
})
afterAll(() => plane.stop())

const orgplane = (args: ReadonlyArray<string>, stdin = "", env: Readonly<Record<string, string>> = {}) =>
  plane.run("ada", args, stdin, env)

const json = async (...args: ReadonlyArray<string>) => {
  const { code, err, out } = await orgplane([...args, "-o", "json"])
  if (code !== 0) throw new Error(`orgplane ${args.join(" ")} ended with ${code}: ${err}`)
  return JSON.parse(out)
}

it("signs in and creates an organization", { timeout: 240_000 }, async () => {
  const { child, ended } = plane.start("ada", ["login", "--email", "ada@acme.example"])
  const code = () => /code=([A-Z2-9]{8})/.exec(plane.emails().at(-1)?.text ?? "")?.[1]
  await expect.poll(code, { timeout: 60_000 }).toBeDefined()
  child.stdin.end(`${code() ?? ""}\n`)
  expect(await ended).toMatchObject({ code: 0 })
  await json("organizations", "create", "--name", "Acme")
})

it("adds a domain, and fails to verify it without a DNS record", { timeout: 240_000 }, async () => {
  const { domain } = await json("sso", "domains", "create", "orgplane-walk.com")
  expect(domain).toMatchObject({ domain: "orgplane-walk.com", status: "pending", verification: { type: "TXT" } })
  const piped = await orgplane(["sso", "domains", "create", "gmail.com"])
  expect(piped).toMatchObject({ code: 1, out: "" })
  const proved = await orgplane(["sso", "domains", "verify"])
  expect([proved.code, proved.err.trim().split("\n").length]).toEqual([1, 2])
  expect(proved.err).toMatch(/^ {2}orgplane-walk\.com: /m)
  expect(await orgplane(["sso", "domains", "remove", domain.id, "--yes"])).toMatchObject({ code: 0 })
  expect((await json("sso", "domains", "list")).items).toEqual([])
})

it("runs all sequences in a temporary directory and leaves nothing behind", { timeout: 240_000 }, async () => {
  const { code, err, out } = await orgplane(["scim", "conformance"])
  expect([code, err]).toEqual([0, ""])
  const rows = out
    .trim()
    .split("\n")
    .map((line) => line.split("\t"))
  expect(rows.length).toBeGreaterThan(70)
  expect(rows.filter(([, result]) => result !== "ok")).toEqual([])
  expect([...new Set(rows.map(([provider]) => provider))]).toEqual(["okta", "entra", "google"])
  expect((await json("scim", "directories", "list")).items).toEqual([])
  expect((await json("members", "list")).items).toHaveLength(1)
})

it("follows the requests of a conformance run, each once and in order", { timeout: 240_000 }, async () => {
  const { directory, token: scimToken } = await json("scim", "directories", "create", "--name", "Walk")
  const id: string = directory.id
  const follower = plane.start("ada", ["scim", "log", id, "--follow"])

  const argv = ["scim", "conformance", "--directory", id, "--provider", "google", "--yes"]
  // Without a terminal it cannot prompt for the token.
  expect(await orgplane(argv)).toMatchObject({ code: 2, out: "" })
  const tried = await orgplane([...argv, "--token", "-", "-o", "json"], `${scimToken}\n`)
  expect([tried.code, tried.err]).toEqual([0, ""])
  const report = JSON.parse(tried.out)
  expect(report).toMatchObject({ ok: true, baseUrl: directory.baseUrl, leftovers: [] })
  expect(tried.out).not.toContain(scimToken)

  const count = report.steps.length as number
  const rows = () =>
    follower.texts.out
      .trim()
      .split("\n")
      .filter((line) => line !== "")
  await expect.poll(() => rows().length, { timeout: 60_000, interval: 250 }).toBe(count)
  follower.child.kill("SIGINT")
  const ended = await follower.ended
  expect([ended.code, ended.err]).toEqual([130, ""])
  const seen = rows().map(
    (line) => JSON.parse(line) as { readonly id: string; readonly method: string; readonly path: string }
  )
  expect(new Set(seen.map((entry) => entry.id)).size).toBe(count)
  expect(seen.map((entry) => entry.id)).toEqual(seen.map((entry) => entry.id).toSorted())
  expect(seen.map(({ method }) => method)).toEqual(report.steps.map((step: { readonly method: string }) => step.method))

  // Any SCIM service by its URL, without a profile.
  const byUrl = await plane.run(
    "nobody",
    ["scim", "conformance", "--url", directory.baseUrl, "--provider", "okta", "--yes", "-q"],
    "",
    { ORGPLANE_SCIM_TOKEN: scimToken }
  )
  expect(byUrl).toEqual({ code: 0, out: "", err: "" })
})

it("reports a rejected SCIM token", { timeout: 240_000 }, async () => {
  const { directory } = await json("scim", "directories", "create", "--name", "Wrong")
  const argv = ["scim", "conformance", "--url", directory.baseUrl, "--yes"]
  const result = await orgplane(argv, "", { ORGPLANE_SCIM_TOKEN: `opd_${"x".repeat(49)}` })
  expect(result).toMatchObject({ code: 4, out: "" })
  expect(result.err).toContain("rejected the SCIM token")
})

it("rotates and revokes tokens, and lists holds and groups", { timeout: 240_000 }, async () => {
  const { directory } = await json("scim", "directories", "create", "--name", "Tokens", "--token-expires", "90d")
  const rotation = await orgplane(["scim", "tokens", "rotate", directory.id, "--grace-seconds", "3600", "-q"])
  expect(rotation.out).toMatch(/^opd_\S+\n$/)
  const { directory: now } = await json("scim", "directories", "get", directory.id)
  expect(now.tokens).toHaveLength(2)
  const old: string = directory.tokens[0].id
  expect(await orgplane(["scim", "tokens", "revoke", directory.id, old, "--yes"])).toMatchObject({ code: 0 })
  expect((await json("scim", "directories", "get", directory.id)).directory.tokens).toHaveLength(1)
  expect((await json("scim", "holds", "list", directory.id)).items).toEqual([])
  expect((await json("scim", "groups", "list", directory.id)).items).toEqual([])
  expect((await json("scim", "reconcile", directory.id, "--yes")).reconciliation).toMatchObject({ ended: 0 })
  expect(await orgplane(["scim", "directories", "remove", directory.id, "--yes"])).toMatchObject({ code: 0 })
})
