/**
 * Claude Code accepts what `orgplane agents sync` writes: it loads the plugins, and enforces what the organization blocks.
 * Sessions send their request to a closed port, because only their first message, the list of what was loaded, matters.
 */
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { filesOf, makeMachine, startAuthority } from "../packages/cli/test/agents.fixture.ts"
import { cliProgram } from "../test/programs.ts"
import { fileOf } from "./programs.ts"

/** Whether this machine allows a mount namespace, in which a test has its own /etc. */
const hasNamespaces = (() => {
  try {
    execFileSync("unshare", ["--mount", "true"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
})()

interface Session {
  readonly plugins: ReadonlyArray<{ readonly name: string; readonly path: string; readonly source: string }>
  readonly skills: ReadonlyArray<string>
  readonly mcp_servers: ReadonlyArray<{ readonly name: string }>
}

const setUp = async (settings?: string) => {
  const authority = await startAuthority()
  const machine = await makeMachine(authority, settings)
  const { home } = machine
  const etc = join(home, "etc")
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    XDG_DATA_HOME: join(home, "data"),
    XDG_CONFIG_HOME: join(home, "config"),
    ORGPLANE_BASE_URL: authority.url,
    ORGPLANE_TOKEN: "ops_test",
    DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_MAX_RETRIES: "0",
    ANTHROPIC_API_KEY: "none",
    ANTHROPIC_BASE_URL: "http://127.0.0.1:9",
    NO_COLOR: "1"
  }
  let isManaged = false
  const run = async (program: string, args: ReadonlyArray<string>) => {
    const line = [process.execPath, program, ...args]
    const script = `mount --bind ${etc} /etc && exec "$@"`
    const [command = "", ...rest] = isManaged ? ["unshare", "--mount", "sh", "-c", script, "sh", ...line] : line
    const child = spawn(command, rest, { cwd: home, env, stdio: ["ignore", "pipe", "pipe"] })
    let [out, output] = ["", ""]
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text
      output += text
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text))
    const [code] = (await once(child, "close")) as [number | null]
    return { code, out, output }
  }
  const claude = (...args: ReadonlyArray<string>) => run(fileOf("@anthropic-ai/claude-code", "cli-wrapper.cjs"), args)
  return {
    authority,
    machine,
    claude,
    /** Uses an own copy of /etc from now on, so that the default paths are tested. */
    manage: () => {
      isManaged = true
      cpSync("/etc", etc, { recursive: true, verbatimSymlinks: true, force: true, errorOnExist: false })
    },
    managedFile: () => JSON.parse(readFileSync(join(etc, "claude-code/managed-settings.d/50-orgplane.json"), "utf8")),
    sync: async (...args: ReadonlyArray<string>) => {
      const { code, output } = await run(cliProgram, ["agents", "sync", ...args])
      expect([code, output]).toEqual([0, expect.stringContaining("revision")])
    },
    /** What a session loads. */
    session: async (): Promise<Session> => {
      const { out } = await claude("-p", "hi", "--output-format", "stream-json", "--verbose")
      const session = JSON.parse(out.split("\n")[0] ?? "") as Session
      return { ...session, plugins: session.plugins.filter(({ source }) => !source.endsWith("@builtin")) }
    },
    fails: async (...args: ReadonlyArray<string>) => {
      const { code, output } = await claude(...args)
      expect([args.join(" "), code]).toEqual([args.join(" "), 1])
      return output
    }
  }
}

/** A marketplace of the user, in a directory. */
const makeMarketplace = (home: string, name: string, plugin: string): string => {
  const directory = join(home, "marketplaces", name)
  for (const part of [".claude-plugin", `${plugin}/.claude-plugin`, `${plugin}/skills/${plugin}`]) {
    mkdirSync(join(directory, part), { recursive: true })
  }
  const manifest = { name, owner: { name: "Ada" }, plugins: [{ name: plugin, source: `./${plugin}` }] }
  writeFileSync(join(directory, ".claude-plugin/marketplace.json"), JSON.stringify(manifest))
  for (const [path, content] of Object.entries(filesOf(plugin, "Mine."))) {
    if (typeof content === "string") writeFileSync(join(directory, plugin, path), content)
  }
  return directory
}

const namesOf = ({ plugins }: Session) => plugins.map(({ source }) => source).toSorted()

describe("Claude Code with the settings of a user", () => {
  it("loads the plugins of the organization and the user's own, and reports no invalid setting", async () => {
    const { authority, claude, machine, session, sync } = await setUp()
    const mine = makeMarketplace(machine.home, "mine", "own")
    await claude("plugin", "marketplace", "add", mine)
    await claude("plugin", "install", "own@mine")
    await authority.publish({ plugins: [{ name: "deploy" }, { name: "notes", mode: "default_on", locked: false }] })
    await sync("--scope", "user")
    const loaded = await session()
    expect(namesOf(loaded)).toEqual(["deploy@orgplane", "notes@orgplane", "own@mine"])
    expect(loaded.skills).toEqual(expect.arrayContaining(["deploy:deploy", "notes:notes", "own:own"]))
    expect(loaded.plugins.find(({ name }) => name === "deploy")?.path).toBe(
      join(machine.data, "claude-code/generations/1/plugins/deploy")
    )
    const list = JSON.parse((await claude("plugin", "marketplace", "list", "--json")).out) as ReadonlyArray<{
      readonly name: string
    }>
    expect(list.map(({ name }) => name).toSorted()).toEqual(["mine", "orgplane"])
    expect((await claude("plugin", "validate", join(machine.data, "claude-code/generations/1"))).code).toBe(0)
    expect((await claude("doctor")).output).not.toContain("Invalid settings")
  })

  it("loads the new content from the second session after an update, and no removed plugin", async () => {
    const { authority, machine, session, sync } = await setUp()
    await authority.publish({ plugins: [{ name: "deploy" }, { name: "notes" }] })
    await sync("--scope", "user")
    await session()
    await authority.publish({ revision: 2, plugins: [{ name: "deploy", text: "Second." }] })
    await sync("--scope", "user")
    const generation = (number: number) => join(machine.data, `claude-code/generations/${number}/plugins/deploy`)
    expect((await session()).plugins.map(({ path }) => path)).toEqual([generation(1)])
    expect((await session()).plugins.map(({ path }) => path)).toEqual([generation(2)])
  })

  it("does not load a plugin that is blocked", async () => {
    const { authority, claude, machine, session, sync } = await setUp()
    await claude("plugin", "marketplace", "add", makeMarketplace(machine.home, "tools", "deploy"))
    await claude("plugin", "install", "deploy@tools")
    expect(namesOf(await session())).toEqual(["deploy@tools"])
    await authority.publish({
      more: {
        marketplaces: [{ marketplaceId: "mkt_1", name: "tools", plugins: [] }],
        blocked: [{ kind: "plugin", id: "plg_deploy", name: "Deploy" }]
      }
    })
    await sync("--scope", "user")
    expect(namesOf(await session())).toEqual([])
    await machine.run(["remove"])
    expect(namesOf(await session())).toEqual(["deploy@tools"])
  })
})

