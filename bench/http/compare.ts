import { cpuMicros, median, openDatabase, type Running, say, startCandidate } from "../harness.ts"
import { load } from "../load.ts"
import { makeToken } from "../../packages/server/src/infra/crypto/tokens.ts"
import { demandAgreement, untilSealed } from "./agreement.ts"
import { type Callers, counts, fill } from "./rows.ts"
import { visiblePages } from "./visible-pages.ts"
import { candidates, type Name, type Ratios, type Work, works } from "./works.ts"

export { candidates, type Name, type Work, works } from "./works.ts"

/** Opens and fills the database. */
export const prepare = async () => {
  say("Starting and filling PostgreSQL")
  const server = await openDatabase()
  const makeTokens = () => Array.from({ length: counts.sessions }, () => makeToken("ops"))
  const callers: Callers = { members: makeTokens(), admins: makeTokens(), writers: makeTokens() }
  await fill(server.url, callers)
  return { server, callers }
}

/** Requests of one kind as bytes, with alternating sessions. */
export const requestsOf = (work: Work, callers: Callers, bodies = work.body) => {
  const all = callers[work.callers ?? "members"]
  const tokens = all.slice(0, work.sessions ?? all.length)
  let n = 0
  return () => {
    n += 1
    const body = bodies?.(n)
    const authorization = work.isPublic ? "" : `authorization: Bearer ${tokens[n % tokens.length]}\r\n`
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

const measure = async (
  running: Running,
  next: () => Buffer,
  seconds: number,
  connections: number,
  settle: () => Promise<void>
): Promise<Omit<Figure, "spread">> => {
  const before = cpuMicros(running.pid)
  const done = await load({ port: running.port, connections, seconds, next })
  await settle()
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
  const { callers, server } = await prepared()
  const pages = await visiblePages(server.url)
  const bests = new Map<string, Map<Name, Array<Omit<Figure, "spread">>>>()
  try {
    for (let round = 1; round <= effort.processes; round++) {
      const running = new Map<Name, Running>()
      try {
        for (const candidate of candidates) {
          if (!names.includes(candidate.name)) continue
          running.set(candidate.name, await startCandidate(candidate, server.url, [], pages))
        }
        const warmed = new Set<Work["warmBody"]>()
        for (const work of chosen) {
          const own = [...running].filter(([name]) => work.names?.includes(name) ?? true)
          await demandAgreement(
            own.map(([, process]) => process),
            work,
            callers,
            server.url
          )
          const next = requestsOf(work, callers)
          const warm = work.warmBody === undefined ? next : requestsOf(work, callers, work.warmBody)
          for (const [, { port }] of warmed.has(work.warmBody) ? [] : own) {
            const { connections, warmRequests, warmSeconds = warmSecondsMax } = effort
            await load({ port, connections, seconds: warmSeconds, requestsMax: warmRequests, next: warm })
          }
          if (work.warmBody !== undefined) warmed.add(work.warmBody)
          const settle = work.creates && running.has("orgplane") ? () => untilSealed(server.url) : async () => {}
          await settle()
          const seen = new Map<Name, Array<Omit<Figure, "spread">>>()
          for (let slice = 0; slice < effort.slices; slice++) {
            for (const [name, process] of own) {
              const figure = await measure(process, next, effort.seconds, effort.connections, settle)
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

/** The ratio that is required and the one to reach, such as `0.75 / 0.90`. */
const limitsOf = (name: Name, goals: Ratios = {}, floors: Ratios = {}) =>
  [floors[name], goals[name]].map((ratio) => ratio?.toFixed(2) ?? "–").join(" / ")

/** The results as a Markdown table. Ratios above 1 mean that orgplane is better. */
export const table = (result: Map<string, Map<Name, Figure>>, of: ReadonlyArray<Work> = works): string => {
  const lines = [
    "| work | server | CPU µs per request | spread | requests per second | p99 ms | orgplane's CPU ratio | floor / goal | orgplane's RPS ratio | floor / goal |",
    "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|"
  ]
  for (const [work, figures] of result) {
    const own = figures.get("orgplane")
    const { floors, goals, perSecond } = of.find(({ name }) => name === work) ?? {}
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
        isPeer ? limitsOf(name, goals, floors) : "",
        isPeer ? (own.perSecond / figure.perSecond).toFixed(2) : "",
        isPeer ? limitsOf(name, perSecond?.goals, perSecond?.floors) : ""
      ]
      lines.push(`| ${cells.join(" | ")} |`)
    }
  }
  return lines.join("\n")
}
