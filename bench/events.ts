/**
 * What events cost: to seal them, to write one with a change, until they are in the feed, and to send them to webhook
 * endpoints and event streams.
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { fork } from "node:child_process"
import { once } from "node:events"
import { loadavg } from "node:os"
import { fileURLToPath } from "node:url"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import type { Member } from "@orgplane/schema/shared/caller"
import { ControlPlane } from "@orgplane/server"
import { AuditChain } from "../packages/server/src/identity/audit/chain.ts"
import { BootstrapService } from "../packages/server/src/identity/bootstrap/service.ts"
import { Mutate } from "../packages/server/src/infra/mutate/index.ts"
import { makeId } from "../packages/server/src/infra/ids.ts"
import { type Sql, SqlDatabase } from "../packages/server/src/infra/sql/client.ts"
import { organizationScope } from "../packages/server/src/infra/sql/organization-scope.ts"
import { usageOf } from "../packages/server/src/infra/sql/usage.ts"
import { start } from "../packages/server/src/start.ts"
import { median, openDatabase, say } from "./harness.ts"

export interface EventsOptions {
  /** Events that are sealed per version and round. */
  readonly events: number
  /** Events of the backlog that a stream sends. */
  readonly backlog: number
  /** Number of webhook endpoints: first divided among ten organizations, then all in one. A multiple of ten. */
  readonly endpoints: number
  readonly rounds: number
  /** The measurements to run. Default: all. */
  readonly work: ReadonlyArray<string> | undefined
}

/** The changes while the latency is measured. */
const changeEveryMillis = 10
const changesAtOnce = 20
/** Parts of the deliveries whose cost is measured separately. */
const windows = 10
/** Events that each endpoint receives before the measurement, at most. */
const warmUpMax = 20
/** Events of the backlog that are written at once. */
const backlogChunk = 20_000
/** How often the memory is printed while a backlog is sent. */
const memorySamples = 10
const secretKeys = ["a-secret-of-the-benchmark-and-of-nothing-else"]

const quantile = (values: ReadonlyArray<number>, share: number) => {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
}

const receiver = async () => {
  const child = fork(fileURLToPath(new URL("events-receiver.ts", import.meta.url)), { execArgv: [] })
  const [{ port }] = (await once(child, "message")) as [{ readonly port: number }]
  const counts = async () => {
    const message = once(child, "message")
    child.send("counts")
    const [found] = (await message) as [{ readonly requests: number; readonly lines: number }]
    return found
  }
  return { url: `http://127.0.0.1:${port}/events`, counts, stop: () => child.disconnect() }
}

/** What is in use is known only after a collection. */
const collectGarbage = (): void => {
  setFlagsFromString("--expose-gc")
  runInNewContext("gc")()
}

const load = () => `load ${loadavg()[0]?.toFixed(1)}`

const written = (sql: Sql, organizationId: string | null, events: number) =>
  sql`INSERT INTO audit_events (id, organization_id, action, actor_kind, actor_id, target_id, request_id, before_json,
      after_json, payload_digest, created_at)
    SELECT 'aud_' || substr(md5(random()::text || n), 1, 26), ${organizationId}::text, 'plugin.update', 'session',
      'om_01kf0x5me8e6razepq180mhf01', 'plg_01kf0x5me8e6razepq180mhf01', 'req_01kf0x5me8e6razepq180mhf01',
      '{"version":1}'::jsonb, '{"version":2}'::jsonb, md5(n::text), now()
    FROM generate_series(1, ${events}::int) n`

