import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import * as TestClock from "effect/testing/TestClock"
import * as Tracer from "effect/Tracer"
import { expect, it, vi } from "vitest"
import { until } from "../content/connectors.fixture.ts"
import { engine, makeControlPlane, makeDatabase, makeWorkspace, runSql } from "../harness.ts"

/** A control plane whose clock the test advances, and the statements that it sends. */
const makeTimed = async () => {
  const clock = await Effect.runPromise(Effect.scoped(TestClock.make()))
  await Effect.runPromise(clock.setTime(Date.now()))
  const spans: Array<Tracer.Span> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      if (options.kind === "client") spans.push(span)
      return span
    }
  })
  const references = Layer.mergeAll(
    Layer.succeed(Clock.Clock, clock),
    Layer.succeed(Tracer.Tracer, tracer),
    Layer.succeed(References.TracerEnabled, true)
  )
  const database = await makeDatabase()
  const plane = await makeControlPlane({ database }, references)
  /** Waits until each statement has its result and none follows, so that work is done in the second in which it is due. */
  const settled = () => {
    let sent = -1
    return vi.waitFor(
      () => {
        const before = sent
        sent = spans.length
        expect([spans.some(({ status }) => status._tag === "Started"), sent]).toEqual([false, before])
      },
      { interval: 5, timeout: 30_000 }
    )
  }
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      await Effect.runPromise(clock.adjust("1 second"))
      await settled()
    }
  }
  return { database, pass, plane, spans }
}

const { database, pass, plane, spans } = await makeTimed()

const unsealed = async () => {
  const [row] = await runSql(
    plane,
    (sql) => sql<{ count: number }>`SELECT count(*)::int AS count FROM audit_events WHERE sequence IS NULL`
  )
  return row?.count
}

it("an idle server queries its database a few times per minute, not each second", async () => {
  // The work after startup is complete: the first analysis, the first purge, the first checkpoints.
  await pass(120)
  const first = spans.length
  await pass(60)
  const texts = spans.slice(first).map((span) => String(span.attributes.get("db.query.text")).slice(0, 120))
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  const often = [...counts].toSorted(([, a], [, b]) => b - a)
  expect(often.filter(([, count]) => count > 20)).toEqual([])
  expect([texts.length > 0, texts.length <= 130 || often]).toEqual([true, true])
})

it("a change wakes the work that depends on it at once", async () => {
  await pass(3)
  await makeWorkspace(plane)
  expect(await until(unsealed, (count) => count === 0)).toBe(0)
})

it.runIf(engine === "postgres")("a change in a process without workers wakes those of another process", async () => {
  const other = await makeControlPlane({ database, workers: false })
  await pass(3)
  await makeWorkspace(other)
  expect(await until(unsealed, (count) => count === 0)).toBe(0)
})

it("handles all readiness requests within one second with one check", async () => {
  const ready = (): Promise<number> =>
    plane.fetch(new Request("http://localhost/v1/ready")).then(({ status }) => status)
  const checks = () =>
    spans.filter((span) => String(span.attributes.get("db.query.text")).includes("effect_queue LIMIT 1"))
  await pass(2)
  const before = checks().length
  expect(new Set(await Promise.all(Array.from({ length: 50 }, ready)))).toEqual(new Set([200]))
  expect(checks().length - before).toBe(1)
  await pass(1)
  expect(await ready()).toBe(200)
  expect(checks().length - before).toBe(2)
})
