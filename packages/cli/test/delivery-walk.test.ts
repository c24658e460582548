/** Delivery and rollouts on the command line, against a real server, a real repository and a machine that syncs. */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { commit, makeRepository } from "../../../test/fixtures/git.ts"
import { freePort } from "../../../test/free-port.ts"
import { ran } from "./harness.ts"
import { startPlane } from "./plane.ts"

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

let plane: Awaited<ReturnType<typeof startPlane>>
let instance = ""
let repository = ""
let pluginId = ""

const ada = "ada@acme.example"
const json = (value: object) => JSON.stringify(value, null, 2)
const skill = (text: string) => `---\nname: review\ndescription: How to review.\n---\n\n${text}\n`

const machineEnv = () => ({ XDG_DATA_HOME: join(plane.home, "data-of-ada") })
const orgplane = (...args: ReadonlyArray<string>) => plane.run("ada", args)
const agents = (...args: ReadonlyArray<string>) =>
  plane.run("ada", ["agents", ...args, "--scope", "user"], "", machineEnv())

const succeeded = async (...args: ReadonlyArray<string>): Promise<string> => {
  const { code, err, out } = await orgplane(...args)
  if (code !== 0) throw new Error(`orgplane ${args.join(" ")} ended with ${code}: ${err}`)
  return out
}
const body = async (...args: ReadonlyArray<string>) => JSON.parse(await succeeded(...args, "-o", "json"))

/** Runs `orgplane` on a terminal. */
const drawn = async (...args: ReadonlyArray<string>): Promise<string> => {
  const { code, err, out } = await ran(args, {
    url: plane.baseUrl,
    token: "",
    config: join(plane.home, "ada"),
    columns: 120,
    now: Date.now,
    env: { NO_COLOR: "1" }
  })
  if (code !== 0) throw new Error(`orgplane ${args.join(" ")} ended with ${code}: ${err}`)
  return out
}

const sync = async () => {
  const { code, err } = await agents("sync")
  expect([code, err]).toEqual([0, expect.not.stringContaining("report")])
}

const installations = async () => (await body("delivery", "status")).item.installations

beforeAll(async () => {
  const port = String(await freePort())
  plane = await startPlane((home) => ({
    ORGPLANE_GIT_LOCAL_ROOTS: home,
    ORGPLANE_LOG_LEVEL: "error",
    ORGPLANE_PORT: port,
    ORGPLANE_PUBLIC_URL: `http://127.0.0.1:${port}`
  }))
  repository = join(plane.home, "plugins.git")
  makeRepository(
    repository,
    {
      ".claude-plugin/marketplace.json": json({
        name: "acme",
        owner: { name: "Acme" },
        plugins: [{ name: "tools", source: "./tools" }]
      }),
      "tools/skills/review/SKILL.md": skill("Read the change.")
    },
    { bare: true }
  )
  const code = () =>
    vi.waitFor(
      () => {
        const [text] = plane.emails().flatMap(({ text }) => /code=([A-Z2-9]{8})/u.exec(text)?.[1] ?? [])
        if (text === undefined) throw new Error("There is no email with a code.")
        return text
      },
      { timeout: 60_000 }
    )
  await ran(["login", "--email", ada], {
    url: plane.baseUrl,
    token: "",
    config: join(plane.home, "ada"),
    columns: 120,
    typed: [code],
    now: Date.now
  })
  await succeeded("organizations", "create", "--name", "Acme")
  instance = (await body("connectors", "setup", "--clone-url", repository)).item.connectorInstance.id
  await succeeded("connectors", "apply", instance, "--all", "--share", "orgWide")
  pluginId = (await succeeded("plugins", "list", "-q")).trim()
  await succeeded("assignments", "create", "--plugin-id", pluginId, "--mode", "required")
  await succeeded("teams", "create", "--name", "Pilot")
  mkdirSync(join(plane.home, ".claude"))
})
afterAll(() => plane.stop())

describe("the delivery of a plugin", () => {
  it("is shown as empty before a device reports", async () => {
    expect(await drawn("delivery", "status")).toMatch(/^No device has reported yet\./u)
  })

  it("is running after a sync, for the device, the member and the organization", async () => {
    await sync()
    expect((await succeeded("delivery", "status")).trimEnd()).toBe(`${pluginId}\ttools\t1\t1\t0\t0\t0\t0\t0`)
    const status = await drawn("delivery", "status", "--plugin-id", "tools")
    expect(status).toMatch(/^1 wanted, 1 running\n1 member, 1 device\n\nNAME /u)
    expect(status).toContain("\nBy release:\n")
    const [deviceId = "", , ...cells] = (await succeeded("delivery", "list-devices", "--member", ada)).split("\t")
    expect(cells.slice(0, 4)).toEqual(["claude-code", "linux", expect.stringMatching(/^\d/u), "up to date"])
    expect(await drawn("delivery", "get-device", ada, deviceId)).toMatch(/^tools +running +(\w{12}) +\1 +plg_/mu)
    expect(await succeeded("delivery", "list-members")).toContain(`\t${ada}\t1\t1\t1\t0\t0\t0\t0\t`)
    expect(await succeeded("delivery", "list-teams")).toMatch(/^tem_\w+\tPilot\t0\t0\t0\t0/u)
    const watched = await orgplane("delivery", "watch", "--plugin-id", "tools", "--until-done")
    expect([watched.code, watched.out]).toEqual([0, expect.stringMatching(/^20\S+ {2}1 wanted, 1 running\n$/u)])
  })

  it("is listed as unused without telemetry, and its history starts today", async () => {
    expect(await succeeded("delivery", "usage")).toBe(`${pluginId}\ttools\t1\t0\t0\t-\ttrue\n`)
    expect(await drawn("delivery", "usage")).toMatch(/^tools +1 +0 +0 +unused +plg_/mu)
    expect(await drawn("delivery", "history", "--plugin-id", "tools")).toMatch(
      new RegExp(`^20\\S+ to 20\\S+, ${pluginId}\n`, "u")
    )
  })

  it("has no device after a removal, and one device after another sync", async () => {
    expect((await agents("remove")).code).toBe(0)
    expect(await installations()).toMatchObject({ wanted: 0, running: 0, missing: 0 })
    await sync()
    expect(await installations()).toMatchObject({ wanted: 1, running: 1, missing: 0 })
    const [id = ""] = (await succeeded("delivery", "list-devices", "-q")).split("\n")
    await succeeded("delivery", "remove-device", ada, id, "--yes")
    expect(await installations()).toMatchObject({ wanted: 0, running: 0, missing: 0 })
    // A sync without a change reports again after six hours. A removal and a sync create another device.
    await sync()
    expect(await installations()).toMatchObject({ wanted: 0, running: 0, missing: 0 })
    expect((await agents("remove")).code).toBe(0)
    await sync()
    expect(await installations()).toMatchObject({ wanted: 1, running: 1, missing: 0 })
  })
})