describe.skipIf(!hasNamespaces)("Claude Code with managed settings in /etc/claude-code", () => {
  const managed = async () => {
    const fixture = await setUp()
    fixture.manage()
    const data = join(fixture.machine.home, "lib")
    return { ...fixture, data, sync: () => fixture.sync("--scope", "managed", "--data-dir", data) }
  }

  it("loads the plugins, and updates in the next session, and the user cannot turn them off", async () => {
    const { authority, claude, data, fails, session, sync } = await managed()
    await authority.publish({ plugins: [{ name: "deploy" }] })
    await sync()
    const generation = (number: number) => join(data, `claude-code/generations/${number}/plugins/deploy`)
    expect((await session()).plugins.map(({ path }) => path)).toEqual([generation(1)])
    expect(await fails("plugin", "disable", "deploy@orgplane")).toContain("managed by your organization")
    await authority.publish({ revision: 2, plugins: [{ name: "deploy", text: "Second." }] })
    await sync()
    expect((await session()).plugins.map(({ path }) => path)).toEqual([generation(2)])
    expect((await claude("doctor")).output).not.toContain("Invalid settings")
  })

  it("refuses blocked plugins and marketplaces", async () => {
    const { authority, claude, fails, machine, session, sync } = await managed()
    await claude("plugin", "marketplace", "add", makeMarketplace(machine.home, "tools", "deploy"))
    await claude("plugin", "install", "deploy@tools")
    expect(namesOf(await session())).toEqual(["deploy@tools"])
    await authority.publish({
      more: {
        marketplaces: [{ marketplaceId: "mkt_1", name: "tools", plugins: [] }],
        blocked: [
          { kind: "marketplace", id: "mkt_2", name: "bad" },
          { kind: "plugin", id: "plg_deploy", name: "Deploy" }
        ]
      }
    })
    await sync()
    expect(namesOf(await session())).toEqual([])
    expect(await fails("plugin", "enable", "deploy@tools")).toContain("blocked by your organization's policy")
    const url = `${authority.url}/v1/marketplaces/mkt_2/marketplace.json`
    expect(await fails("plugin", "marketplace", "add", url)).toContain("blocked by enterprise policy")
  })

  it("allows only the organization's plugins and MCP servers if members may not manage extensions", async () => {
    const { authority, claude, fails, machine, managedFile, session, sync } = await managed()
    await claude("plugin", "marketplace", "add", makeMarketplace(machine.home, "mine", "own"))
    await claude("plugin", "install", "own@mine")
    const servers = {
      local: { command: "${CLAUDE_PLUGIN_ROOT}/run.sh", args: ["--serve"] },
      far: { type: "http", url: "https://far.example/mcp" }
    }
    const files = { ...filesOf("deploy", ""), ".mcp.json": JSON.stringify({ mcpServers: servers }) }
    await authority.publish({
      plugins: [{ name: "deploy", files }],
      more: {
        policy: { desktopPolicy: { allowManageExtensions: false } },
        mcpConnections: [{ name: "Tracker", url: "https://tracker.example/mcp" }]
      }
    })
    await sync()
    expect(Object.keys(managedFile() as object)).toEqual([
      "extraKnownMarketplaces",
      "enabledPlugins",
      "strictKnownMarketplaces",
      "allowManagedMcpServersOnly",
      "allowedMcpServers"
    ])
    const loaded = await session()
    expect(namesOf(loaded)).toEqual(["deploy@orgplane"])
    expect(loaded.mcp_servers.map(({ name }) => name).toSorted()).toEqual(["plugin:deploy:far", "plugin:deploy:local"])
    const other = makeMarketplace(machine.home, "other", "more")
    expect(await fails("plugin", "marketplace", "add", other)).toContain("blocked by enterprise policy")
    const add = ["mcp", "add", "--transport", "http"]
    expect(await fails(...add, "mine", "https://mine.example/mcp")).toContain("not allowed by enterprise policy")
    // The user's own list does not extend the one of the organization.
    writeFileSync(machine.settingsFile, '{"allowedMcpServers": [{"serverUrl": "https://mine.example/mcp"}]}')
    expect(await fails(...add, "mine", "https://mine.example/mcp")).toContain("not allowed by enterprise policy")
    expect((await claude(...add, "tracker", "https://tracker.example/mcp")).code).toBe(0)
    expect((await claude("doctor")).output).not.toContain("Invalid settings")
  })
})
