/** `orgplane agents` as a process, with a server that signs desired states. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { cliProgram } from "../../../test/programs.ts"
import { filesOf, idOf, makeKey, makeMachine, manifestOf, startAuthority, treeOf } from "./agents.fixture.ts"

const own = `{
\t"model": "opus",
\t"enabledPlugins": { "mine@elsewhere": true },
\t"env": {"A": "1.0", "N": 1e3}
}
`

const setUp = async (settings?: string) => {
  const authority = await startAuthority()
  return { authority, machine: await makeMachine(authority, settings) }
}

describe("agents sync", () => {
  it("installs the plugins and the settings, and keeps the user's own settings and their format", async () => {
    const { authority, machine } = await setUp(own)
    await authority.publish({ plugins: [{ name: "deploy" }, { name: "notes", enabled: false, mode: "available" }] })
    const { code, err, out } = await machine.run(["sync"])
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(
        /^install\tplugin\tdeploy\t1\.0\.0, required\nset\tsetting\textraKnownMarketplaces\.orgplane\t\S+\nset\tsetting\tenabledPlugins\.deploy@orgplane\ttrue\n$/
      )
    ])
    expect(err).toBe(`Updated ${machine.settingsFile} (revision 1, valid until 2999-01-15T18:00:00.000Z).\n`)
    expect(machine.text()).toContain('"env": {"A": "1.0", "N": 1e3}')
    expect(machine.settings()).toMatchObject({
      model: "opus",
      enabledPlugins: { "mine@elsewhere": true, "deploy@orgplane": true }
    })
    const { plugins } = machine.view()
    expect(Object.keys(plugins)).toEqual(["deploy"])
    expect(plugins["deploy"]).toEqual({
      ".claude-plugin/plugin.json": `644 ${manifestOf("deploy")}`,
      "run.sh": "755 #!/bin/sh\n",
      "skills/deploy/SKILL.md": expect.stringContaining("First.") as string
    })
  })

  it("sends the ETag and writes nothing if the state has not changed", async () => {
    const { authority, machine } = await setUp(own)
    await authority.publish({ plugins: [{ name: "deploy" }] })
    await machine.run(["sync"])
    const before = machine.tree()
    const requests = authority.seen.length
    const { code, err, out } = await machine.run(["sync"])
    expect([code, out, err]).toEqual([0, "", expect.stringMatching(/^Up to date: /)])
    expect(machine.tree()).toEqual(before)
    expect(authority.seen.slice(requests).map(({ path }) => path)).toEqual(["/v1/me/desired-state"])
  })

  it("updates, adds and removes plugins, and downloads only what has changed", async () => {
    const { authority, machine } = await setUp()
    await authority.publish({ plugins: [{ name: "deploy" }, { name: "review" }, { name: "notes" }] })
    await machine.run(["sync"])
    await authority.publish({
      revision: 2,
      plugins: [{ name: "deploy" }, { name: "review", text: "Second." }, { name: "tools" }]
    })
    const requests = authority.seen.length
    const { out } = await machine.run(["sync"])
    expect(out.split("\n").map((line) => line.split("\t").slice(0, 3).join(" "))).toEqual([
      "remove plugin notes",
      "update plugin review",
      "install plugin tools",
      "remove setting enabledPlugins.notes@orgplane",
      "set setting extraKnownMarketplaces.orgplane",
      "set setting enabledPlugins.tools@orgplane",
      ""
    ])
    expect(authority.seen.slice(requests).map(({ path }) => path.split("?")[0])).toEqual([
      "/v1/me/desired-state",
      // Whether the key was retired is checked with each new state.
      "/v1/keys",
      `/v1/plugins/${idOf("review")}/archive/link`,
      `/v1/plugins/${idOf("tools")}/archive/link`,
      "/v1/delivery/reports"
    ])
    const { plugins } = machine.view()
    expect(Object.keys(plugins)).toEqual(["deploy", "review", "tools"])
    expect(JSON.stringify(plugins["review"])).toContain("Second.")
  })

  it("does not send the credential with the link to an archive", async () => {
    const { authority, machine } = await setUp()
    await authority.publish({ plugins: [{ name: "deploy" }] })
    await machine.run(["sync"])
    const link = authority.seen.find(({ path }) => path.includes("/archive/link"))
    expect([link?.headers.authorization, authority.seen[0]?.headers.authorization]).toEqual([
      undefined,
      "Bearer ops_test"
    ])
  })

  it("turns off blocked plugins, including the user's own, and restores them when they are unblocked", async () => {
    const { authority, machine } = await setUp(
      '{"enabledPlugins":{"deploy@tools":true,"a@bad":true,"mine@other":true}}'
    )
    const marketplaces = [{ marketplaceId: "mkt_1", name: "tools", plugins: [] }]
    await authority.publish({
      plugins: [{ name: "review" }],
      more: {
        marketplaces,
        blocked: [
          { kind: "marketplace", id: "mkt_2", name: "bad" },
          { kind: "plugin", id: "plg_deploy", name: "Deploy" }
        ]
      }
    })
    const { err } = await machine.run(["sync"])
    expect(machine.settings().enabledPlugins).toMatchObject({
      "deploy@tools": false,
      "a@bad": false,
      "mine@other": true,
      "review@orgplane": true
    })
    expect(err).toContain("Blocked marketplaces are enforced only by managed settings.")
    await authority.publish({ revision: 2, plugins: [{ name: "review" }], more: { marketplaces } })
    await machine.run(["sync"])
    expect(machine.settings().enabledPlugins).toEqual({
      "deploy@tools": true,
      "a@bad": true,
      "mine@other": true,
      "review@orgplane": true
    })
  })

  it("keeps the user's choice for an optional plugin, and reverts it for a required one", async () => {
    const { authority, machine } = await setUp()
    const plugins = [{ name: "deploy" }, { name: "notes", mode: "default_on", locked: false }]
    await authority.publish({ plugins })
    await machine.run(["sync"])
    writeFileSync(machine.settingsFile, machine.text().replaceAll(/(@orgplane": )true/gu, "$1false"))
    const { out } = await machine.run(["sync"])
    expect(out).toBe(
      "set\tsetting\tenabledPlugins.deploy@orgplane\ttrue\nleave\tsetting\tenabledPlugins.notes@orgplane\tfalse\n"
    )
    expect(machine.settings().enabledPlugins).toEqual({ "deploy@orgplane": true, "notes@orgplane": false })
    await authority.publish({
      revision: 2,
      plugins: [{ name: "deploy" }, { ...plugins[1], name: "notes", enabled: false }]
    })
    await machine.run(["sync"])
    expect(machine.settings().enabledPlugins).toEqual({ "deploy@orgplane": true, "notes@orgplane": false })
    expect(Object.keys(machine.view().plugins)).toEqual(["deploy"])
  })

  it("repairs changed files and settings, and reports them before", async () => {
    const { authority, machine } = await setUp()
    await authority.publish({ plugins: [{ name: "deploy" }, { name: "notes" }] })
    await machine.run(["sync"])
    const expected = machine.view()
    const directory = machine.settings().extraKnownMarketplaces?.["orgplane"]?.source.path ?? ""
    writeFileSync(join(directory, "plugins/deploy/skills/deploy/SKILL.md"), "Changed.")
    writeFileSync(join(directory, "plugins/notes/added.md"), "Added.")
    const status = await machine.run(["status", "--json", "drift"])
    expect([status.code, JSON.parse(status.out)]).toEqual([
      1,
      { drift: ["the files of deploy were changed", "the files of notes were changed"] }
    ])
    const { out } = await machine.run(["sync"])
    expect(out).toMatch(/^repair\tplugin\tdeploy\t.*\nrepair\tplugin\tnotes\t/)
    expect(machine.view()).toEqual(expected)
    expect((await machine.run(["status"])).code).toBe(0)
  })

  it("keeps a plugin that is pinned to a release that is no longer delivered, and does not install it", async () => {
    const { authority, machine } = await setUp()
    await authority.publish({ plugins: [{ name: "deploy", digest: "d1" }] })
    await machine.run(["sync"])
    await authority.publish({
      revision: 2,
      plugins: [
        { name: "deploy", digest: "d1", isMissing: true },
        { name: "notes", digest: "d2", isMissing: true }
      ]
    })
    const { code, err } = await machine.run(["sync"])
    expect([code, err]).toEqual([0, expect.stringContaining("notes is pinned to a release that the server no longer")])
    expect(Object.keys(machine.view().plugins)).toEqual(["deploy"])
  })

  it("does not remove plugins that are missing from an incomplete state", async () => {
    const { authority, machine } = await setUp()
    await authority.publish({ plugins: [{ name: "deploy" }, { name: "notes" }, { name: "review" }] })
    await machine.run(["sync"])
    const blocked = [{ kind: "plugin", id: idOf("review"), name: "review" }]
    await authority.publish({ revision: 2, plugins: [{ name: "deploy" }], more: { truncated: true, blocked } })
    await machine.run(["sync"])
    expect(Object.keys(machine.view().plugins)).toEqual(["deploy", "notes"])
  })

  it("prints the plan with --dry-run, and changes nothing", async () => {
    const { authority, machine } = await setUp(own)
    await authority.publish({ plugins: [{ name: "deploy" }] })
    const before = machine.tree()
    const { code, out } = await machine.run(["sync", "--dry-run", "-o", "json"])
    expect([code, machine.tree()]).toEqual([0, before])
    expect(JSON.parse(out)).toMatchObject({
      dryRun: true,
      changed: true,
      revision: 1,
      format: "claude-code",
      scope: "user",
      settingsFile: machine.settingsFile,
      plugins: [{ action: "install", pluginId: "plg_deploy", name: "deploy", mode: "required" }],
      settings: [
        { action: "set", key: "extraKnownMarketplaces.orgplane" },
        { action: "set", key: "enabledPlugins.deploy@orgplane", value: true }
      ]
    })
    expect(authority.seen.some(({ path }) => path.includes("archive"))).toBe(false)
  })

  it("follows a symbolic link to the settings, and keeps the mode of the file", async () => {
    const { authority, machine } = await setUp()
    const real = join(machine.home, "dotfiles.json")
    writeFileSync(real, "{}")
    chmodSync(real, 0o640)
    symlinkSync(real, machine.settingsFile)
    await authority.publish({ plugins: [{ name: "deploy" }] })
    await machine.run(["sync"])
    expect(treeOf(machine.home)["dotfiles.json"]).toMatch(/^640 .*deploy@orgplane/s)
    expect(machine.settings().enabledPlugins).toEqual({ "deploy@orgplane": true })
  })

  it.each(["not JSON", "[]", '{"a": 1,, }'])("changes nothing if the settings are %s", async (settings) => {
    const { authority, machine } = await setUp(settings)
    await authority.publish({ plugins: [{ name: "deploy" }] })
    const { code, err } = await machine.run(["sync"])
    expect([code, machine.text()]).toEqual([1, settings])
    expect(err).toContain("is not a valid JSON object")
    expect(authority.seen.some(({ path }) => path.includes("archive"))).toBe(false)
  })

  it("refuses to run beside another sync, and takes over the lock of a killed one", async () => {
    const { authority, machine } = await setUp()
    await authority.publish({ plugins: [{ name: "deploy" }] })
    const lock = join(machine.data, "claude-code", "lock")
    mkdirSync(join(machine.data, "claude-code"), { recursive: true })
    writeFileSync(lock, String(process.pid))
    const held = await machine.run(["sync"])
    expect([held.code, held.err]).toEqual([5, expect.stringContaining("Another 'orgplane agents' command is running")])
    writeFileSync(lock, "4194303999")
    expect((await machine.run(["sync"])).code).toBe(0)
    expect(existsSync(lock)).toBe(false)
  })
})

describe("agents sync without a connection", () => {
  const closed = "http://127.0.0.1:9"
  const offline = async (validUntil: string) => {
    const { authority, machine } = await setUp(own)
    await authority.publish({ plugins: [{ name: "deploy" }], more: { validUntil } })
    const { code } = await machine.run(["sync"])
    authority.respond(() => ({ status: 503, body: { error: "unavailable", message: "Down." } }))
    return { machine, code }
  }

  /** A machine whose last state has expired. The first sync must end before that, however slow this computer is. */
  const expired = async () => {
    for (const seconds of [2, 10, 40]) {
      const until = Date.now() + seconds * 1000
      const { code, machine } = await offline(new Date(until).toISOString())
      if (code !== 0) continue
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, until + 1 - Date.now())))
      return machine
    }
    throw new Error("A sync took more than 40 seconds.")
  }

  it("uses the last valid state, also to repair the settings", async () => {
    const { machine } = await offline("2999-01-15T18:00:00.000Z")
    const expected = machine.view()
    writeFileSync(machine.settingsFile, own)
    const { code, err } = await machine.run(["sync"])
    expect([code, err]).toEqual([0, expect.stringMatching(/Using revision 1, received at .*, valid until 2999/)])
    expect(machine.view()).toEqual(expected)
  })

  it("keeps what is applied when the state has expired, and fails", async () => {
    const machine = await expired()
    const before = machine.tree()
    const { code, err } = await machine.run(["sync"])
    expect([code, err]).toEqual([8, expect.stringContaining("What was applied is kept, and nothing was changed.")])
    expect(machine.tree()).toEqual(before)
    const status = await machine.run(["status", "--json", "expired"])
    expect([status.code, JSON.parse(status.out)]).toEqual([1, { expired: true }])
  })

  it("fails on the first sync", async () => {
    const { machine } = await setUp(own)
    const before = machine.tree()
    const { code } = await machine.run(["sync"], { url: closed })
    expect(code).toBe(8)
    expect(machine.text()).toBe(before[".claude/settings.json"]?.slice(4))
  })
})

