import { deepEqual, ok } from "node:assert/strict"
import { cpuMicros, median, openDatabase, type Running, say, startCandidate } from "../harness.ts"
import { load } from "../load.ts"
import { makeToken } from "../../packages/server/src/infra/crypto/tokens.ts"
import { counts, fill, pluginId, targetId } from "./rows.ts"

export const candidates = [
  { name: "bare", file: new URL("bare.ts", import.meta.url) },
  { name: "fastify", file: new URL("fastify.ts", import.meta.url) },
  { name: "hono", file: new URL("hono.ts", import.meta.url) },
  { name: "orgplane", file: new URL("orgplane.ts", import.meta.url) }
] as const
export type Name = (typeof candidates)[number]["name"]

export interface Work {
  readonly name: string
  /** Path of the nth request. */
  readonly path: (n: number) => string
  readonly isPublic?: true
  /** The body of the nth request, which is then a POST. */
  readonly body?: (n: number) => string
  /** Bodies for the warm-up, if the database is too slow for the measured ones. */
  readonly warmBody?: (n: number) => string
  /** Number of alternating sessions: few if there are few requests per second, so that callers stay cached. */
  readonly sessions?: number
  /** The required ratio of CPU time, peer over orgplane, per peer. */
  readonly goals: Partial<Record<Name, number>>
}

export const works: ReadonlyArray<Work> = [
  { name: "health", path: () => "/v1/health", isPublic: true, goals: { bare: 0.5, fastify: 0.65 } },
  {
    name: "one plugin",
    // A stride coprime to the count visits every row in an order that caches cannot predict.
    path: (n) => `/v1/plugins/${pluginId(1 + ((n * 7919) % counts.plugins))}`,
    goals: { bare: 0.75, fastify: 1.15, hono: 2.2 }
  },
  {
    name: "page of 50 mappings",
    path: (n) => `/v1/connector-targets/${targetId(1 + ((n * 37) % counts.targets))}/mappings?limit=50`,
    goals: { bare: 0.65, fastify: 1.1, hono: 1.4 }
  }
]

/** Opens and fills the database. */
export const prepare = async () => {
  say("Starting and filling PostgreSQL")
  const server = await openDatabase()
  const tokens = Array.from({ length: counts.sessions }, () => makeToken("ops"))
  await fill(server.url, tokens)
  return { server, tokens }
}

/** Requests of one kind as bytes, with alternating sessions. */
export const requestsOf = (work: Work, tokens: ReadonlyArray<string>, bodies = work.body) => {
  const callers = Math.min(tokens.length, work.sessions ?? tokens.length)
  let n = 0
  return () => {
    n += 1
    const body = bodies?.(n)
    const authorization = work.isPublic ? "" : `authorization: Bearer ${tokens[n % callers]}\r\n`
    if (body !== undefined) {
      const size = Buffer.byteLength(body)
      return Buffer.from(
        `POST ${work.path(n)} HTTP/1.1\r\nhost: localhost\r\n${authorization}content-type: application/json\r\ncontent-length: ${size}\r\n\r\n${body}`
      )
    }
    return Buffer.from(
      `GET ${work.path(n)} HTTP/1.1\r\nhost: localhost\r\n${authorization}accept: application/json\r\n\r\n`
    )
  }
}

export interface Figure {
  readonly cpuMicros: number
  /** The relative difference between the highest and the lowest result of the processes. */
  readonly spread: number
  readonly perSecond: number
  readonly p99Millis: number
}

export interface Effort {
  readonly processes: number
  readonly slices: number
  readonly seconds: number
  /** Number of warm-up requests, within 30 seconds: the compiler optimizes functions by how often they are called. */
  readonly warmRequests: number
  /** Overrides the maximum time of the warm-up. */
  readonly warmSeconds?: number
  readonly connections: number
}

const warmSecondsMax = 30

/** Fails unless every candidate returns 204 for a valid batch and 400 for an empty one. */
const demandIngestion = async (running: Iterable<Running>, work: Work, token: string) => {
  for (const { name, port } of running) {
    for (const [body, status] of [
      [work.body?.(0) ?? "", 204],
      ['{"events":[]}', 400]
    ] as const) {
      const response = await fetch(`http://127.0.0.1:${port}${work.path(1)}`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body
      })
      ok(response.status === status, `${name} returns ${response.status} for ${work.name}, not ${status}`)
    }
  }
}

/** Fails unless all candidates return the same body; only the format of cursors may differ. */
const demandAgreement = async (running: Iterable<Running>, work: Work, token: string) => {
  let first: { readonly name: string; readonly body: unknown } | undefined
  for (const { name, port } of running) {
    const response = await fetch(`http://127.0.0.1:${port}${work.path(1)}`, {
      headers: { authorization: `Bearer ${token}` }
    })
    const body: unknown = await response.json()
    if (typeof body === "object" && body !== null && "nextCursor" in body) {
      ok(typeof body.nextCursor === "string", `${name} returns no next page`)
      body.nextCursor = "a cursor"
    }
    first ??= { name, body }
    deepEqual(body, first.body, `${name} and ${first.name} return different bodies for ${work.name}`)
  }
}

