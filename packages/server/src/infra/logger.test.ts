import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import { expect, it } from "vitest"
import { layerLogger } from "./logger.ts"

const away = new SqlError({
  reason: new ConnectionError({ cause: new Error("connect ECONNREFUSED"), message: "Failed", operation: "connect" })
})

/** Collects the output until a line matches. */
const collect = () => {
  const lines: Array<{ message: unknown; logLevel: string; cause?: unknown }> = []
  let wake = () => {}
  const print = (line: string) => {
    lines.push(JSON.parse(line))
    wake()
  }
  const until = async (text: string) => {
    while (!lines.some(({ message }) => JSON.stringify(message).includes(text))) {
      await new Promise<void>((done) => (wake = done))
    }
  }
  return { lines, print, until }
}

it("counts the errors of an unavailable database instead of logging each, and logs when it is available again", async () => {
  const { lines, print, until } = collect()
  await Effect.runPromise(
    Effect.gen(function* () {
      for (let count = 0; count < 800; count += 1) yield* Effect.logError("A request failed.", Cause.fail(away))
      yield* Effect.promise(() => until("799 more errors"))
      yield* Effect.logWarning("Something else.", Cause.fail(new Error("that is not of the database")))
      yield* Effect.promise(() => until("available again"))
      yield* Effect.logError("A request failed.", Cause.fail(away))
    }).pipe(Effect.provide(layerLogger("info", { pauseMillis: 20, print })))
  )
  expect(lines.map(({ message }) => String(message))).toEqual([
    "A request failed.",
    "The database is still unavailable: 799 more errors were not logged individually.",
    "Something else.",
    expect.stringMatching(/^The database is available again after an outage of about \d+ s \(800 errors\)\.$/),
    "A request failed."
  ])
})

it("never logs a line without a message", async () => {
  const { lines, print } = collect()
  await Effect.runPromise(
    Effect.gen(function* () {
      yield* Effect.logWarning(Cause.fail(new Error("The queue was cut.\nA second line.")))
      yield* Effect.logWarning(Cause.die("a text"))
      yield* Effect.logWarning("")
    }).pipe(Effect.provide(layerLogger("info", { print })))
  )
  expect(lines.map(({ message }) => message)).toEqual(["The queue was cut.", "a text", "(no message)"])
})
