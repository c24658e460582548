/**
 * What events cost: to seal them, to write one with a change, until they are in the feed, and to send them to webhook
 * endpoints and event streams.
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { once } from "node:events"
import { Worker } from "node:worker_threads"
import type { Member } from "@orgplane/schema/shared/caller"
import { ControlPlane } from "@orgplane/server"
import { AuditChain } from "../packages/server/src/identity/audit/chain.ts"
import { BootstrapService } from "../packages/server/src/identity/bootstrap/service.ts"
import { Mutate } from "../packages/server/src/infra/mutate/index.ts"
import { makeId } from "../packages/server/src/infra/ids.ts"
import { type Sql, SqlDatabase } from "../packages/server/src/infra/sql/client.ts"
import { organizationScope } from "../packages/server/src/infra/sql/organization-scope.ts"
import { start } from "../packages/server/src/start.ts"
import { median, openDatabase, say } from "./harness.ts"

export interface EventsOptions {
  /** Events that are sealed per version and round. */
  readonly events: number
  /** Events of the backlog that a stream sends. */
  readonly backlog: number
  readonly rounds: number
}

const endpointsMax = 100
const organizations = 10
const secretKeys = ["a-secret-of-the-benchmark-and-of-nothing-else"]

const quantile = (values: ReadonlyArray<number>, share: number) => {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
}

const receiver = async () => {
  const worker = new Worker(new URL("events-receiver.ts", import.meta.url))
  const [{ port }] = (await once(worker, "message")) as [{ readonly port: number }]
  const counts = async () => {
    const message = once(worker, "message")
    worker.postMessage("counts")
    const [found] = (await message) as [{ readonly requests: number; readonly lines: number }]
    return found
  }
  return { url: `http://127.0.0.1:${port}/events`, counts, stop: () => worker.terminate() }
}

const written = (sql: Sql, organizationId: string | null, events: number) =>
  sql`INSERT INTO audit_events (id, organization_id, action, actor_kind, actor_id, target_id, request_id, before_json,
      after_json, payload_digest, created_at)
    SELECT 'aud_' || substr(md5(random()::text || n), 1, 26), ${organizationId}::text, 'plugin.update', 'session',
      'om_01kf0x5me8e6razepq180mhf01', 'plg_01kf0x5me8e6razepq180mhf01', 'req_01kf0x5me8e6razepq180mhf01',
      '{"version":1}'::jsonb, '{"version":2}'::jsonb, md5(n::text), now()
    FROM generate_series(1, ${events}::int) n`

export const eventsBench = async ({ backlog, events, rounds }: EventsOptions): Promise<string> => {
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
    for (let round = 0; round < rounds; round += 1) {
      versions.one.push((await measured(null)).micros)
      const { micros, millis } = await measured(organizationId)
      versions.two.push(micros)
      versions.rate.push(1000 / millis)
    }
    add(
      "sealing an event, CPU time of the process: version 2 over version 1",
      `${(median(versions.two) / median(versions.one)).toFixed(2)} (${median(versions.two).toFixed(0)} µs over ${median(versions.one).toFixed(0)} µs)`
    )
    add("events sealed per second", median(versions.rate).toFixed(0))

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

    // The backlog of a stream, before there are other consumers.
    const all = await receiver()
    for (let rest = backlog; rest > 0; rest -= 100_000) {
      await run(written(sql, organizationId, Math.min(rest, 100_000)))
      await sealAll()
      say(`Sealed ${backlog - Math.max(0, rest - 100_000)} events of the backlog`)
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
    await call(owner.token, "POST", "/v1/event-streams", {
      name: "Archive",
      destination: { kind: "https", url: all.url },
      after: 0
    })
    const sender = await start(options)
    const heaps: Array<number> = []
    const began = performance.now()
    const cpu = process.cpuUsage()
    while ((await all.counts()).lines < backlog) {
      const { external, heapUsed } = process.memoryUsage()
      heaps.push((heapUsed + external) / 1_048_576)
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
    const seconds = (performance.now() - began) / 1000
    const used = process.cpuUsage(cpu)
    // Between collections, memory grows: the smallest values show what is in use.
    const half = Math.ceil(heaps.length / 2)
    const [early, late] = [Math.min(...heaps.slice(0, half)), Math.min(...heaps.slice(half - 1))]
    add(
      `a stream sends a backlog of ${backlog} events`,
      `${seconds.toFixed(1)} s, ${(backlog / seconds).toFixed(0)} events/s, ${((used.user + used.system) / backlog).toFixed(0)} µs of CPU time each; ` +
        `memory in use ${early.toFixed(0)} MB in the first half, ${late.toFixed(0)} MB in the second`
    )
    await all.stop()
    await sender.dispose()
    await run(sql`DELETE FROM event_streams`)

    // Webhook endpoints of several organizations.
    const hooks = await receiver()
    const each = Math.max(1, Math.ceil(events / endpointsMax))
    const owners = []
    for (let index = 0; index < organizations; index += 1) owners.push(await workspace(`Organization ${index}`))
    for (const one of owners) {
      for (let index = 0; index < endpointsMax / organizations; index += 1) {
        await call(one.token, "POST", "/v1/webhook-endpoints", {
          name: `Endpoint ${index}`,
          url: hooks.url,
          types: ["plugin.update"],
          permissions: ["plugins:read"]
        })
      }
      await run(written(sql, one.organizationId, each))
    }
    const hookSender = await start(options)
    const wanted = each * endpointsMax
    const hooksBegan = performance.now()
    const hooksCpu = process.cpuUsage()
    while ((await hooks.counts()).requests < wanted) await new Promise((resolve) => setTimeout(resolve, 100))
    const hookSeconds = (performance.now() - hooksBegan) / 1000
    const hooksUsed = process.cpuUsage(hooksCpu)
    add(
      `${wanted} events to ${endpointsMax} webhook endpoints`,
      `${(wanted / hookSeconds).toFixed(0)} events/s, ${((hooksUsed.user + hooksUsed.system) / wanted).toFixed(0)} µs of CPU time each (sealing, queueing, sending and receiving)`
    )
    await hooks.stop()
    await run(sql`DELETE FROM webhook_endpoints`)
    await hookSender.dispose()

    // From the commit until a listener has the event.
    const live = await ControlPlane.make(options)
    const deliveredAt = new Map<string, number>()
    const committedAt = new Map<string, number>()
    const subscription = live.onChange(({ targetId }) => {
      if (targetId !== null) deliveredAt.set(targetId, performance.now())
    })
    await subscription.ready
    const changes = Math.max(5, Math.min(300, events))
    for (let index = 0; index < changes; index += 1) {
      const id = makeId("tem")
      await run(changed(id))
      committedAt.set(id, performance.now())
      await new Promise((resolve) => setTimeout(resolve, 20 + (index % 7) * 10))
    }
    const isDelivered = (id: string) => deliveredAt.has(id)
    for (let tries = 0; ![...committedAt.keys()].every(isDelivered) && tries < 200; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    const latencies = [...committedAt].map(([id, at]) => (deliveredAt.get(id) ?? Number.POSITIVE_INFINITY) - at)
    add(
      "from the commit of a change until a listener has its event",
      `p50 ${quantile(latencies, 0.5).toFixed(0)} ms, p99 ${quantile(latencies, 0.99).toFixed(0)} ms`
    )
    await live.dispose()
    return lines.join("\n")
  } finally {
    await plane.dispose()
    await database.stop()
  }
}