const measure = async (
  running: Running,
  next: () => Buffer,
  seconds: number,
  connections: number
): Promise<Omit<Figure, "spread">> => {
  const before = cpuMicros(running.pid)
  const done = await load({ port: running.port, connections, seconds, next })
  return {
    cpuMicros: (cpuMicros(running.pid) - before) / done.requests,
    perSecond: done.requests / done.seconds,
    p99Millis: done.p99Millis
  }
}

/** Runs all candidates and alternates between them in short slices, so that slow moments of the machine affect all. */
export const compare = async (
  names: ReadonlyArray<Name>,
  chosen: ReadonlyArray<Work>,
  effort: Effort,
  prepared: () => ReturnType<typeof prepare> = prepare
): Promise<Map<string, Map<Name, Figure>>> => {
  const { server, tokens } = await prepared()
  const bests = new Map<string, Map<Name, Array<Omit<Figure, "spread">>>>()
  try {
    for (let round = 1; round <= effort.processes; round++) {
      const running = new Map<Name, Running>()
      try {
        for (const candidate of candidates) {
          if (names.includes(candidate.name)) running.set(candidate.name, await startCandidate(candidate, server.url))
        }
        const warmed = new Set<Work["warmBody"]>()
        for (const work of chosen) {
          const next = requestsOf(work, tokens)
          await (work.body === undefined ? demandAgreement : demandIngestion)(running.values(), work, tokens[0] ?? "")
          const warm = work.warmBody === undefined ? next : requestsOf(work, tokens, work.warmBody)
          for (const { port } of warmed.has(work.warmBody) ? [] : running.values()) {
            const { connections, warmRequests, warmSeconds = warmSecondsMax } = effort
            await load({ port, connections, seconds: warmSeconds, requestsMax: warmRequests, next: warm })
          }
          if (work.warmBody !== undefined) warmed.add(work.warmBody)
          const seen = new Map<Name, Array<Omit<Figure, "spread">>>()
          for (let slice = 0; slice < effort.slices; slice++) {
            for (const [name, process] of running) {
              const figure = await measure(process, next, effort.seconds, effort.connections)
              seen.set(name, [...(seen.get(name) ?? []), figure])
            }
          }
          const ofWork = bests.get(work.name) ?? new Map<Name, Array<Omit<Figure, "spread">>>()
          bests.set(work.name, ofWork)
          for (const [name, figures] of seen) {
            const best = {
              cpuMicros: Math.min(...figures.map((figure) => figure.cpuMicros)),
              perSecond: Math.max(...figures.map((figure) => figure.perSecond)),
              p99Millis: Math.min(...figures.map((figure) => figure.p99Millis))
            }
            ofWork.set(name, [...(ofWork.get(name) ?? []), best])
            say(
              `process ${round}/${effort.processes}  ${work.name}  ${name}: ${best.cpuMicros.toFixed(1)} µs, ` +
                `${best.perSecond.toFixed(0)} requests per second`
            )
          }
        }
      } finally {
        for (const process of running.values()) await process.stop()
      }
    }
  } finally {
    await server.stop()
  }
  return new Map(
    [...bests].map(([work, ofWork]) => [
      work,
      new Map(
        [...ofWork].map(([name, figures]) => [
          name,
          {
            cpuMicros: median(figures.map((figure) => figure.cpuMicros)),
            spread: spreadOf(figures.map((figure) => figure.cpuMicros)),
            perSecond: median(figures.map((figure) => figure.perSecond)),
            p99Millis: median(figures.map((figure) => figure.p99Millis))
          }
        ])
      )
    ])
  )
}

const spreadOf = (values: ReadonlyArray<number>) => Math.max(...values) / Math.min(...values) - 1

/** A larger spread between processes of bare means that the machine was busy. */
const bareSpreadMax = 0.15

/** Reasons why the run is not valid, from its own results. */
export const doubts = (result: Map<string, Map<Name, Figure>>): ReadonlyArray<string> =>
  [...result].flatMap(([work, figures]) => {
    const bare = figures.get("bare")
    return bare !== undefined && bare.spread > bareSpreadMax
      ? [
          `The results of bare for ${work} varied by ${(bare.spread * 100).toFixed(0)}% between processes. Run the benchmark again.`
        ]
      : []
  })

/** The results as a Markdown table. Ratios are peer over orgplane, so higher is better. */
export const table = (result: Map<string, Map<Name, Figure>>, of: ReadonlyArray<Work> = works): string => {
  const lines = [
    "| work | server | CPU µs per request | spread | requests per second | p99 ms | orgplane's CPU ratio | floor | orgplane's RPS ratio |",
    "|---|---|---:|---:|---:|---:|---:|---:|---:|"
  ]
  for (const [work, figures] of result) {
    const own = figures.get("orgplane")
    const goals = of.find(({ name }) => name === work)?.goals
    for (const [name, figure] of figures) {
      const isPeer = own !== undefined && name !== "orgplane"
      const cells = [
        work,
        name,
        figure.cpuMicros.toFixed(1),
        `${(figure.spread * 100).toFixed(0)} %`,
        figure.perSecond.toFixed(0),
        figure.p99Millis.toFixed(1),
        isPeer ? (figure.cpuMicros / own.cpuMicros).toFixed(2) : "",
        isPeer ? (goals?.[name]?.toFixed(2) ?? "") : "",
        isPeer ? (own.perSecond / figure.perSecond).toFixed(2) : ""
      ]
      lines.push(`| ${cells.join(" | ")} |`)
    }
  }
  return lines.join("\n")
}
