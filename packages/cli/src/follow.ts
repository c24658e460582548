/** A list as it grows: the last rows, then each that comes, in the list's own order and once. */
import type { Connection } from "./connection.ts"
import { exit, type ExitCode, tell, usage } from "./failure.ts"
import { type Io, print, say } from "./io.ts"
import { json, type Look } from "./output/answer.ts"
import { listAt, textAt } from "./output/cell.ts"
import { yaml } from "./output/yaml.ts"
import type { WireRequest } from "./request.ts"

const firstPollMillis = 1_000
const pollMillisMax = 4_000
/** While the server does not answer. */
const awayMillisMax = 30_000
const pageMax = 100
const countUsual = 20
const knownMax = 10_000

export interface Following {
  readonly io: Io
  readonly connection: Connection
  readonly look: Look
  /** Of a list whose newest row comes first. */
  readonly request: WireRequest
  /** How many of the past are shown first. */
  readonly count: number | undefined
  /** A row for people. */
  readonly line: (row: unknown, look: Look) => string
}

const idOf = (row: unknown): string => textAt(row, "id") ?? ""

const render = (row: unknown, { line, look }: Following): string => {
  if (look.quiet) return idOf(row)
  if (look.format === "yaml") return `---\n${yaml(row)}`
  return look.format === "table" || (look.format === undefined && look.terminal) ? line(row, look) : json(row, false)
}

/**
 * Which rows to show now. A row may be written a moment after younger ones, so one is shown only when a later look has
 * found it again, with whatever came before it by then.
 */
export const makeFollower = (count: number) => {
  const shown = new Set<string>()
  let waiting: ReadonlySet<string> | undefined
  /** Rows below it are of the past. */
  let floor = ""
  const isOver = (id: string) => id < floor || shown.has(id)

  const forget = () => {
    if (shown.size <= knownMax) return
    const gone = [...shown].slice(0, knownMax / 2)
    for (const id of gone) shown.delete(id)
    floor = [...shown].reduce((least, id) => (id < least ? id : least))
  }

  return {
    /** Nothing below it is asked for. */
    isOver: (row: unknown) => waiting === undefined || isOver(idOf(row)),
    isWaiting: () => waiting !== undefined && waiting.size > 0,
    /** Rows as a look found them, the oldest first, and whether there are older ones; answers those to show. */
    take: (rows: ReadonlyArray<unknown>, isMore: boolean): ReadonlyArray<unknown> => {
      const open = rows.filter((row) => !isOver(idOf(row)))
      if (waiting === undefined) {
        const past = open.slice(0, Math.max(0, open.length - count))
        for (const row of past) shown.add(idOf(row))
        waiting = new Set(open.slice(past.length).map(idOf))
        if (isMore) floor = idOf(open[0])
        return []
      }
      const before = waiting
      const settled = open.findLastIndex((row) => before.has(idOf(row))) + 1
      for (const row of open.slice(0, settled)) shown.add(idOf(row))
      waiting = new Set(open.slice(settled).map(idOf))
      forget()
      return open.slice(0, settled)
    }
  }
}

/** A server that restarts or has too much to do comes back; one that says no does not. */
export const passes = (error: unknown): boolean => {
  const { exitCode, status } = tell(error)
  return exitCode === exit.network || exitCode === exit.rateLimited || (status !== undefined && status >= 500)
}

export const followList = async (following: Following): Promise<ExitCode> => {
  const { connection, io, look, request } = following
  const count = following.count ?? countUsual
  if (count < 0 || count > pageMax) throw usage(`--limit must be 0 to ${pageMax}.`)
  const follower = makeFollower(count)

  const lookAgain = async (): Promise<number> => {
    const rows: Array<unknown> = []
    let cursor: string | undefined
    let isMore: boolean
    do {
      const page = await connection.send({
        ...request,
        query: { ...request.query, limit: String(pageMax), ...(cursor === undefined ? {} : { cursor }) }
      })
      const items = listAt(page, "items")
      rows.push(...items)
      const next = textAt(page, "nextCursor")
      isMore = next !== undefined
      cursor = items.length === 0 || follower.isOver(items.at(-1)) || next === cursor ? undefined : next
    } while (cursor !== undefined)
    const now = follower.take(rows.toReversed(), isMore)
    for (const row of now) await print(io, render(row, following))
    return now.length
  }

  await lookAgain()
  let wait = firstPollMillis
  let isAway = false
  for (;;) {
    await io.sleep(wait)
    try {
      const showed = await lookAgain()
      wait = showed > 0 || follower.isWaiting() ? firstPollMillis : Math.min(pollMillisMax, Math.round(wait * 1.5))
      isAway = false
    } catch (error) {
      if (io.signal.aborted || !passes(error)) throw error
      // Said once, not at each try.
      if (!isAway && !look.quiet) await say(io, `orgplane: ${tell(error).message} It is tried again.`)
      isAway = true
      wait = Math.min(awayMillisMax, wait * 2)
    }
  }
}