describe("agents sync refuses", () => {
  const synced = async () => {
    const { authority, machine } = await setUp(own)
    const first = await authority.publish({ revision: 4, plugins: [{ name: "deploy" }] })
    await machine.run(["sync"])
    const view = machine.view()
    const refuses = async (message: string, code = 1) => {
      const run = await machine.run(["sync"])
      expect([run.code, run.out, run.err]).toEqual([code, "", expect.stringContaining(message)])
      expect(machine.view()).toEqual(view)
    }
    return { authority, machine, first, refuses }
  }

  it("a replayed older state", async () => {
    const { authority, machine, first, refuses } = await synced()
    await authority.publish({ revision: 5, plugins: [{ name: "deploy" }] })
    expect((await machine.run(["sync"])).code).toBe(0)
    authority.respond(() => first)
    await refuses("it is older than the last one (revision 4")
  })

  it("an earlier issue of the same revision", async () => {
    const { authority, refuses } = await synced()
    const state = await authority.stateOf({ revision: 4, more: { generatedAt: "2026-01-14T06:00:00.000Z" } })
    authority.respond(() => authority.signedReply(state))
    await refuses("it is older than the last one")
  })

  it("the state of a different member", async () => {
    const { authority, refuses } = await synced()
    const state = await authority.stateOf({ revision: 9, more: { orgMembershipId: "om_bob" } })
    authority.respond(() => authority.signedReply(state))
    await refuses("This machine has the desired state of om_ada in org_1", 5)
  })

  it("the state of a different server", async () => {
    const { machine } = await synced()
    const other = await startAuthority()
    await other.publish({ revision: 9 })
    const { code, err } = await machine.run(["sync"], { url: other.url })
    expect([code, err]).toEqual([5, expect.stringContaining("This machine has the desired state of http")])
    expect(other.seen).toEqual([])
  })

  it("a changed body, a wrong signature, and a missing one", async () => {
    const { authority, refuses } = await synced()
    const reply = authority.signedReply(await authority.stateOf({ revision: 9, plugins: [] }))
    authority.respond(() => ({ ...reply, body: reply.body.replace('"revision":9', '"revision":8') }))
    await refuses("the signature does not match the server's key")
    authority.respond(() => ({ ...reply, headers: { ...reply.headers, "x-desired-state-signature": "AAAA" } }))
    await refuses("the signature does not match the server's key")
    authority.respond(() => ({ body: reply.body, headers: { etag: '"x"' } }))
    await refuses("the response has no signature")
  })

  it("a key that the server does not publish, and one that has the name of a pinned key", async () => {
    const { authority, refuses } = await synced()
    const state = await authority.stateOf({ revision: 9 })
    const unknown = makeKey("k9")
    authority.respond(() => authority.signedReply({ ...state, signingKeyId: "k9" }, unknown))
    await refuses("the server does not publish the key k9")
    authority.respond(() => authority.signedReply(state, makeKey("k1")))
    await refuses("the signature does not match the server's key")
  })

  it("a changed copy of the last state on disk", async () => {
    const { machine, refuses } = await synced()
    const file = join(machine.data, "claude-code", "state.json")
    writeFileSync(file, readFileSync(file, "utf8").replace('\\"revision\\":4', '\\"revision\\":3'))
    await refuses("the signature does not match the server's key")
    writeFileSync(file, "{}")
    await refuses("state.json is damaged")
  })

  it.each([
    ["different bytes", "does not have the digest", { sent: Buffer.from("other") }],
    ["a path outside its directory", "invalid relative path", { files: { "../up.md": "x" } }],
    ["an absolute path", "absolute path", { files: { "/etc/up.md": "x" } }],
    ["a git hook", ".git folder", { files: { ".git/hooks/post-commit": "x" } }],
    ["two paths that differ in case", "is the same as a different one", { files: { "A.md": "x", "a.md": "y" } }]
  ])("an archive with %s", async (_, message, plugin) => {
    const { authority, refuses } = await synced()
    await authority.publish({ revision: 5, plugins: [{ name: "deploy" }, { name: "notes", ...plugin }] })
    await refuses(message)
  })

  it("an archive that cannot be downloaded", async () => {
    const { authority, refuses } = await synced()
    await authority.publish({ revision: 5, plugins: [{ name: "notes" }] })
    authority.archives.clear()
    await refuses("Cannot download the archive of notes: No such archive.", 3)
  })

  it("an expired state", async () => {
    const { authority, refuses } = await synced()
    await authority.publish({ revision: 5, more: { validUntil: "2026-01-15T06:00:01.000Z" } })
    await refuses("it expired at 2026-01-15T06:00:01.000Z")
  })

  it("a rejected credential, which is not an outage", async () => {
    const { authority, refuses } = await synced()
    authority.respond(() => ({ status: 401, body: { error: "unauthorized" } }))
    await refuses("Not signed in", 4)
  })
})

