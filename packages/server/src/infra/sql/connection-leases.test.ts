import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Scope from "effect/Scope"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { startPostgres, type StartedPostgres } from "../../../../../test/postgres/start.ts"
import { SqlDatabase } from "./client.ts"
import { makeConnectionLeases } from "./connection-leases.ts"
import { layerPostgres } from "./postgres.ts"

let server: StartedPostgres
const disposals: Array<() => Promise<void>> = []
beforeAll(async () => {
  server = await startPostgres()
})
afterEach(async () => {
  for (const dispose of disposals.splice(0)) await dispose()
})
afterAll(() => server.stop())

/** A client with two connections. Leases and transactions have only one of them, so one waits for the other. */
const open = async (keptMillis: number) => {
  const runtime = ManagedRuntime.make(layerPostgres({ url: server.url, maxConnections: 2 }))
  disposals.push(() => runtime.dispose())
  const sql = await runtime.runPromise(SqlDatabase)
  const scope = Scope.makeUnsafe()
  const withConnection = await runtime.runPromise(Scope.provide(makeConnectionLeases(sql, keptMillis), scope))
  const order: Array<string> = []
  const note = (name: string) => () => Effect.sync(() => order.push(name))
  return {
    order,
    write: (name: string, text = "SELECT 1") =>
      runtime.runPromise(
        Effect.exit(withConnection((connection) => Effect.tap(connection.executeValues(text, []), note(name))))
      ),
    transact: () => runtime.runPromise(sql.withTransaction(Effect.tap(sql`SELECT 1`, note("transaction")))),
    close: () => runtime.runPromise(Scope.close(scope, Exit.void))
  }
}
/** Longer than a test takes. */
const longMillis = 600_000

describe("the lease of a connection", () => {
  it("is kept for consecutive statements, also while a transaction waits, and ends when the leases are closed", async () => {
    const { close, order, transact, write } = await open(longMillis)
    await write("first")
    const transaction = transact()
    await write("second")
    await write("third")
    await close()
    await transaction
    expect(order).toEqual(["first", "second", "third", "transaction"])
    await write("fourth")
    await transact()
    expect(order.slice(4)).toEqual(["fourth", "transaction"])
  })

  it("ends after its time, so that a client with two connections still serves transactions", async () => {
    const { order, transact, write } = await open(1)
    await write("first")
    await transact()
    await write("second")
    await transact()
    expect(order).toEqual(["first", "transaction", "second", "transaction"])
  })

  it("ends with the statement during which its time ends", async () => {
    const { order, transact, write } = await open(1)
    await write("first", "SELECT pg_sleep(0.1)")
    await transact()
    expect(order).toEqual(["first", "transaction"])
  })

  it("ends with a statement that fails", async () => {
    const { order, transact, write } = await open(longMillis)
    expect(Exit.isFailure(await write("first", "SELECT 1 / 0"))).toBe(true)
    await transact()
    expect(order).toEqual(["transaction"])
  })
})
