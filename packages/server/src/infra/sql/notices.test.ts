import type { PgClient } from "@effect/sql-pg"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Stream from "effect/Stream"
import { describe, expect, it } from "vitest"
import { engines } from "../../../../../test/postgres/engines.ts"
import { startPostgres } from "../../../../../test/postgres/start.ts"
import { SqlDatabase, type Sql } from "./client.ts"
import { type Notice, Notices } from "./notices.ts"
import { layerPostgres } from "./postgres.ts"

const live = <Also, Refused>(layer: Layer.Layer<PgClient.PgClient | Also, Refused>) => {
  const runtime = ManagedRuntime.make(
    Notices.layer({ beatMillis: 100, reconnectMillisMax: 200 }).pipe(Layer.provideMerge(layer))
  )
  const notices = <A, E>(use: (notices: Notices["Service"]) => Effect.Effect<A, E>) =>
    runtime.runPromise(Effect.flatMap(Notices, use))
  return {
    runtime,
    sql: <A, E>(use: (sql: Sql) => Effect.Effect<A, E>) => runtime.runPromise(Effect.flatMap(SqlDatabase, use)),
    publish: (channel: string, payload: string) => notices((all) => all.publish(channel, payload)),
    lastHeard: () => notices((all) => all.lastHeard),
    /** Collects the notices of a channel, and waits for the given number. */
    hear: (channel: string) => {
      const received: Array<string> = []
      let wake = () => {}
      const put = (notice: Notice) =>
        Effect.sync(() => {
          received.push(notice._tag === "Listening" ? "(listening)" : notice.payload)
          wake()
        })
      const fiber = runtime.runFork(Effect.flatMap(Notices, (all) => Stream.runForEach(all.subscribe(channel), put)))
      const until = async (there: (received: ReadonlyArray<string>) => boolean) => {
        while (!there(received)) {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
      }
      return { received, until, stop: () => fiber.interruptUnsafe() }
    }
  }
}

describe.each(engines)("notices on $name", ({ open }) => {
  it("delivers committed notices to every subscriber of the channel, in order", async () => {
    const engine = await open()
    const { hear, lastHeard, publish, runtime, sql } = live<never, unknown>(engine.layer)
    const [a, b, other] = [hear("a"), hear("a"), hear("b")]
    await Promise.all([a.until((all) => all.length === 1), b.until((all) => all.length === 1)])
    await publish("a", "one")
    await sql((sql) =>
      sql.withTransaction(
        Effect.andThen(
          Effect.promise(() => Promise.resolve()),
          sql`SELECT pg_notify('a', 'two')::text`
        )
      )
    )
    await runtime.runPromise(
      Effect.gen(function* () {
        const sql = yield* SqlDatabase
        const notices = yield* Notices
        yield* Effect.exit(sql.withTransaction(Effect.andThen(notices.publish("a", "never"), Effect.fail("no"))))
        yield* sql.withTransaction(notices.publish("a", "three"))
      })
    )
    await b.until((all) => all.length === 4)
    b.stop()
    await publish("a", "ü".repeat(2000))
    await a.until((all) => all.length === 5)
    expect(a.received).toEqual(["(listening)", "one", "two", "three", "ü".repeat(2000)])
    expect(b.received).toEqual(["(listening)", "one", "two", "three"])
    expect(other.received).toEqual(["(listening)"])

    // A later subscriber of a channel that is already listened on.
    const late = hear("a")
    await late.until((all) => all.length === 1)
    await publish("a", "four")
    await late.until((all) => all.length === 2)
    expect(late.received).toEqual(["(listening)", "four"])

    const before = await lastHeard()
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect((await lastHeard()) ?? 0).toBeGreaterThan(before ?? Infinity)
    await runtime.dispose()
    await engine.close()
  })
})

describe("notices when PostgreSQL fails", () => {
  it("listens again after its connection was lost and after a server restart, and reports it", async () => {
    const server = await startPostgres()
    const { hear, lastHeard, publish, runtime, sql } = live(layerPostgres({ url: server.url }))
    const a = hear("a")
    await a.until((all) => all.includes("(listening)"))
    await publish("a", "one")
    await a.until((all) => all.includes("one"))
    await sql(
      (sql) =>
        sql`SELECT pg_terminate_backend(pid) AS cut FROM pg_stat_activity
          WHERE pid <> pg_backend_pid() AND query IN ('SELECT 1', 'LISTEN "a"')`
    )
    await a.until((all) => all.length === 3)
    await publish("a", "two")
    await a.until((all) => all.includes("two"))

    process.kill(server.pid, "SIGQUIT")
    const again = await server.restart()
    await a.until((all) => all.length === 5)
    const cutAt = await lastHeard()
    await publish("a", "three")
    await a.until((all) => all.includes("three"))
    expect(a.received).toEqual(["(listening)", "one", "(listening)", "two", "(listening)", "three"])

    // While the server is unavailable, the time of the last response does not advance.
    await again.stop()
    const heardAt = await lastHeard()
    await new Promise((resolve) => setTimeout(resolve, 400))
    expect(await lastHeard()).toBe(heardAt)
    expect(heardAt).toBeGreaterThanOrEqual(cutAt ?? Infinity)
    await runtime.dispose()
  })

  it("notifies a subscriber that fell far behind to reload", async () => {
    const server = await startPostgres()
    const { hear, publish, runtime, sql } = live(layerPostgres({ url: server.url }))
    const quick = hear("a")
    let open = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    const received: Array<Notice> = []
    runtime.runFork(
      Effect.flatMap(Notices, (all) =>
        Stream.runForEach(all.subscribe("a"), (notice) =>
          Effect.andThen(
            Effect.sync(() => received.push(notice)),
            Effect.promise(() => gate)
          )
        )
      )
    )
    while (received.length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
    await sql((sql) => sql`SELECT count(pg_notify('a', n::text)::text) FROM generate_series(1, 20000) AS s(n)`)
    // Every subscriber has been offered all notices when one has received the last one.
    await publish("a", "20001")
    await quick.until((all) => all.includes("20001"))
    open()
    while (!received.some((notice) => notice._tag === "Notice" && notice.payload === "20001")) {
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    // Missed notices are followed by a notice to reload.
    const lastListening = received.findLastIndex((notice) => notice._tag === "Listening")
    const after = received
      .slice(lastListening + 1)
      .map((notice) => (notice._tag === "Notice" ? Number(notice.payload) : 0))
    expect(lastListening).toBeGreaterThan(0)
    expect(after).toEqual(Array.from({ length: after.length }, (_, n) => 20_001 - after.length + 1 + n))
    await runtime.dispose()
    await server.stop()
  })
})