describe("the signing keys", () => {
  it("are replaced over the authenticated connection only", async () => {
    const { authority, machine } = await setUp()
    await authority.publish({ plugins: [{ name: "deploy" }] })
    await machine.run(["sync"])
    authority.rotateKey(makeKey("k2"))
    await authority.publish({ revision: 2, plugins: [{ name: "deploy" }] })
    const { code, err } = await machine.run(["sync"])
    expect([code, err]).toEqual([0, expect.stringContaining("The server signs with a new key: k2 instead of k1.")])
    const requests = authority.seen.length
    await authority.publish({ revision: 3, plugins: [{ name: "deploy" }] })
    expect((await machine.run(["sync"])).code).toBe(0)
    expect(authority.seen.slice(requests).map(({ path }) => path)).toEqual([
      "/v1/me/desired-state",
      "/v1/keys",
      "/v1/delivery/reports"
    ])
  })

  it("are refused if they were retired, or if a different key has the same id", async () => {
    const { authority, machine } = await setUp()
    await authority.publish({ plugins: [{ name: "deploy" }] })
    await machine.run(["sync"])
    const before = machine.view()
    const refusals = [
      [makeKey("k0", "2026-01-15T07:00:00.000Z"), "the key k0 was retired at 2026-01-15T07:00:00.000Z"],
      [makeKey("k1"), "differs from the key with this ID"]
    ] as const
    for (const [key, message] of refusals) {
      authority.rotateKey(key)
      await authority.publish({ revision: 2 })
      const { code, err } = await machine.run(["sync"])
      expect([code, err]).toEqual([1, expect.stringContaining(message)])
      expect(machine.view()).toEqual(before)
    }
    authority.rotateKey(makeKey("k2", new Date().toISOString()))
    await authority.publish({ revision: 2 })
    expect((await machine.run(["sync"])).code).toBe(0)
  })

  it("do not make an older state valid under a higher revision", async () => {
    const { authority, machine } = await setUp()
    await authority.publish({ plugins: [{ name: "deploy" }] })
    await machine.run(["sync"])
    await authority.publish({ revision: 2, more: { generatedAt: "2026-01-14T23:00:00.000Z" } })
    const { code, err } = await machine.run(["sync"])
    expect([code, err]).toEqual([1, expect.stringContaining("it is older than the last one (revision 2")])
  })
})

