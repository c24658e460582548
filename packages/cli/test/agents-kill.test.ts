/** `orgplane agents sync` is killed with SIGKILL. */
import { describe, expect, it } from "vitest"
import { type Authority, type MachineFixture, makeMachine, type PluginSpec, startAuthority } from "./agents.fixture.ts"

const own = '{"enabledPlugins": {"mine@tools": true}}'
const text = (index: number, word: string) => `${word} ${index}. `.repeat(20_000)
const pluginsOf = (word: string): ReadonlyArray<PluginSpec> =>
  ["deploy", "review", "notes"].map((name, index) => ({ name, text: text(index, word) }))
const blocked = { marketplaces: [{ marketplaceId: "mkt_1", name: "tools", plugins: [] }] }

const publishOld = (authority: Authority) => authority.publish({ revision: 1, plugins: pluginsOf("Old") })
const publishNew = (authority: Authority) =>
  authority.publish({
    revision: 2,
    plugins: [...pluginsOf("New").slice(0, 2), { name: "tools" }],
    more: { ...blocked, blocked: [{ kind: "plugin", id: "plg_mine", name: "mine" }] }
  })

/** The old and the new state, as a sync without an interruption leaves them. */
const expectedViews = async () => {
  const authority = await startAuthority()
  const machine = await makeMachine(authority, own)
  await publishOld(authority)
  expect((await machine.run(["sync"])).code).toBe(0)
  const before = machine.view()
  await publishNew(authority)
  expect((await machine.run(["sync"])).code).toBe(0)
  return { before, after: machine.view() }
}

const prepared = async (): Promise<{ readonly authority: Authority; readonly machine: MachineFixture }> => {
  const authority = await startAuthority()
  const machine = await makeMachine(authority, own)
  await publishOld(authority)
  await machine.run(["sync"])
  await publishNew(authority)
  return { authority, machine }
}

const killWhen = async (machine: MachineFixture, reached: Promise<unknown>, millis: number): Promise<void> => {
  const { child, ended } = machine.start(["sync"])
  await Promise.race([reached, ended])
  await new Promise((resolve) => setTimeout(resolve, millis))
  child.kill("SIGKILL")
  await ended
}

describe("a sync that is killed", () => {
  it.each(["deploy", "review", "tools"])("while it downloads %s leaves the old state", async (name) => {
    const { after, before } = await expectedViews()
    const { authority, machine } = await prepared()
    authority.held.add(name)
    const reached = new Promise<void>((resolve) => {
      authority.onArchive((requested) => {
        if (requested === name) resolve()
      })
    })
    await killWhen(machine, reached, 50)
    expect(machine.view()).toEqual(before)
    authority.held.clear()
    expect((await machine.run(["sync"])).code).toBe(0)
    expect(machine.view()).toEqual(after)
    expect((await machine.run(["status"])).code).toBe(0)
  })

  it("at any time after the last download leaves the old or the new state", { timeout: 240_000 }, async () => {
    const { after, before } = await expectedViews()
    const { authority, machine } = await prepared()
    const seen = new Set<string>()
    for (let attempt = 0; attempt < 12; attempt += 1) {
      const reached = new Promise<void>((resolve) => {
        authority.onArchive((name) => {
          if (name === "tools") resolve()
        })
      })
      await killWhen(machine, reached, attempt * 6)
      const view = JSON.stringify(machine.view())
      expect([JSON.stringify(before), JSON.stringify(after)]).toContain(view)
      seen.add(view)
      if (view !== JSON.stringify(after)) continue
      // Once more from the old state.
      await machine.run(["remove"])
      await publishOld(authority)
      await machine.run(["sync"])
      await publishNew(authority)
    }
    expect(seen.size).toBeGreaterThan(0)
    expect((await machine.run(["sync"])).code).toBe(0)
    expect(machine.view()).toEqual(after)
    await machine.run(["remove"])
    expect(machine.text()).toBe(own)
  })
})
