import { spawnSync } from "node:child_process"
import { chmod, mkdir, readdir, readFile, rename, stat, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { folder, ran, serve, spawned } from "./harness.ts"

const organization = { id: "org_1", name: "Acme" }
const server = () =>
  serve({
    "GET /v1/organization": ({ headers }) =>
      headers.authorization === "Bearer ops_good" || headers["x-api-key"] === "opk_good"
        ? { body: { organization } }
        : { status: 401, body: { error: "unauthorized" } },
    "GET /v1/plugins": { body: { items: [], nextCursor: null } },
    "DELETE /v1/sessions/current": { status: 204 }
  })
const mode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)
const file = (config: string) => join(config, "orgplane", "profiles.json")

/** Signs in to a test server. Returns the directory with the profile. */
const signedIn = async (token = "ops_good") => {
  const [config, { seen, url }] = await Promise.all([folder(), server()])
  expect(
    await ran(["login", "--base-url", url, "--token-stdin"], { config, token: "", stdin: `${token}\n` })
  ).toMatchObject({ code: 0 })
  return { config, seen, url }
}

describe("login", () => {
  it("verifies the token and saves it in a file that only its owner can read", async () => {
    const { config, seen, url } = await signedIn()
    expect(seen).toMatchObject([{ method: "GET", path: "/v1/organization" }])
    expect([await mode(file(config)), await mode(join(config, "orgplane"))]).toEqual(["600", "700"])
    expect(JSON.parse(await readFile(file(config), "utf8"))).toEqual({
      version: 1,
      current: "default",
      profiles: { default: { baseUrl: url, token: "ops_good", organizationName: "Acme" } }
    })
    expect(await readdir(join(config, "orgplane"))).toEqual(["profiles.json"])
  })
  it("works as a process and prints the organization", async () => {
    const [config, { url }] = await Promise.all([folder(), server()])
    const { code, err, out } = await spawned(["login", "work", "--base-url", `${url}/`], {
      config,
      token: "",
      stdin: "ops_good\n"
    })
    expect([code, out, err]).toEqual([0, "", `Signed in to Acme (org_1) at ${url} as profile 'work'.\n`])
  })
  it("prompts for the token without showing it on a terminal", async () => {
    const [config, { url }] = await Promise.all([folder(), server()])
    const result = await ran(["login"], { config, token: "", columns: 80, typed: [url, "", "ops_good"] })
    expect([result.code, result.hidden, result.err.includes("ops_good")]).toEqual([
      0,
      "Session token or API key (hidden): ",
      false
    ])
  })
  it("recognizes an API key", async () => {
    const { seen } = await signedIn("opk_good")
    expect(seen[0]?.headers).toMatchObject({ "x-api-key": "opk_good" })
    expect(seen[0]?.headers.authorization).toBeUndefined()
  })
  it("writes nothing if the server rejects the token", async () => {
    const [config, { url }] = await Promise.all([folder(), server()])
    expect(await ran(["login", "--base-url", url], { config, token: "", stdin: "ops_bad" })).toMatchObject({ code: 4 })
    await expect(stat(file(config))).rejects.toThrow()
  })
  it.each(["__proto__", "../up", "a b", ""])("rejects the profile name %j", async (name) => {
    const { url } = await server()
    expect(await ran(["login", name, "--base-url", url], { token: "", stdin: "ops_good" })).toMatchObject({ code: 2 })
  })
})