describe("agents remove", () => {
  it("restores the file that was there before, byte for byte, and removes the data", async () => {
    const { authority, machine } = await setUp(own)
    const before = machine.tree()
    await authority.publish({
      plugins: [{ name: "deploy" }],
      more: { blocked: [{ kind: "marketplace", id: "mkt_1", name: "elsewhere" }] }
    })
    await machine.run(["sync"])
    expect(machine.settings().enabledPlugins?.["mine@elsewhere"]).toBe(false)
    const plan = await machine.run(["remove", "--dry-run"])
    expect(plan.out).toContain("restore\tsetting\tenabledPlugins.mine@elsewhere\ttrue")
    const { code, err } = await machine.run(["remove"], { token: "" })
    expect([code, err]).toEqual([0, `Removed the settings of orgplane from ${machine.settingsFile}.\n`])
    expect(JSON.parse(machine.text())).toEqual(JSON.parse(own))
    expect(Object.keys(machine.tree())).toEqual(Object.keys(before))
  })

  it("removes a file that the sync created, and does nothing the second time", async () => {
    const { authority, machine } = await setUp()
    await authority.publish({ plugins: [{ name: "deploy" }] })
    await machine.run(["sync"])
    await machine.run(["remove"])
    expect(machine.tree()).toEqual({})
    const { code, err } = await machine.run(["remove"])
    expect([code, err]).toEqual([0, expect.stringMatching(/^Nothing to remove/)])
    expect((await machine.run(["status"])).code).toBe(3)
  })

  it("keeps what the user has changed since", async () => {
    const { authority, machine } = await setUp()
    await authority.publish({ plugins: [{ name: "deploy" }] })
    await machine.run(["sync"])
    writeFileSync(machine.settingsFile, machine.text().replace("{", '{"model":"opus",'))
    await machine.run(["remove"])
    expect(machine.settings()).toEqual({ model: "opus" })
  })
})

