import { createHash, generateKeyPairSync, sign } from "node:crypto"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { readiness } from "../src/output/marketplace-readiness.ts"
import { folder, ran, serve, spawned } from "./harness.ts"

const { privateKey, publicKey } = generateKeyPairSync("ed25519")
const { x } = publicKey.export({ format: "jwk" })
const keys = { body: { keys: [{ kid: "k1", kty: "OKP", crv: "Ed25519", x, alg: "EdDSA", use: "sig" }] } }
const content = "these bytes are the archive"
const digestOf = (text: string) => createHash("sha256").update(text).digest()

const head = (pluginId: string, text: string) => ({
  "content-type": "application/gzip",
  "repr-digest": `sha-256=:${digestOf(text).toString("base64")}:`,
  "x-archive-key-id": "k1",
  "x-archive-signature": sign(
    null,
    Buffer.from(`orgplane plugin archive\n${pluginId}\n${digestOf(text).toString("hex")}\n`),
    privateKey
  ).toString("base64")
})

const serving = (headers: Readonly<Record<string, string>>, body = content) =>
  serve({ "GET /v1/plugins/plg_1/archive": { body, headers }, "GET /v1/keys": keys })

describe("plugins download", () => {
  it("writes a complete and signed archive, and replaces an existing file", async () => {
    const { url } = await serving(head("plg_1", content))
    const file = join(await folder(), "a.tar.gz")
    writeFileSync(file, "before")
    const run = await spawned(["plugins", "download", "plg_1", "--to", file], { url })
    expect(run).toEqual({
      code: 0,
      out: "",
      err: `${file}: ${content.length} bytes, SHA-256 ${digestOf(content).toString("hex")}, signed by k1\n`
    })
    expect(readFileSync(file, "utf8")).toBe(content)
  })

  it("writes only the archive to a pipe", async () => {
    const { url } = await serving(head("plg_1", content))
    expect(await spawned(["plugins", "download", "plg_1"], { url })).toEqual({ code: 0, out: content, err: "" })
  })

  it("refuses to write an archive to a terminal", async () => {
    const { seen, url } = await serving(head("plg_1", content))
    const run = await ran(["plugins", "download", "plg_1"], { url, columns: 80 })
    expect([run.code, run.out]).toEqual([2, ""])
    expect(run.err).toContain("--to")
    expect(seen).toEqual([])
  })

  const genuine = head("plg_1", content)
  it.each([
    ["contents that do not match the signature", genuine, "other bytes, of another length"],
    ["another plugin's archive", head("plg_2", content), content],
    ["an unsigned digest", { ...genuine, "repr-digest": head("plg_1", "x")["repr-digest"] }, "x"],
    ["a malformed signature", { ...genuine, "x-archive-signature": "AAAA" }, content],
    ["a key that the server does not publish", { ...genuine, "x-archive-key-id": "k2" }, content],
    ["a missing signature", { "content-type": "application/gzip" }, content]
  ] as const)("leaves no file after %s", async (_, headers, body) => {
    const { url } = await serving(headers, body)
    const at = await folder()
    const { code, err } = await ran(["plugins", "download", "plg_1", "--to", join(at, "a.tar.gz")], { url })
    expect(code).toBe(1)
    expect(err).toContain("Archive verification failed")
    expect(readdirSync(at)).toEqual([])
  })

  it("leaves no file if the directory does not exist or the plugin is not found", async () => {
    const { url } = await serving(head("plg_1", content))
    const file = join(await folder(), "nowhere/a.tar.gz")
    const { code, err } = await ran(["plugins", "download", "plg_1", "--to", file], { url })
    expect([code, err.includes("Cannot write")]).toEqual([1, true])
    const refused = await serve({
      "GET /v1/plugins/plg_1/archive": { status: 404, body: { error: "plugin_not_found", message: "No such plugin." } }
    })
    const at = await folder()
    const run = await ran(["plugins", "download", "plg_1", "--to", join(at, "a.tar.gz")], { url: refused.url })
    expect([run.code === 0, readdirSync(at)]).toEqual([false, []])
  })
})

const plugin = (name: string, state: string, more: object = {}, readinessMore: object = {}) => ({
  id: `plg_${name}`,
  name,
  memberCount: 1,
  componentCounts: { skill: 0, agent: 0, command: 0, tool: 0, mcp: 0, hook: 0, context: 0, custom: 0, ...more },
  cloudReadiness: { state, nextAction: null, hasInstructional: true, connections: [], ...readinessMore }
})
const body = {
  ok: true,
  item: {
    marketplace: { id: "mkt_1", name: "Acme" },
    source: { repositoryFullName: "acme/plugins", branch: "main" },
    plugins: [
      plugin("fine", "ready", { skill: 2, command: 1 }),
      plugin(
        "remote",
        "needs_admin_setup",
        { mcp: 1 },
        {
          nextAction: "An administrator has to connect tracker.",
          connections: [
            { serverName: "tracker", url: "https://mcp.example", connectedForMe: false },
            { serverName: "local", url: null, connectedForMe: false },
            { serverName: "mine", url: "https://mine.example", connectedForMe: true }
          ]
        }
      ),
      plugin("\u001b[31mred", "desktop_only", { hook: 1 })
    ]
  }
}

describe("marketplaces resolved", () => {
  const plain = { columns: undefined, colors: false, unicode: false }
  it("prints readiness, missing connections and next steps, with plugins that need attention first", () => {
    const lines = readiness(body, plain).split("\n")
    expect(lines.slice(0, 3)).toEqual([
      "Acme (mkt_1), from acme/plugins main",
      "3 plugins: 1 needs setup by an admin, 1 desktop only, 1 ready",
      ""
    ])
    expect(lines[3]).toMatch(/^PLUGIN +READINESS +CONTENTS +MISSING +NEXT +ID$/)
    expect(lines[4]).toMatch(
      /^remote +! needs setup by an admin +1 server +tracker +An administrator has to connect tracker\. +plg_remote$/
    )
    expect(lines[6]).toMatch(/^fine +\+ ready +2 skills, 1 command +- +- +plg_fine$/)
    expect(readiness(body, plain)).toMatch(/^[\n -~]+$/)
  })
  it("handles an empty marketplace, and omits empty columns", () => {
    expect(readiness({ item: { marketplace: { id: "mkt_1", name: "Acme" }, source: null, plugins: [] } }, plain)).toBe(
      "Acme (mkt_1)\n0 plugins"
    )
    const ready = { item: { ...body.item, plugins: [plugin("fine", "ready", { skill: 1 })] } }
    expect(readiness(ready, { ...plain, unicode: true })).toMatch(/\nPLUGIN +READINESS +CONTENTS +ID\nfine +✓ ready/)
  })
  it("prints a table on a terminal, one line per plugin in a pipe, the body as JSON, and IDs with -q", async () => {
    const { url } = await serve({ "GET /v1/marketplaces/mkt_1/resolved": { body } })
    const argv = ["marketplaces", "resolved", "mkt_1"]
    expect((await ran([...argv, "--no-color"], { url, columns: 200 })).out).toContain("3 plugins:")
    expect((await ran(argv, { url })).out.split("\n")[1]).toBe(
      "plg_remote\tremote\t1\tneeds_admin_setup\tAn administrator has to connect tracker."
    )
    expect(JSON.parse((await ran([...argv, "-o", "json"], { url })).out)).toEqual(body)
    expect((await ran([...argv, "-q"], { url })).out.split("\n").slice(0, 2)).toEqual(["plg_fine", "plg_remote"])
  })
})