describe("the profile file", () => {
  it("is replaced atomically, without following a symbolic link", async () => {
    const { config, url } = await signedIn()
    const elsewhere = join(await folder(), "elsewhere.json")
    const before = await readFile(file(config), "utf8")
    await writeFile(elsewhere, before)
    const linked = await folder()
    await mkdir(join(linked, "orgplane"))
    await symlink(elsewhere, file(linked))
    await ran(["login", "other", "--base-url", url], { config: linked, token: "", stdin: "ops_good" })
    expect(await readFile(elsewhere, "utf8")).toBe(before)
    expect(await mode(file(linked))).toBe("600")
  })
  it("causes a warning if other users can read it, and is corrected by the next change", async () => {
    const { config } = await signedIn()
    await chmod(file(config), 0o644)
    const listed = await ran(["profiles", "list"], { config, token: "" })
    expect(listed.err).toContain(`Run: chmod 600 ${file(config)}\n`)
    await ran(["profiles", "use", "default"], { config, token: "" })
    expect(await mode(file(config))).toBe("600")

    // The command works for a directory with a space and a quotation mark.
    const quoted = join(config, "Ada's files")
    await mkdir(quoted)
    await rename(join(config, "orgplane"), join(quoted, "orgplane"))
    await chmod(file(quoted), 0o644)
    const { err } = await ran(["profiles", "list"], { config: quoted, token: "" })
    const command = /Run: (chmod .*)$/mu.exec(err)?.[1] ?? ""
    expect(spawnSync("sh", ["-c", command]).status).toBe(0)
    expect(await mode(file(quoted))).toBe("600")
  })
  it("is not overwritten if it is malformed", async () => {
    const { config, url } = await signedIn()
    await writeFile(file(config), "{", { mode: 0o600 })
    expect(await ran(["login", "--base-url", url], { config, token: "", stdin: "ops_good" })).toMatchObject({ code: 1 })
    expect(await readFile(file(config), "utf8")).toBe("{")
  })
})

describe("profiles", () => {
  it("lists profiles without their tokens", async () => {
    const { config, url } = await signedIn()
    const { out } = await ran(["profiles", "list", "-o", "json"], { config, token: "" })
    expect(JSON.parse(out)).toEqual({
      items: [{ name: "default", current: true, baseUrl: url, organization: "Acme", credential: "session" }]
    })
    expect((await ran(["profiles", "list", "-q"], { config, token: "" })).out).toBe("default\n")
  })
  it("switches to and removes profiles by name", async () => {
    const { config, url } = await signedIn()
    await ran(["login", "second", "--base-url", url], { config, token: "", stdin: "opk_good" })
    expect(await ran(["profiles", "use", "default"], { config, token: "" })).toMatchObject({ code: 0 })
    expect(await ran(["profiles", "remove", "second"], { config, token: "" })).toMatchObject({ code: 0 })
    expect(await ran(["profiles", "use", "second"], { config, token: "" })).toMatchObject({ code: 3 })
    expect((await ran(["profiles", "list", "-q"], { config, token: "" })).out).toBe("default\n")
  })
  it("uses the profile's credential unless a flag or the environment sets another", async () => {
    const { config, seen } = await signedIn()
    await ran(["plugins", "list"], { config, token: "" })
    await ran(["plugins", "list"], { config, token: "ops_env" })
    await ran(["plugins", "list", "--token-stdin"], { config, token: "ops_env", stdin: "ops_stdin\n" })
    await ran(["plugins", "list", "--profile", "default"], { config, token: "ops_env" })
    await ran(["plugins", "list"], {
      config,
      token: "",
      env: { ORGPLANE_API_KEY: "opk_env", ORGPLANE_ORGANIZATION: "org_2" }
    })
    expect(seen.slice(1).map(({ headers }) => headers.authorization ?? headers["x-api-key"])).toEqual([
      "Bearer ops_good",
      "Bearer ops_env",
      "Bearer ops_stdin",
      "Bearer ops_good",
      "opk_env"
    ])
    expect(seen.at(-1)?.headers["x-organization-id"]).toBe("org_2")
  })
  it("does not send a profile's credential to another server", async () => {
    const { config } = await signedIn()
    const other = await server()
    expect(await ran(["plugins", "list", "--base-url", other.url], { config, token: "" })).toMatchObject({ code: 4 })
    expect(other.seen).toEqual([])
  })
})

describe("logout", () => {
  it("revokes the session on the server and deletes the profile", async () => {
    const { config, seen } = await signedIn()
    expect(await ran(["logout"], { config, token: "" })).toMatchObject({ code: 0 })
    expect(seen.at(-1)).toMatchObject({ method: "DELETE", path: "/v1/sessions/current" })
    expect((await ran(["profiles", "list"], { config, token: "" })).out).toBe("")
    expect(await ran(["logout"], { config, token: "" })).toMatchObject({ code: 4 })
  })
  it("does not revoke an API key, which others may use", async () => {
    const { config, seen } = await signedIn("opk_good")
    await ran(["logout"], { config, token: "" })
    expect(seen).toHaveLength(1)
  })
})