describe("the managed scope", () => {
  const managed = async () => {
    const { authority, machine } = await setUp(own)
    const directories = ["--settings-dir", join(machine.home, "etc"), "--data-dir", join(machine.home, "lib")]
    const file = join(machine.home, "etc/managed-settings.d/50-orgplane.json")
    return { authority, machine, directories, file, args: ["--scope", "managed", ...directories] }
  }

  it("writes a drop-in file that other users can read, and leaves the user's settings alone", async () => {
    const { args, authority, file, machine } = await managed()
    await authority.publish({
      plugins: [{ name: "deploy" }],
      more: { blocked: [{ kind: "marketplace", id: "mkt_1", name: "bad" }] }
    })
    expect((await machine.run(["sync", ...args])).code).toBe(0)
    const directory = join(machine.home, "lib/claude-code/generations/1")
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
      extraKnownMarketplaces: { orgplane: { source: { source: "directory", path: directory } } },
      enabledPlugins: { "deploy@orgplane": true },
      blockedMarketplaces: [{ source: "url", url: `${authority.url}/v1/marketplaces/mkt_1/marketplace.json` }]
    })
    expect(machine.text()).toBe(own)
    expect(treeOf(machine.home)["etc/managed-settings.d/50-orgplane.json"]?.slice(0, 3)).toBe("644")
    expect(treeOf(machine.home)["lib/claude-code/state.json"]?.slice(0, 3)).toBe("600")
    await machine.run(["remove", ...args])
    expect(existsSync(file)).toBe(false)
  })

  it("allows only the organization's plugins and MCP servers if members may not manage extensions", async () => {
    const { args, authority, file, machine } = await managed()
    const servers = {
      local: { command: "${CLAUDE_PLUGIN_ROOT}/run.sh", args: ["-x"] },
      far: { url: "https://far.example/mcp" }
    }
    await authority.publish({
      plugins: [
        { name: "deploy", files: { ...filesOf("deploy", ""), ".mcp.json": JSON.stringify({ mcpServers: servers }) } }
      ],
      more: {
        policy: { desktopPolicy: { allowManageExtensions: false } },
        mcpConnections: [{ name: "Tracker", url: "https://tracker.example/mcp" }]
      }
    })
    await machine.run(["sync", ...args])
    const directory = join(machine.home, "lib/claude-code/generations/1")
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({
      strictKnownMarketplaces: [{ source: "directory", path: directory }],
      allowManagedMcpServersOnly: true,
      allowedMcpServers: [
        { serverUrl: "https://far.example/mcp" },
        { serverUrl: "https://tracker.example/mcp" },
        { serverCommand: [`${directory}/plugins/deploy/run.sh`, "-x"] }
      ]
    })
  })

  it("is readable for other users, regardless of the umask", async () => {
    const { args, authority, machine } = await managed()
    await authority.publish({ plugins: [{ name: "deploy" }] })
    const command = ["-c", 'umask 077 && exec "$@"', "sh", process.execPath, cliProgram, "agents", "sync", ...args]
    const env = { HOME: machine.home, ORGPLANE_BASE_URL: authority.url, ORGPLANE_TOKEN: "ops_test" }
    const [code] = (await once(spawn("sh", command, { env, stdio: "ignore" }), "close")) as [number | null]
    expect(code).toBe(0)
    const directory = join(machine.home, "lib/claude-code/generations/1")
    for (const path of [join(machine.home, "lib"), directory, join(directory, "plugins/deploy/skills/deploy")]) {
      expect([path, statSync(path).mode & 0o777]).toEqual([path, 0o755])
    }
    expect(statSync(join(directory, "plugins/deploy/skills/deploy/SKILL.md")).mode & 0o777).toBe(0o644)
    expect(statSync(join(machine.home, "etc/managed-settings.d/50-orgplane.json")).mode & 0o777).toBe(0o644)
    expect(statSync(join(machine.home, "lib/claude-code/state.json")).mode & 0o777).toBe(0o600)
  })

  it("is used by default if it is writable", async () => {
    const { authority, directories, file, machine } = await managed()
    await authority.publish({ plugins: [{ name: "deploy" }] })
    await machine.run(["sync", "--scope", "auto", ...directories])
    expect(existsSync(file)).toBe(true)
  })

  // Root can write everywhere.
  it.skipIf(process.getuid?.() === 0)("is not used by default if it is not writable", async () => {
    const { authority, machine } = await managed()
    await authority.publish({ plugins: [{ name: "deploy" }] })
    expect((await machine.run(["sync", "--scope", "auto"])).code).toBe(0)
    expect(machine.settings().enabledPlugins).toMatchObject({ "deploy@orgplane": true })
  })

  it("fails with the fix if the file cannot be written", async () => {
    const { args, authority, machine } = await managed()
    await authority.publish({ plugins: [{ name: "deploy" }] })
    // Not even root can create a directory there.
    writeFileSync(join(machine.home, "etc"), "a file")
    const { code, err } = await machine.run(["sync", ...args])
    expect([code, err]).toEqual([1, expect.stringMatching(/^orgplane: Cannot write .*etc.* \(E\w+\)/m)])
  })
})

