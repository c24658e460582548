/** Follows a growing list: prints the latest rows, then each new row once, in the order of the list. */
import type { Connection } from "./connection.ts"
import { exit, type ExitCode, tell, usage } from "./failure.ts"
import { type Io, print, say } from "./io.ts"
import { json, type Look } from "./output/answer.ts"
import { listAt, textAt } from "./output/cell.ts"
import { yaml } from "./output/yaml.ts"
import type { WireRequest } from "./request.ts"

const firstPollMillis = 1_000
const pollMillisMax = 4_000
/** While the server is unavailable. */
const awayMillisMax = 30_000
const pageMax = 100
const countUsual = 20
const knownMax = 10_000

export interface Following {
  readonly io: Io
  readonly connection: Connection
  readonly look: Look
  /** Requests a list that is sorted newest first. */
  readonly request: WireRequest
  /** How many existing rows to print first. */
  readonly count: number | undefined
  /** Renders a row for a terminal. */
  readonly line: (row: unknown, look: Look) => string
}

const idOf = (row: unknown): string => textAt(row, "id") ?? ""

const render = (row: unknown, { line, look }: Following): string => {
  if (look.quiet) return idOf(row)
  if (look.format === "yaml") return `---\n${yaml(row)}`
  return look.format === "table" || (look.format === undefined && look.terminal) ? line(row, look) : json(row, false)
}

/**
 * Decides which rows to print. A row may be committed shortly after newer rows, so a row is printed only when the next
 * poll returns it again, together with the rows that were inserted before it.
 */
export const makeFollower = (count: number) => {
  const shown = new Set<string>()
  let waiting: ReadonlySet<string> | undefined
  /** Rows with a lower ID existed before following started, or were already printed. */
  let floor = ""
  const isOver = (id: string) => id < floor || shown.has(id)

  const forget = () => {
    if (shown.size <= knownMax) return
    const gone = [...shown].slice(0, knownMax / 2)
    for (const id of gone) shown.delete(id)
    floor = [...shown].reduce((least, id) => (id < least ? id : least))
  }

  return {
    /** Whether older rows do not need to be requested. */
    isOver: (row: unknown) => waiting === undefined || isOver(idOf(row)),
    isWaiting: () => waiting !== undefined && waiting.size > 0,
    /** Takes the rows of a poll, oldest first, and whether older ones exist. Returns the rows to print. */
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

/** Whether an error is transient: the server is unreachable, overloaded or rate limiting. */
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
      // Print this once, not at every attempt.
      if (!isAway && !look.quiet) await say(io, `orgplane: ${tell(error).message} Retrying.`)
      isAway = true
      wait = Math.min(awayMillisMax, wait * 2)
    }
  }
}