export const eventsBench = async ({
  backlog,
  endpoints: allEndpoints,
  events,
  rounds,
  work
}: EventsOptions): Promise<string> => {
  const database = await openDatabase()
  const options = {
    database: { kind: "postgres", url: database.url, maxConnections: 10 },
    secretKeys,
    modelsUrl: "off",
    logLevel: "none",
    outbound: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] }
  } as const
  const lines = ["| Measurement | Result |", "|---|---|"]
  const add = (name: string, result: string) => {
    say(`${name}: ${result}`)
    lines.push(`| ${name} | ${result} |`)
  }
  const isChosen = (name: string) => work === undefined || work.includes(name)
  const plane = await start({ ...options, workers: false })
  type Services = typeof plane.services extends Context.Context<infer S> ? S : never
  const run = <A, E>(effect: Effect.Effect<A, E, Services>) =>
    Effect.runPromise(Effect.provideContext(effect, plane.services))
  const sql = await run(SqlDatabase)
  const seal = () => run(Effect.flatMap(AuditChain, (chain) => chain.seal))
  const sealAll = async () => {
    for (;;) {
      await seal()
      const [row] = await run(sql<{ count: number }>`SELECT count(*)::int AS count FROM (
        SELECT 1 FROM audit_events WHERE sequence IS NULL LIMIT 1) one`)
      if (row?.count === 0) return
    }
  }
  const workspace = (name: string) => run(Effect.flatMap(BootstrapService, (service) => service.seedWorkspace(name)))
  try {
    // Events without an organization have only the first version of the seal.
    const owner = await workspace("Acme")
    const { organizationId } = owner
    await sealAll()
    const measured = async (of: string | null) => {
      await run(written(sql, of, events))
      const cpu = process.cpuUsage()
      const began = performance.now()
      await sealAll()
      const millis = performance.now() - began
      const { system, user } = process.cpuUsage(cpu)
      return { millis: millis / events, micros: (system + user) / events }
    }
    const versions: { readonly one: Array<number>; readonly two: Array<number>; readonly rate: Array<number> } = {
      one: [],
      two: [],
      rate: []
    }
    for (let round = 0; isChosen("sealing") && round < rounds; round += 1) {
      versions.one.push((await measured(null)).micros)
      const { micros, millis } = await measured(organizationId)
      versions.two.push(micros)
      versions.rate.push(1000 / millis)
    }
    if (isChosen("sealing")) {
      add(
        "sealing an event, CPU time of the process: version 2 over version 1",
        `${(median(versions.two) / median(versions.one)).toFixed(2)} (${median(versions.two).toFixed(0)} µs over ${median(versions.one).toFixed(0)} µs)`
      )
      add("events sealed per second", `${median(versions.rate).toFixed(0)} (${load()})`)
    }

    const call = async (token: string, method: string, path: string, body?: object) => {
      const response = await plane.fetch(
        new Request(`http://localhost${path}`, {
          method,
          headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
          ...(body === undefined ? {} : { body: JSON.stringify(body) })
        })
      )
      const text = await response.text()
      if (response.status >= 300) throw new Error(`${method} ${path} ended with ${response.status}: ${text}`)
      return JSON.parse(text) as { readonly item: { readonly id: string } }
    }
    // The cost of the event in a small change.
    const caller: Member = {
      kind: "member",
      organizationId,
      principal: {
        kind: "session",
        sessionId: makeId("ses"),
        userId: owner.userId,
        membershipId: owner.membershipId
      },
      isAdmin: true,
      isOwner: true,
      permissions: new Set(),
      provisional: false,
      hasManagedObjects: false,
      plan: "enterprise",
      request: {
        requestId: makeId("req"),
        address: "127.0.0.1",
        userAgent: null,
        operation: "teams.create",
        idempotency: null,
        digests: [],
        ifMatch: null,
        responseState: { headers: {}, status: undefined, isEtagPartial: false }
      }
    }
    const restrict = await run(organizationScope)
    const change = (id: string) => sql`INSERT INTO teams (id, organization_id, name, version, created_at, updated_at)
      VALUES (${id}, ${organizationId}, ${id}, 1, now(), now())`
    const changed = (id: string) =>
      Effect.flatMap(Mutate, ({ mutate }) =>
        mutate(caller, "team.create", change(id), () => ({ target: id, after: { version: 1 } }))
      )
    const withEvent = Effect.suspend(() => changed(makeId("tem")))
    const without = Effect.suspend(() =>
      sql.withTransaction(Effect.andThen(restrict(organizationId), change(makeId("tem"))))
    )
    const time = async (effect: Effect.Effect<unknown, unknown, Services>, count: number) => {
      const began = performance.now()
      const cpu = process.cpuUsage()
      await run(Effect.forEach(Array.from({ length: count }), () => effect, { discard: true }))
      const { system, user } = process.cpuUsage(cpu)
      return { millis: (performance.now() - began) / count, micros: (system + user) / count }
    }
    const count = Math.max(2, Math.min(200, events))
    const ratios: Array<number> = []
    const extra: Array<number> = []
    if (isChosen("writing")) {
      await time(withEvent, count)
      await time(without, count)
      for (let round = 0; round < rounds * 2; round += 1) {
        const [with_, bare] = [await time(withEvent, count), await time(without, count)]
        ratios.push(with_.millis / bare.millis)
        extra.push(with_.millis - bare.millis)
      }
      const create = async (index: number) => {
        const response = await plane.fetch(
          new Request("http://localhost/v1/teams", {
            method: "POST",
            headers: { authorization: `Bearer ${owner.token}`, "content-type": "application/json" },
            body: JSON.stringify({ name: `Team ${index}` })
          })
        )
        await response.text()
        if (response.status !== 201) throw new Error(`Creating a team ended with ${response.status}.`)
      }
      const requests: Array<number> = []
      for (let index = 0; index < count; index += 1) {
        const began = performance.now()
        await create(index)
        requests.push(performance.now() - began)
      }
      add(
        "writing an event with a change of one row, over the same transaction without it",
        `${median(ratios).toFixed(2)} (+${median(extra).toFixed(2)} ms; \`POST /v1/teams\` takes ${median(requests).toFixed(2)} ms)`
      )
      await sealAll()
    }

    // The backlog of a stream, before there are other consumers.
    if (isChosen("backlog")) {
      const all = await receiver()
      for (let rest = backlog; rest > 0; rest -= backlogChunk) {
        await run(written(sql, organizationId, Math.min(rest, backlogChunk)))
        await sealAll()
        const sealedCount = backlog - Math.max(0, rest - backlogChunk)
        if (sealedCount % 100_000 === 0) say(`Sealed ${sealedCount} events of the backlog`)
      }
      await call(owner.token, "POST", "/v1/event-streams", {
        name: "Archive",
        destination: { kind: "https", url: all.url },
        after: 0
      })
      const sender = await start(options)
      const began = performance.now()
      const cpu = process.cpuUsage()
      const samples: Array<string> = []
      let sent = 0
      while (sent < backlog) {
        await new Promise((resolve) => setTimeout(resolve, 200))
        sent = (await all.counts()).lines
        if (sent < (backlog * samples.length) / memorySamples) continue
        collectGarbage()
        const { external, heapUsed, rss } = process.memoryUsage()
        const memory = `${(rss / 1_048_576).toFixed(0)}/${((heapUsed + external) / 1_048_576).toFixed(0)}`
        samples.push(memory)
        say(`${sent} of ${backlog} events: ${memory} MB resident/in use`)
      }
      const seconds = (performance.now() - began) / 1000
      const used = process.cpuUsage(cpu)
      add(
        `a stream sends a backlog of ${backlog} events`,
        `${seconds.toFixed(1)} s, ${(backlog / seconds).toFixed(0)} events/s, ${((used.user + used.system) / backlog).toFixed(0)} µs of CPU time each (${load()}); ` +
          `memory after each tenth, resident/in use after a collection, in MB: ${samples.join(", ")}`
      )
      all.stop()
      await sender.dispose()
      await run(sql`DELETE FROM event_streams`)
    }

    /** Endpoints of organizations, each with its own events, which all of its endpoints receive. */
    const deliveries = async (organizations: number, ordering: "ordered" | "parallel") => {
      const hooks = await receiver()
      const endpoints = allEndpoints / organizations
      const each = Math.max(1, Math.ceil(events / allEndpoints))
      const warmUp = Math.min(warmUpMax, each)
      const owners = []
      for (let index = 0; index < organizations; index += 1) owners.push(await workspace(`Organization ${index}`))
      for (const one of owners) {
        for (let index = 0; index < endpoints; index += 1) {
          await call(one.token, "POST", "/v1/webhook-endpoints", {
            name: `Endpoint ${index}`,
            url: hooks.url,
            types: ["plugin.update"],
            permissions: ["plugins:read"],
            ordering
          })
        }
        await run(written(sql, one.organizationId, warmUp))
      }
      const sender = await start(options)
      const senderSql = await Effect.runPromise(Effect.provideContext(SqlDatabase, sender.services))
      const statements = () => usageOf(senderSql)?.statements ?? 0
      const arrived = async (count: number) => {
        while ((await hooks.counts()).requests < count) await new Promise((resolve) => setTimeout(resolve, 20))
      }
      await arrived(warmUp * allEndpoints)
      const wanted = each * allEndpoints
      for (const one of owners) await run(written(sql, one.organizationId, each))
      const began = performance.now()
      const cpu = process.cpuUsage()
      const before = statements()
      /** On a machine with other work, the lowest cost of a window is closest to the real one. */
      let lowest = Number.POSITIVE_INFINITY
      let windowCpu = process.cpuUsage()
      let windowStart = warmUp * allEndpoints
      for (let count = windowStart; count < warmUp * allEndpoints + wanted;) {
        await new Promise((resolve) => setTimeout(resolve, 20))
        count = (await hooks.counts()).requests
        if (count - windowStart < wanted / windows) continue
        const { system, user } = process.cpuUsage(windowCpu)
        lowest = Math.min(lowest, (system + user) / (count - windowStart))
        windowCpu = process.cpuUsage()
        windowStart = count
      }
      const seconds = (performance.now() - began) / 1000
      const used = process.cpuUsage(cpu)
      add(
        `${each * organizations} events of ${organizations} organizations to ${endpoints} ${ordering} webhook endpoints each: ${wanted} deliveries`,
        `${(wanted / seconds).toFixed(0)} deliveries/s, ${((used.user + used.system) / wanted).toFixed(0)} µs of CPU time (lowest tenth: ${lowest.toFixed(0)} µs) ` +
          `and ${((statements() - before) / wanted).toFixed(2)} statements each (sealing, queueing and sending; ${load()})`
      )
      hooks.stop()
      await sender.dispose()
      await run(sql`DELETE FROM webhook_endpoints`)
    }
    if (isChosen("webhooks")) {
      await deliveries(10, "ordered")
      await deliveries(10, "parallel")
      await deliveries(1, "ordered")
    }

    // From the commit of a change until a listener has its event, while others are made.
    if (isChosen("latency")) {
      const live = await ControlPlane.make(options)
      const deliveredAt = new Map<string, number>()
      const committedAt = new Map<string, number>()
      const subscription = live.onChange(({ targetId }) => {
        if (targetId !== null) deliveredAt.set(targetId, performance.now())
      })
      await subscription.ready
      const changes = Math.max(5, Math.min(2000, events))
      const pending = new Set<Promise<void>>()
      const began = performance.now()
      for (let index = 0; index < changes; index += 1) {
        const id = makeId("tem")
        const one: Promise<void> = run(changed(id)).then(() => {
          committedAt.set(id, performance.now())
          pending.delete(one)
        })
        pending.add(one)
        await new Promise((resolve) => setTimeout(resolve, changeEveryMillis))
        if (pending.size >= changesAtOnce) await Promise.race(pending)
      }
      await Promise.all(pending)
      const rate = (changes / (performance.now() - began)) * 1000
      const isDelivered = (id: string) => deliveredAt.has(id)
      for (let tries = 0; ![...committedAt.keys()].every(isDelivered) && tries < 200; tries += 1) {
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      const latencies = [...committedAt].map(([id, at]) => (deliveredAt.get(id) ?? Number.POSITIVE_INFINITY) - at)
      add(
        `from the commit of a change until a listener has its event, at ${rate.toFixed(0)} changes/s`,
        `p50 ${quantile(latencies, 0.5).toFixed(0)} ms, p99 ${quantile(latencies, 0.99).toFixed(0)} ms (${load()})`
      )
      await live.dispose()
    }
    return lines.join("\n")
  } finally {
    await plane.dispose()
    await database.stop()
  }
}