describe("the JSON format", () => {
  it("lists the plugins with their directories, and what is blocked", async () => {
    const { authority, machine } = await setUp(own)
    await authority.publish({
      plugins: [{ name: "deploy" }],
      more: {
        blocked: [{ kind: "plugin", id: "plg_x", name: "x" }],
        mcpConnections: [{ name: "T", url: "https://t.example" }]
      }
    })
    const args = ["--format", "json", "--settings-dir", join(machine.home, "out")]
    expect((await machine.run(["sync", ...args])).code).toBe(0)
    const document = JSON.parse(readFileSync(join(machine.home, "out/agents.json"), "utf8")) as {
      readonly plugins: ReadonlyArray<{ readonly path: string }>
    }
    expect(document).toMatchObject({
      formatVersion: 1,
      revision: 1,
      plugins: [{ pluginId: "plg_deploy", name: "deploy", mode: "required", locked: true }],
      blocked: [{ kind: "plugin", id: "plg_x", name: "x" }],
      mcpServers: [{ name: "T", url: "https://t.example" }]
    })
    expect(existsSync(join(document.plugins[0]?.path ?? "", "run.sh"))).toBe(true)
    expect(machine.text()).toBe(own)
    await machine.run(["remove", ...args])
    expect(existsSync(join(machine.home, "out/agents.json"))).toBe(false)
    rmSync(machine.home, { recursive: true })
  })
})
