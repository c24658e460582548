/** The reports of `orgplane agents`, with a server that receives them. */
import { hostname, userInfo } from "node:os"
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { archive, filesOf, idOf, makeMachine, type PluginSpec, sha256, startAuthority } from "./agents.fixture.ts"
import { spawned } from "./harness.ts"

const setUp = async (settings?: string) => {
  const authority = await startAuthority()
  const machine = await makeMachine(authority, settings)
  return { authority, machine, device: join(machine.data, "claude-code", "device.json") }
}

const shaOf = (name: string, text = "First.") => sha256(archive(filesOf(name, text)))
const installed = (name: string, text?: string) => ({
  pluginId: idOf(name),
  state: "installed",
  sha256: shaOf(name, text),
  digest: null,
  failure: null
})

const deploy: PluginSpec = { name: "deploy" }

describe("agents sync", () => {
  it("reports the installed plugins once, and again after a change", async () => {
    const { authority, device, machine } = await setUp()
    await authority.publish({ plugins: [{ name: "notes" }, { ...deploy, digest: "d1" }] })
    const { code, err } = await machine.run(["sync"])
    expect([code, err]).toEqual([0, expect.stringMatching(/^Updated .*\n$/)])
    expect(authority.reports).toEqual([
      {
        deviceId: expect.stringMatching(/^[\w-]{16,64}$/u) as string,
        sequence: 1,
        agent: "claude-code",
        clientVersion: expect.stringMatching(/^\d+\./u) as string,
        platform: expect.stringMatching(/^(?:linux|macos|windows|other)$/u) as string,
        revision: 1,
        failure: null,
        plugins: [{ ...installed("deploy"), digest: "d1" }, installed("notes")]
      }
    ])
    expect(statSync(device).mode & 0o777).toBe(0o600)
    await machine.run(["sync"])
    expect(authority.reports).toHaveLength(1)
    await authority.publish({ revision: 2, plugins: [deploy] })
    await machine.run(["sync"])
    expect(authority.reports.slice(1)).toMatchObject([
      { deviceId: authority.reports[0]?.deviceId, sequence: 2, revision: 2, plugins: [installed("deploy")] }
    ])
  })

  it("sends reports with the credential, and without paths, user names and host names", async () => {
    const { authority, machine } = await setUp()
    await authority.publish({ plugins: [deploy] })
    await machine.run(["sync"])
    const request = authority.seen.find(({ path }) => path === "/v1/delivery/reports")
    expect(request?.headers.authorization).toBe("Bearer ops_test")
    for (const secret of [machine.home, hostname(), userInfo().username]) expect(request?.body).not.toContain(secret)
  })

  it("reports each format of a machine as a separate device", async () => {
    const { authority, machine } = await setUp()
    await authority.publish({ plugins: [deploy] })
    await machine.run(["sync"])
    await machine.run(["sync", "--format", "json"])
    expect(authority.reports).toMatchObject([
      { agent: "claude-code", sequence: 1 },
      { agent: "json", sequence: 1 }
    ])
    expect(new Set(authority.reports.map(({ deviceId }) => deviceId)).size).toBe(2)
  })

  it("sends no report with --dry-run, --no-report or ORGPLANE_NO_REPORT", async () => {
    const { authority, device, machine } = await setUp()
    await authority.publish({ plugins: [deploy] })
    await machine.run(["sync", "--dry-run"])
    await machine.run(["sync", "--no-report"])
    const env = { HOME: machine.home, XDG_DATA_HOME: join(machine.home, "data"), ORGPLANE_NO_REPORT: "1" }
    expect((await spawned(["agents", "sync", "--scope", "user"], { url: authority.url, env })).code).toBe(0)
    expect([authority.reports, existsSync(device)]).toEqual([[], false])
  })

  it("succeeds without a warning if the server does not have the endpoint for reports", async () => {
    for (const status of [404, 405]) {
      const { authority, machine } = await setUp()
      await authority.publish({ plugins: [deploy] })
      authority.respondToReports(() => ({ status, body: { error: "route_not_found", message: "No such route." } }))
      const { code, err } = await machine.run(["sync"])
      expect([code, err]).toEqual([0, expect.stringMatching(/^Updated .*\n$/)])
    }
  })
})