describe("the rollout of a release", () => {
  const releaseIdOf = async (state: string) =>
    (await body("approvals", "list", "--state", state, "--plugin-id", pluginId)).items[0].id as string
  let rolloutId = ""
  let releaseId = ""
  let digest = ""

  it("is previewed for the release that is pending approval", async () => {
    const settings = {
      rings: [
        {
          name: "Pilot",
          teamIds: [(await succeeded("teams", "list", "-q")).trim()],
          memberIds: [],
          percent: 0,
          soakMinutes: 60,
          promotion: "manual"
        }
      ]
    }
    const { code, err } = await plane.run("ada", ["rollouts", "update-settings", "--input", "-"], json(settings))
    expect([code, err]).toEqual([0, ""])
    commit(repository, {
      "tools/hooks/hooks.json": json({ hooks: { PostToolUse: [{ hooks: [{ type: "command", command: "./x.sh" }] }] } })
    })
    await succeeded("connectors", "sync", instance, "--wait")
    releaseId = await releaseIdOf("pending")
    const preview = await drawn("rollouts", "preview", "--release-id", "tools")
    expect(preview).toMatch(/^RING +MEMBERS +RECEIVE +TURNED ON +DEVICES +STARTS AT\n/u)
    expect(preview).toMatch(/^Pilot +0 +0 +0 +0 +/mu)
    expect(preview).toMatch(/^Everyone +1 +1 +1 +1 +after a promotion$/mu)
    expect(await drawn("rollouts", "explain", ada, "tools")).toMatch(
      /^The member receives .*, which is the served release\.\nThe release rel_\w+ is pending approval\.\n$/u
    )
  })

  it("waits for a promotion after the first ring, and is explained", async () => {
    digest = (await body("approvals", "get", releaseId)).item.digest
    await succeeded("approvals", "approve", releaseId, "--digest", digest)
    await vi.waitFor(
      async () => expect(await succeeded("rollouts", "list", "--state", "active")).toContain("Pilot (1 of 2)"),
      { timeout: 60_000, interval: 1_000 }
    )
    rolloutId = (await succeeded("rollouts", "list", "--state", "active", "-q")).trim()
    const shown = await drawn("rollouts", "get", "tools")
    expect(shown).toMatch(/^state +active$/mu)
    expect(shown).toMatch(/^Pilot +soaking/mu)
    expect(shown).toMatch(/^Everyone +waiting +- +-$/mu)
    expect(shown).toMatch(
      /^ {2}no installations yet; previous release: .*; evidence \S+ of 100; too few results to pause$/mu
    )
    expect(await succeeded("rollouts", "explain", ada, "tools")).toContain(
      `waits for the promotion of the rollout ${rolloutId} to the member's ring Everyone.`
    )
    await sync()
    expect(await installations()).toMatchObject({ wanted: 1, running: 1 })
  })

  it("reaches all members after a promotion, and is rolled back after a confirmation", async () => {
    await succeeded("rollouts", "promote", "tools", "--ring", "Pilot")
    await sync()
    const [row = ""] = (await drawn("delivery", "status", "--digest", digest)).split("\n")
    expect(row).toBe("1 wanted, 1 running")
    const refused = await orgplane("rollouts", "roll-back", rolloutId, "--comment", "It fails.")
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("Use --yes to confirm.")])
    const rolledBack = await drawn("rollouts", "roll-back", rolloutId, "--comment", "It fails.", "--yes")
    expect(rolledBack).toMatch(/^state +rolled back$/mu)
    expect(rolledBack).toMatch(/^comment +It fails\.$/mu)
    await sync()
    expect(await drawn("delivery", "status", "--digest", digest)).toMatch(/^0 wanted, 0 running$/mu)
  })

  it("is released to all members in an emergency, and withdrawn", async () => {
    const created = await body("rollouts", "create", "--release-id", releaseId)
    const id: string = created.item.id
    expect(await drawn("rollouts", "release", id, "--comment", "It fixes.", "--yes")).toMatch(
      /^state +completed, released to all members at once$/mu
    )
    await sync()
    const withdrawn = await drawn(
      ...["rollouts", "withdraw", "--plugin-id", "tools", "--digest", digest, "--comment", "It leaks.", "--yes"]
    )
    expect(withdrawn).toMatch(/^The release is withdrawn\. Members now receive the release rel_\w+\.\n/u)
    await sync()
    expect(await installations()).toMatchObject({ wanted: 1, running: 1 })
    expect(await drawn("delivery", "status", "--digest", digest)).toMatch(/^0 wanted, 0 running$/mu)
  })
})
