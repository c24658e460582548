import { createEmbeddedClient } from "@orgplane/client/embedded"
import pg from "pg"
import { describe, expect, it } from "vitest"
import { ControlPlane, type Change, type ChangeOptions } from "../../src/index.ts"
import type { Database } from "../../src/infra/options.ts"
import { engine, makeDatabase } from "../harness.ts"

const secretKeys = ["a secret for tests only, long enough to be one"]
const open = async (database: Database, workers = true) => {
  const controlPlane = await ControlPlane.make({ database, secretKeys, workers, logLevel: "none", modelsUrl: "off" })
  const client = createEmbeddedClient(controlPlane)
  return { controlPlane, client }
}
const workspace = async ({ client, controlPlane }: Awaited<ReturnType<typeof open>>) => {
  const { organization, session } = await client.bootstrap.workspace({ workspaceName: "Acme" })
  return { organizationId: organization.id, client: createEmbeddedClient(controlPlane, { token: session.token }) }
}

/** Collects changes; `until` resolves when the condition holds. */
const collector = () => {
  const changes: Array<Change> = []
  const waiting = new Set<() => void>()
  return {
    changes,
    push: (change: Change) => {
      changes.push(change)
      for (const check of waiting) check()
    },
    until: (condition: () => boolean) =>
      new Promise<void>((resolve) => {
        const check = () => {
          if (!condition()) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
      })
  }
}

describe("the changes of a control plane", () => {
  it("are delivered after the commit, in order, to listeners that were there", async () => {
    const opened = await open(await makeDatabase())
    const { client, organizationId } = await workspace(opened)
    const before = await client.plugins.create({ name: "Before" })
    const { changes, push, until } = collector()
    const { ready, stop } = opened.controlPlane.onChange(async (change) => {
      // The change is visible to the listener.
      if (change.action === "plugin.create") await client.plugins.get(String(change.targetId))
      push(change)
    })
    await ready
    const names = ["One", "Two", "Three"]
    const created: Array<string> = []
    for (const name of names) created.push((await client.plugins.create({ name })).id)
    await expect(client.plugins.create({ name: "" })).rejects.toThrow()
    await until(() => changes.some(({ targetId }) => targetId === created[2]))
    const mine = changes.filter(({ action, targetId }) => action === "plugin.create" && targetId !== before.id)
    expect(mine.map(({ targetId }) => targetId)).toEqual(created)
    expect(mine[0]).toMatchObject({ organizationId, actorKind: "session", after: expect.any(Object) })
    expect(changes.map(({ position }) => position)).toEqual(
      changes.map(({ position }) => position).toSorted((a, b) => a - b)
    )
    await stop()
    await client.plugins.create({ name: "After" })
    const { changes: later, push: pushLater, until: untilLater } = collector()
    const other = opened.controlPlane.onChange(pushLater, { actions: ["plugin.create"] })
    await other.ready
    const last = await client.plugins.create({ name: "Last" })
    await untilLater(() => later.some(({ targetId }) => targetId === last.id))
    expect(later.every(({ action }) => action === "plugin.create")).toBe(true)
    expect(changes.some(({ targetId }) => targetId === last.id)).toBe(false)
    await opened.controlPlane.dispose()
  })

  it.each([undefined, "later"])("start after what was committed, sealed or not, for consumer %s", async (consumer) => {
    // Without workers, only a subscription and a verification seal events.
    const opened = await open(await makeDatabase(), false)
    const { client } = await workspace(opened)
    await client.plugins.create({ name: "Before" })
    const { changes, push, until } = collector()
    const options = consumer === undefined ? {} : { consumer }
    await opened.controlPlane.onChange(push, options).ready
    const { id } = await client.plugins.create({ name: "After" })
    await client.audit.verify({})
    await until(() => changes.some(({ targetId }) => targetId === id))
    expect(changes.map(({ action, targetId }) => [action, targetId])).toEqual([["plugin.create", id]])
    await opened.controlPlane.dispose()
  })

  it("are repeated for a named consumer until they are handled, also after it was stopped", async () => {
    const opened = await open(await makeDatabase())
    const { client } = await workspace(opened)
    const options = { consumer: "index", from: "start", actions: ["plugin.create"] } as const
    const { changes, push, until } = collector()
    let failures = 0
    const first = opened.controlPlane.onChange((change) => {
      if (changes.length === 1 && failures === 0) {
        failures += 1
        throw new Error("not now")
      }
      push(change)
    }, options)
    const [one, two] = [await client.plugins.create({ name: "One" }), await client.plugins.create({ name: "Two" })]
    await until(() => changes.length === 2)
    expect([failures, ...changes.map(({ targetId }) => targetId)]).toEqual([1, one.id, two.id])
    await first.stop()

    const three = await client.plugins.create({ name: "Three" })
    const again = collector()
    const second = opened.controlPlane.onChange(again.push, options)
    await again.until(() => again.changes.some(({ targetId }) => targetId === three.id))
    // The last change before the stop may be repeated, and none is lost.
    expect([[three.id], [two.id, three.id]]).toContainEqual(again.changes.map(({ targetId }) => targetId))
    await second.stop()
    await opened.controlPlane.dispose()
  })

  it("can be iterated", async () => {
    const opened = await open(await makeDatabase())
    const { client } = await workspace(opened)
    const seen: Array<string | null> = []
    const events = opened.controlPlane.events({ consumer: "loop", from: "start", actions: ["plugin.create"] })
    const ids = [(await client.plugins.create({ name: "One" })).id, (await client.plugins.create({ name: "Two" })).id]
    for await (const { targetId } of events) {
      seen.push(targetId)
      if (seen.length === 2) break
    }
    expect(seen).toEqual(ids)

    const rest: Array<string> = []
    const live = opened.controlPlane.events()
    const loop = (async () => {
      for await (const { action } of live) {
        rest.push(action)
        if (action === "plugin.create") void opened.controlPlane.dispose()
      }
    })()
    // The first `next` of the loop subscribes.
    await new Promise((resolve) => setImmediate(resolve))
    await opened.controlPlane.onChange(() => {}).ready
    await client.plugins.create({ name: "Three" })
    await loop
    expect(rest).toContain("plugin.create")
  })

  it("keep the position of a consumer that stops within a batch, so that each turn continues where the last one ended", async () => {
    const opened = await open(await makeDatabase())
    const { client } = await workspace(opened)
    const ids: Array<string> = []
    for (let n = 0; n < 8; n++) ids.push((await client.plugins.create({ name: `Plugin ${n}` })).id)
    // All changes are in one batch from here on.
    const sealed = collector()
    const all = opened.controlPlane.onChange(sealed.push, { consumer: "all", from: "start" })
    await sealed.until(() => sealed.changes.some(({ targetId }) => targetId === ids[7]))
    await all.stop()

    const turn = async (size: number) => {
      const seen: Array<string | null> = []
      const options = { consumer: "turns", from: "start", actions: ["plugin.create"] } as const
      for await (const { targetId } of opened.controlPlane.events(options)) {
        seen.push(targetId)
        if (seen.length === size) break
      }
      return seen
    }
    // The change at which a loop ends is not handled, because its next one is not requested.
    expect(await turn(4)).toEqual(ids.slice(0, 4))
    expect(await turn(4)).toEqual(ids.slice(3, 7))

    const heard: Array<string | null> = []
    const options = { consumer: "calls", from: "start", actions: ["plugin.create"] } as const
    for (const size of [5, 8]) {
      await new Promise<void>((stopped) => {
        const { stop } = opened.controlPlane.onChange(async ({ targetId }) => {
          heard.push(targetId)
          if (heard.length !== size) return
          void stop().then(stopped)
          await new Promise((resolve) => setTimeout(resolve, 50))
        }, options)
      })
    }
    expect(heard).toEqual([...ids.slice(0, 5), ...ids.slice(4, 7)])
    await opened.controlPlane.dispose()
  })

  it.runIf(engine === "postgres")("store the position of a slow consumer while it handles a batch", async () => {
    const database = await makeDatabase()
    if (database.kind !== "postgres") throw new Error("This test requires PostgreSQL.")
    const opened = await open(database)
    const { client } = await workspace(opened)
    for (let n = 0; n < 3; n++) await client.plugins.create({ name: `Plugin ${n}` })
    const { changes, push, until } = collector()
    const created = () => changes.filter(({ action }) => action === "plugin.create")
    opened.controlPlane.onChange(push, { consumer: "all", from: "start" })
    await until(() => created().length === 3)
    let count = 0
    const options = { consumer: "slow", from: "start", actions: ["plugin.create"] } as const
    // The third change is never handled, as in a process that hangs or is killed.
    const handle = () =>
      (count += 1) === 3 ? new Promise<void>(() => {}) : new Promise<void>((resolve) => setTimeout(resolve, 600))
    const slow = opened.controlPlane.onChange(handle, options)
    const pool = new pg.Pool({ connectionString: database.url, max: 1 })
    const storedPosition = async () => {
      const { rows } = await pool.query("SELECT position FROM orgplane.event_consumers WHERE name = 'slow'")
      return Number(rows[0]?.position)
    }
    await expect.poll(storedPosition, { timeout: 60_000 }).toBe(created()[1]?.position)
    await pool.end()
    await slow.stop()
    await opened.controlPlane.dispose()
  })

  it("reject unknown and invalid options", async () => {
    const { controlPlane } = await open(await makeDatabase())
    for (const [options, message] of [
      [{ consumers: "a" }, "onChange: unknown option consumers. Allowed: consumer, from, actions."],
      [{ consumer: "" }, "onChange: consumer must have 1 to 100 characters."],
      [{ from: "start" }, "onChange: from requires consumer"],
      [{ consumer: "a", from: "end" }, "onChange: from must be one of: now, start."],
      [{ consumer: 5 }, "onChange: consumer must have 1 to 100 characters."],
      [{ actions: [] }, "onChange: actions must not be empty"],
      [{ actions: "plugin.create" }, 'onChange: actions must be an array of strings such as ["plugin.create"]'],
      [{ actions: null }, "onChange: actions must be an array of strings"],
      [{ actions: [5] }, "onChange: actions must be an array of strings"],
      [{ actions: ["plugin.creat"] }, "onChange: unknown action plugin.creat. Did you mean plugin.create?"],
      [{ actions: ["plugin.create", "apiKey.create"] }, "unknown action apiKey.create. Did you mean api_key.create?"],
      [
        { actions: ["nonsense"] },
        "unknown action nonsense. The type AuditAction of @orgplane/server lists all actions."
      ]
    ] as const) {
      expect(() => controlPlane.onChange(() => {}, options as object)).toThrow(message)
    }
    // @ts-expect-error -- the type lists the actions
    const misspelled: ChangeOptions = { actions: ["plugin.creat"] }
    expect(() => controlPlane.onChange(() => {}, misspelled)).toThrow("plugin.creat")
    await controlPlane.dispose()
  })

  it.runIf(engine === "postgres")("arrive from other processes, and each consumer runs in one of them", async () => {
    const database = await makeDatabase()
    const [one, two] = [await open(database), await open(database)]
    const { client } = await workspace(one)
    const live = collector()
    const { ready } = two.controlPlane.onChange(live.push, { actions: ["plugin.create"] })
    await ready
    const handled = collector()
    for (const { controlPlane } of [one, two]) {
      await controlPlane.onChange(handled.push, { consumer: "once", actions: ["plugin.create"] }).ready
    }
    const ids: Array<string> = []
    for (let n = 0; n < 20; n++) ids.push((await client.plugins.create({ name: `Plugin ${n}` })).id)
    await live.until(() => live.changes.length === ids.length)
    expect(live.changes.map(({ targetId }) => targetId)).toEqual(ids)
    await handled.until(() => handled.changes.length >= ids.length)
    expect(handled.changes.map(({ targetId }) => targetId)).toEqual(ids)
    await one.controlPlane.dispose()
    await two.controlPlane.dispose()
  })
})