describe("a report that fails", () => {
  it("does not fail the sync, and is sent again by the next one", async () => {
    const { authority, machine } = await setUp()
    await authority.publish({ plugins: [deploy] })
    authority.respondToReports(() => ({ status: 503, body: { error: "unavailable", message: "Not now." } }))
    const { code, err } = await machine.run(["sync"])
    expect([code, err.split("\n")]).toEqual([
      0,
      [
        "orgplane: The report to the server failed: Not now. The next sync sends it again.",
        expect.stringMatching(/^Updated /),
        ""
      ]
    ])
    const json = await machine.run(["sync", "-o", "json"])
    expect([json.code, JSON.parse(json.out)]).toMatchObject([
      0,
      { changed: false, notes: ["The report to the server failed: Not now. The next sync sends it again."] }
    ])
    authority.respondToReports(undefined)
    expect((await machine.run(["sync"])).err).toMatch(/^Up to date: .*\n$/)
    await machine.run(["sync"])
    expect(authority.reports.map(({ sequence }) => sequence)).toEqual([1, 2, 3])
  })

  it("continues from the sequence of the server after the machine was restored from a backup", async () => {
    const { authority, device, machine } = await setUp()
    await authority.publish({ plugins: [deploy] })
    authority.setLastSequence(40)
    expect((await machine.run(["sync"])).err).toMatch(/^Updated .*\n$/)
    expect(authority.reports.map(({ sequence }) => sequence)).toEqual([1, 41])
    expect(JSON.parse(readFileSync(device, "utf8"))).toMatchObject({ sequence: 41 })
  })
})

describe("a sync that fails", () => {
  const synced = async () => {
    const result = await setUp()
    await result.authority.publish({ plugins: [deploy] })
    await result.machine.run(["sync"])
    return result
  }
  const failsWith = async (
    { authority, machine }: Awaited<ReturnType<typeof setUp>>,
    plugin: PluginSpec,
    code = 1
  ): Promise<unknown> => {
    await authority.publish({ revision: 2, plugins: [plugin, { name: "notes" }] })
    if (plugin.sent?.length === 0) authority.archives.clear()
    expect((await machine.run(["sync"])).code).toBe(code)
    return authority.reports[1]
  }
  const failed = (failure: string, files: PluginSpec["files"]) => ({
    sequence: 2,
    revision: 1,
    failure: null,
    plugins: [
      {
        pluginId: idOf("deploy"),
        state: "failed",
        sha256: sha256(archive(files ?? {})),
        digest: null,
        failure,
        installedSha256: shaOf("deploy")
      }
    ]
  })

  it.each([
    ["integrity", filesOf("deploy", "Second."), { sent: Buffer.from("other") }, 1],
    ["content", { ".git/hooks/post-commit": "x" }, {}, 1],
    ["download", filesOf("deploy", "Second."), { sent: Buffer.alloc(0) }, 3]
  ])("reports a failed archive: %s", async (failure, files, more, code) => {
    const fixture = await synced()
    const report = await failsWith(fixture, { name: "deploy", files, ...more }, code)
    expect(report).toMatchObject(failed(failure, files))
    // The failure is the same, so it is reported once.
    await fixture.machine.run(["sync"])
    expect(fixture.authority.reports).toHaveLength(2)
  })

  it("reports a plugin that was never installed, without an installed archive", async () => {
    const { authority, machine } = await setUp()
    await authority.publish({ plugins: [{ ...deploy, sent: Buffer.from("other") }] })
    await machine.run(["sync"])
    expect(authority.reports).toMatchObject([
      { revision: null, failure: null, plugins: [{ state: "failed", failure: "integrity", installedSha256: null }] }
    ])
  })

  it("reports settings that are not valid, and that they were corrected", async () => {
    const { authority, machine } = await synced()
    writeFileSync(machine.settingsFile, "not JSON")
    expect((await machine.run(["sync"])).code).toBe(1)
    expect(authority.reports[1]).toMatchObject({ revision: 1, failure: "settings", plugins: [installed("deploy")] })
    writeFileSync(machine.settingsFile, "{}")
    expect((await machine.run(["sync"])).code).toBe(0)
    expect(authority.reports[2]).toMatchObject({ revision: 1, failure: null, plugins: [installed("deploy")] })
  })

  it.skipIf(process.getuid?.() === 0)("reports files that cannot be written as a storage failure", async () => {
    const { authority, machine } = await synced()
    const generations = join(machine.data, "claude-code", "generations")
    chmodSync(generations, 0o500)
    await authority.publish({ revision: 2, plugins: [{ ...deploy, text: "Second." }] })
    await machine.run(["sync"])
    chmodSync(generations, 0o700)
    expect(authority.reports[1]).toMatchObject({ failure: "storage" })
  })

  it("reports a file in place of the plugin directory as a storage failure", async () => {
    const { authority, machine } = await setUp()
    await authority.publish({ plugins: [deploy] })
    mkdirSync(join(machine.data, "claude-code"), { recursive: true })
    writeFileSync(join(machine.data, "claude-code", "generations"), "")
    expect((await machine.run(["sync"])).code).toBe(1)
    expect(authority.reports).toMatchObject([{ revision: null, failure: "storage", plugins: [] }])
  })

  it("sends no report before a desired state is received", async () => {
    const { authority, machine } = await synced()
    authority.respond(() => ({ status: 401, body: { error: "unauthorized" } }))
    await machine.run(["sync"])
    authority.respond(() => ({ status: 503, body: { error: "unavailable", message: "Down." } }))
    await machine.run(["sync"])
    expect(authority.reports).toHaveLength(1)
  })

  it("prints one line if the report fails too, and keeps the error in JSON output", async () => {
    const { authority, machine } = await synced()
    writeFileSync(machine.settingsFile, "not JSON")
    authority.respondToReports(() => ({ status: 500, body: { error: "internal_error", message: "Broken." } }))
    const { err } = await machine.run(["sync"])
    expect(err.split("\n")).toEqual([
      "orgplane: The report to the server failed: Broken. The next sync sends it again.",
      expect.stringContaining("is not a valid JSON object"),
      ""
    ])
    const json = await machine.run(["sync", "-o", "json"])
    expect(JSON.parse(json.err)).toMatchObject({ error: "failed" })
  })
})

