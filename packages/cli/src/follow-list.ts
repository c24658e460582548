/** Follows a growing list: prints the latest rows, then each new row once, in the order of the list. */
import type { Connection } from "./connection.ts"
import type { ExitCode } from "./exit-code.ts"
import { usage } from "./failure.ts"
import { type Io, print } from "./io.ts"
import { keepPolling } from "./keep-polling.ts"
import { json, type OutputOptions } from "./output/render.ts"
import { printSelected } from "./output/selection.ts"
import { listAt, textAt } from "./output/value.ts"
import { yaml } from "./output/yaml.ts"
import type { WireRequest } from "./request.ts"

const pollMillisMax = 4_000
const pageMax = 100
const countDefault = 20
const shownMax = 10_000

export interface FollowOptions {
  readonly io: Io
  readonly connection: Connection
  readonly output: OutputOptions
  /** Requests a list that is sorted newest first. */
  readonly request: WireRequest
  /** How many existing rows to print first. */
  readonly count: number | undefined
  /** Renders a row for a terminal. */
  readonly line: (row: unknown, output: OutputOptions) => string
}

const idOf = (row: unknown): string => textAt(row, "id") ?? ""

const render = (row: unknown, { line, output }: FollowOptions): string => {
  if (output.quiet) return idOf(row)
  if (output.format === "yaml") return `---\n${yaml(row)}`
  return output.format === "table" || (output.format === undefined && output.terminal)
    ? line(row, output)
    : json(row, false)
}

/**
 * Decides which rows to print. A row may be committed shortly after newer rows, so a row is printed only when the next
 * poll returns it again, together with the rows that were inserted before it.
 */
export const makeFollower = (count: number) => {
  const shown = new Set<string>()
  let unconfirmed: ReadonlySet<string> | undefined
  /** Rows with a lower ID existed before following started, or were already printed. */
  let floor = ""
  const isPast = (id: string) => id < floor || shown.has(id)

  const prune = () => {
    if (shown.size <= shownMax) return
    const removed = [...shown].slice(0, shownMax / 2)
    for (const id of removed) shown.delete(id)
    floor = [...shown].reduce((least, id) => (id < least ? id : least))
  }

  return {
    /** Whether older rows do not need to be requested. */
    isPast: (row: unknown) => unconfirmed === undefined || isPast(idOf(row)),
    hasUnconfirmed: () => unconfirmed !== undefined && unconfirmed.size > 0,
    /** Takes the rows of a poll, oldest first, and whether older ones exist. Returns the rows to print. */
    take: (rows: ReadonlyArray<unknown>, isMore: boolean): ReadonlyArray<unknown> => {
      const fresh = rows.filter((row) => !isPast(idOf(row)))
      if (unconfirmed === undefined) {
        const skipped = fresh.slice(0, Math.max(0, fresh.length - count))
        for (const row of skipped) shown.add(idOf(row))
        unconfirmed = new Set(fresh.slice(skipped.length).map(idOf))
        if (isMore) floor = idOf(fresh[0])
        return []
      }
      const previous = unconfirmed
      const confirmedCount = fresh.findLastIndex((row) => previous.has(idOf(row))) + 1
      for (const row of fresh.slice(0, confirmedCount)) shown.add(idOf(row))
      unconfirmed = new Set(fresh.slice(confirmedCount).map(idOf))
      prune()
      return fresh.slice(0, confirmedCount)
    }
  }
}

export const followList = async (options: FollowOptions): Promise<ExitCode> => {
  const { connection, io, output, request } = options
  const count = options.count ?? countDefault
  if (count < 0 || count > pageMax) throw usage(`--limit must be 0 to ${pageMax}.`)
  const follower = makeFollower(count)

  const poll = async (): Promise<number> => {
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
      cursor = items.length === 0 || follower.isPast(items.at(-1)) || next === cursor ? undefined : next
    } while (cursor !== undefined)
    const ready = follower.take(rows.toReversed(), isMore)
    for (const row of ready) {
      if (!(await printSelected(io, row, output))) await print(io, render(row, options))
    }
    return ready.length
  }

  await poll()
  return keepPolling({
    io,
    quiet: output.quiet,
    pollMillisMax,
    poll: async () => (await poll()) > 0 || follower.hasUnconfirmed()
  })
}
