/** Claude Code adds an orgplane marketplace and installs, updates, validates and removes its plugins, offline. */
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { commit, makeRepository } from "../test/fixtures/git.ts"
import { createClient } from "../packages/client/src/index.ts"
import { ask, makeFolder, seedOf, startServer, until } from "../test/process/server.fixture.ts"
import { fileOf } from "./programs.ts"
import { type PublicHost, servePublicly } from "./public-host.ts"

const host = "plugins.acme.example"
const folder = makeFolder()
const home = join(folder, "home")
const repository = join(folder, "repositories", "tools")

let baseUrl = ""
let token = ""
let publicHost: PublicHost

const client = () => createClient({ baseUrl, token })

/** Runs the client with a temporary home directory and the proxy as its only network access. */
const claude = async (...args: ReadonlyArray<string>) => {
  const child = spawn(process.execPath, [fileOf("@anthropic-ai/claude-code", "cli-wrapper.cjs"), ...args], {
    cwd: home,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      CLAUDE_CONFIG_DIR: join(home, ".claude"),
      NODE_EXTRA_CA_CERTS: join(folder, "ca.pem"),
      HTTPS_PROXY: publicHost.proxyUrl,
      HTTP_PROXY: publicHost.proxyUrl,
      DISABLE_AUTOUPDATER: "1",
      NO_COLOR: "1"
    },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let output = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text))
  const [code] = (await once(child, "close")) as [number | null]
  return { code, output }
}

const succeeds = async (...args: ReadonlyArray<string>): Promise<string> => {
  const { code, output } = await claude(...args)
  expect([args.join(" "), code, output]).toEqual([args.join(" "), 0, output])
  return output
}

const hookScript = '#!/bin/sh\nprintf ran > "$1"\n'
const skill = (name: string, text: string) => `---\nname: ${name}\ndescription: How to ${name}.\n---\n\n${text}\n`
const filesOf = (version: string, text: string) => ({
  ".claude-plugin/marketplace.json": JSON.stringify({
    name: "claude-plugins-official",
    owner: { name: "Acme" },
    plugins: ["deploy", "unversioned", ...generated].map((name) => ({ name, source: `./plugins/${name}` }))
  }),
  "plugins/deploy/.claude-plugin/plugin.json": JSON.stringify({
    name: "deploy",
    version,
    description: "Deploys.",
    author: { name: "Acme" }
  }),
  "plugins/deploy/skills/deploy/SKILL.md": skill("deploy", text),
  "plugins/deploy/skills/deploy/run.sh": { executable: hookScript },
  "plugins/deploy/skills/deploy/zeros.txt": "0".repeat(500_000),
  "plugins/deploy/hooks/hooks.json": JSON.stringify({
    hooks: {
      Stop: [{ hooks: [{ type: "command", command: "${CLAUDE_PLUGIN_ROOT}/skills/deploy/run.sh stopped" }] }]
    }
  }),
  "plugins/unversioned/skills/unversioned/SKILL.md": skill("unversioned", text),
  ...Object.fromEntries(
    generated.flatMap((name, index) => [
      [`plugins/${name}/.claude-plugin/plugin.json`, JSON.stringify({ name, version: "1.0.0", description: "Made." })],
      [
        `plugins/${name}/commands/c${index}.md`,
        `---\ndescription: Command ${index}\n---\n\n${"Run it. ".repeat(index)}`
      ],
      [`plugins/${name}/agents/a.md`, `---\nname: a\ndescription: Agent ✓ ${index}\n---\n\nBe helpful.`],
      [`plugins/${name}/.mcp.json`, JSON.stringify({ mcpServers: { [`s${index}`]: { command: "run", args: ["x"] } } })]
    ])
  )
})
const generated = Array.from({ length: 12 }, (_, index) => `generated-${index}`)

let instanceId = ""
let marketplaceId = ""
let linkId = ""
let manifestUrl = ""
/** The name that the client knows the marketplace by. */
let name = ""

const sync = async () => {
  const { id } = await client().connectors.sync(instanceId)
  return until(
    () => client().connectors.getSyncEvent(id),
    ({ status }) => status !== "queued" && status !== "running"
  )
}

/** The folder of the installed plugins, with one folder per version. */
const versionsOf = (plugin: string) => {
  const at = join(home, ".claude", "plugins", "cache", name, plugin)
  return existsSync(at) ? readdirSync(at).map((version) => ({ version, at: join(at, version) })) : []
}