describe("agents remove", () => {
  it("reports that nothing is installed, and removes the device", async () => {
    const { authority, machine } = await setUp()
    await authority.publish({ plugins: [deploy] })
    await machine.run(["sync"])
    expect((await machine.run(["remove"])).code).toBe(0)
    expect(authority.reports[1]).toMatchObject({
      deviceId: authority.reports[0]?.deviceId,
      sequence: 2,
      revision: null,
      failure: null,
      plugins: [],
      removed: true
    })
    expect(machine.tree()).toEqual({})
  })

  it.each([
    ["without signing in", [], { token: "" }],
    ["with --no-report", ["--no-report"], {}],
    ["to a different server", [], { url: "http://127.0.0.1:9" }]
  ])("sends no report %s", async (_, flags, options) => {
    const { authority, machine } = await setUp()
    await authority.publish({ plugins: [deploy] })
    await machine.run(["sync"])
    const { code, err } = await machine.run(["remove", ...flags], options)
    expect([code, err, machine.tree()]).toEqual([0, expect.stringMatching(/^Removed the settings .*\n$/), {}])
    expect(authority.reports).toHaveLength(1)
  })

  it("sends no report with --dry-run, and succeeds if the server does not accept the report", async () => {
    const { authority, machine } = await setUp()
    await authority.publish({ plugins: [deploy] })
    await machine.run(["sync"])
    await machine.run(["remove", "--dry-run"])
    expect(authority.reports).toHaveLength(1)
    authority.respondToReports(() => ({ status: 500, body: { error: "internal_error", message: "Broken." } }))
    const { code, err } = await machine.run(["remove"])
    expect([code, err, machine.tree()]).toEqual([0, expect.stringMatching(/^Removed the settings .*\n$/), {}])
  })
})
