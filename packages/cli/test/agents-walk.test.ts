/** `orgplane agents` with a real server: assignments become plugins and settings on a machine. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../../../test/free-port.ts"
import { createClient } from "../../client/src/index.ts"
import { treeOf, viewOf } from "./agents.fixture.ts"
import { startPlane } from "./plane.ts"

type Plane = Awaited<ReturnType<typeof startPlane>>

let plane: Plane
let token = ""
const settingsFile = () => join(plane.home, ".claude/settings.json")
const client = () => createClient({ baseUrl: plane.baseUrl, token })

const agents = (...args: ReadonlyArray<string>) =>
  plane.run("ada", ["agents", ...args, "--scope", "user"], "", {
    ORGPLANE_TOKEN: token,
    XDG_DATA_HOME: join(plane.home, "data-of-ada")
  })

const synced = async () => {
  const run = await agents("sync")
  expect([run.code, run.err]).toEqual([0, expect.stringMatching(/^(?:Updated|Up to date:) \S+ \(revision \d+, valid/m)])
  return run
}

const makePlugin = async (name: string, text: string) => {
  const plugin = await client().plugins.create({ name })
  const skill = await client().configObjects.create({
    pluginIds: [plugin.id],
    input: {
      type: "skill",
      rawSourceText: `---\nname: ${name.toLowerCase()}\ndescription: How to ${name}.\n---\n\n${text}\n`
    }
  })
  return { pluginId: plugin.id, skillId: skill.id }
}

let deploy: Awaited<ReturnType<typeof makePlugin>>
let notes: typeof deploy
let notesAssignmentId = ""

const contentOf = (plugin: string) => JSON.stringify(viewOf(settingsFile()).plugins[plugin] ?? null)

beforeAll(async () => {
  const port = String(await freePort())
  plane = await startPlane(() => ({
    ORGPLANE_LOG_LEVEL: "error",
    ORGPLANE_PORT: port,
    ORGPLANE_PUBLIC_URL: `http://127.0.0.1:${port}`
  }))
  const response = await fetch(`${plane.baseUrl}/v1/bootstrap/workspace`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ workspaceName: "Acme" })
  })
  token = ((await response.json()) as { readonly session: { readonly token: string } }).session.token
  deploy = await makePlugin("Deploy", "First.")
  notes = await makePlugin("Notes", "Notes.")
  await client().assignments.create({ pluginId: deploy.pluginId, mode: "required" })
  notesAssignmentId = (await client().assignments.create({ pluginId: notes.pluginId, mode: "default_on" })).id
  mkdirSync(join(plane.home, ".claude"))
  writeFileSync(settingsFile(), '{"model": "opus", "enabledPlugins": {"mine@elsewhere": true}}\n')
}, 120_000)
afterAll(() => plane.stop())

describe("a machine of a member", () => {
  it("gets the assigned plugins, with the digest and the signature that the server states", async () => {
    const { out } = await synced()
    expect(out.split("\n").slice(0, 2)).toEqual([
      "install\tplugin\tdeploy\trequired",
      "install\tplugin\tnotes\tdefault on"
    ])
    expect(viewOf(settingsFile()).settings).toMatchObject({
      model: "opus",
      enabledPlugins: { "mine@elsewhere": true, "deploy@orgplane": true, "notes@orgplane": true }
    })
    expect(contentOf("deploy")).toContain("First.")
  })

  it("is not changed while the server responds with 304", async () => {
    const files = () => [treeOf(join(plane.home, ".claude")), treeOf(join(plane.home, "data-of-ada"))]
    const before = files()
    const { err } = await agents("sync", "--debug")
    expect(err).toContain("/v1/me/desired-state 304")
    expect(files()).toEqual(before)
  })

  it("gets a new version of a plugin", async () => {
    await client().configObjects.createVersion(deploy.skillId, {
      input: { rawSourceText: "---\nname: deploy\ndescription: How to deploy.\n---\n\nSecond.\n" }
    })
    const { out } = await synced()
    expect(out).toMatch(/^update\tplugin\tdeploy\t/)
    expect(contentOf("deploy")).toContain("Second.")
  })

  it("loses a plugin that is blocked, and gets it back", async () => {
    await client().assignments.update(notesAssignmentId, { mode: "blocked" })
    const { out } = await synced()
    expect(out).toMatch(/^remove\tplugin\tnotes\t/)
    expect([contentOf("notes"), viewOf(settingsFile()).settings?.enabledPlugins]).toEqual([
      "null",
      { "mine@elsewhere": true, "deploy@orgplane": true }
    ])
    await client().assignments.update(notesAssignmentId, { mode: "default_on" })
    await synced()
    expect(contentOf("notes")).toContain("Notes.")
  })

  it("loses a plugin that the member turns off", async () => {
    await client().assignments.setChoice(notes.pluginId, { enabled: false })
    await synced()
    expect(contentOf("notes")).toBe("null")
  })

  it("has no drift, and is clean after a removal", async () => {
    const status = await agents("status", "--json", "server,drift,expired")
    expect([status.code, JSON.parse(status.out)]).toEqual([0, { server: plane.baseUrl, drift: [], expired: false }])
    expect((await agents("remove")).code).toBe(0)
    expect(treeOf(join(plane.home, ".claude"))["settings.json"]).toMatch(
      /\{"model": "opus", "enabledPlugins": \{"mine@elsewhere": true\}\}\n$/
    )
    expect(existsSync(join(plane.home, "data-of-ada/orgplane-agents/claude-code"))).toBe(false)
  })
})