beforeAll(async () => {
  for (const path of [home, join(folder, "repositories")]) mkdirSync(path, { recursive: true })
  publicHost = await servePublicly(host, () => baseUrl)
  writeFileSync(join(folder, "ca.pem"), publicHost.ca)
  makeRepository(repository, filesOf("1.0.0", "First."))
  const dataDir = join(folder, "data")
  const server = await startServer({
    ORGPLANE_DATA_DIR: dataDir,
    ORGPLANE_SEED: "demo",
    ORGPLANE_PUBLIC_URL: `https://${host}`,
    ORGPLANE_GIT_LOCAL_ROOTS: join(folder, "repositories")
  })
  baseUrl = server.baseUrl
  token = seedOf(dataDir).ownerToken
  const connected = await client().connectors.setup({ adapter: "git", cloneUrl: repository })
  instanceId = connected.connectorInstance.id
  const { discoveredPlugins } = await client().connectors.discovery(instanceId)
  const { marketplace } = await client().connectors.apply(instanceId, {
    autoImportNewPlugins: false,
    selectedKeys: discoveredPlugins.map(({ key }) => key)
  })
  marketplaceId = marketplace?.id ?? ""
  for (const plugin of (await client().plugins.list({ limit: 100 })).items) {
    await client().marketplaces.addPlugin(marketplaceId, { pluginId: plugin.id })
  }
  const link = await client().marketplaces.createLink(marketplaceId, { name: "A laptop" })
  linkId = link.id
  manifestUrl = link.url
})
afterAll(() => publicHost.close())

const manifest = async () =>
  (await ask(baseUrl, undefined, "GET", manifestUrl.replace(`https://${host}`, ""))).body as {
    readonly name: string
    readonly plugins: ReadonlyArray<{ readonly name: string }>
  }

describe("Claude Code", () => {
  it("does not add a marketplace with an unknown link", async () => {
    const unknown = `https://${host}/v1/marketplace-links/opl_unknown/marketplace.json`
    const { code, output } = await claude("plugin", "marketplace", "add", unknown)
    expect([code, output.includes("404")]).toEqual([1, true])
  })

  it("adds the marketplace through its link, under a name that is not reserved for the vendor", async () => {
    name = (await manifest()).name
    expect(name).toBe("org-plugins-official")
    expect(await succeeds("plugin", "marketplace", "add", manifestUrl)).toContain(name)
    expect(await succeeds("plugin", "marketplace", "list")).toContain(name)
  })

  it("installs and validates every plugin of the marketplace", async () => {
    const { plugins } = await manifest()
    expect(plugins.length).toBeGreaterThanOrEqual(generated.length + 4)
    const file = join(folder, "marketplace.json")
    writeFileSync(file, JSON.stringify(await manifest()))
    await succeeds("plugin", "validate", file)
    for (const plugin of plugins) {
      await succeeds("plugin", "install", `${plugin.name}@${name}`)
      const [installed] = versionsOf(plugin.name)
      await succeeds("plugin", "validate", installed?.at ?? "")
    }
    const list = JSON.parse(await succeeds("plugin", "list", "--json")) as ReadonlyArray<{ readonly id: string }>
    expect(list.map(({ id }) => id).toSorted()).toEqual(plugins.map((plugin) => `${plugin.name}@${name}`).toSorted())
  })

  it("keeps a hook's script executable, so that it runs", () => {
    const [installed] = versionsOf("deploy")
    const script = join(installed?.at ?? "", "skills/deploy/run.sh")
    expect(readFileSync(script, "utf8")).toBe(hookScript)
    expect((statSync(script).mode & 0o111) !== 0).toBe(true)
    execFileSync(script, [join(folder, "stopped")])
    expect(readFileSync(join(folder, "stopped"), "utf8")).toBe("ran")
  })

  it("updates a plugin whose repository has changed, with a version and without one", async () => {
    const before = versionsOf("unversioned").map(({ version }) => version)
    commit(repository, filesOf("1.1.0", "Second."))
    expect((await sync()).status).toBe("completed")
    await succeeds("plugin", "marketplace", "update", name)
    expect(await succeeds("plugin", "update", `deploy@${name}`)).toContain("1.1.0")
    await succeeds("plugin", "update", `unversioned@${name}`)
    const updated = versionsOf("deploy").find(({ version }) => version === "1.1.0")
    expect(readFileSync(join(updated?.at ?? "", "skills/deploy/SKILL.md"), "utf8")).toContain("Second.")
    const [fresh] = versionsOf("unversioned").filter(({ version }) => !before.includes(version))
    expect(readFileSync(join(fresh?.at ?? "", "skills/unversioned/SKILL.md"), "utf8")).toContain("Second.")
  })

  it("removes plugins and the marketplace", async () => {
    await succeeds("plugin", "uninstall", `deploy@${name}`)
    expect(await succeeds("plugin", "list")).not.toContain(`deploy@${name}`)
    await succeeds("plugin", "marketplace", "remove", name)
    expect(await succeeds("plugin", "marketplace", "list")).not.toContain(name)
  })

  it("cannot update from a revoked link", async () => {
    await client().marketplaces.revokeLink(marketplaceId, linkId)
    expect((await claude("plugin", "marketplace", "add", manifestUrl)).code).toBe(1)
  })

  it("requested only the marketplace and its archives from the server", () => {
    const paths = new Set(publicHost.requests.map((request) => request.replace(/opl_\w+|plg_\w+/gu, "…")))
    expect([...paths].toSorted()).toEqual([
      "GET /v1/marketplace-links/…/marketplace.json",
      "GET /v1/marketplace-links/…/plugins/…"
    ])
  })
})
