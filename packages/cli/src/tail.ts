/** `audit tail`: prints the latest events, then follows the events that are sealed after them. */
import { connect, type Connection } from "./connection.ts"
import { exit, type ExitCode, Failure, tell, usage } from "./failure.ts"
import { passes } from "./follow.ts"
import type { TailChosen } from "./further.ts"
import type { Globals } from "./globals.ts"
import { type Io, print, say } from "./io.ts"
import { json, type Look } from "./output/answer.ts"
import { cell, listAt, member, textAt } from "./output/cell.ts"
import { tabSeparated } from "./output/columns.ts"
import { pad } from "./output/width.ts"
import { yaml } from "./output/yaml.ts"
import { resolveSettings, warnOfPlainHttp } from "./settings.ts"

const firstPollMillis = 1_000
const pollMillisMax = 10_000
/** While the server is unavailable. */
const awayMillisMax = 30_000
const pageMax = 100

const columns = ["createdAt", "action", "actorKind", "actorId", "targetId", "address"]

/** A row for a terminal. Columns are aligned unless a cell is longer than its column. */
const lineOf = (event: unknown): string =>
  [
    pad(cell(member(event, "createdAt")), 24),
    pad(cell(member(event, "action")), 22),
    pad(cell(textAt(event, "actorId") ?? member(event, "actorKind")), 30),
    cell(member(event, "targetId"))
  ].join("  ")

const render = (event: unknown, look: Look): string => {
  if (look.quiet) return textAt(event, "id") ?? ""
  if (look.format === "json" || look.format === "ndjson") return json(event, false)
  if (look.format === "yaml") return `---\n${yaml(event)}`
  return look.terminal || look.format === "table" ? lineOf(event) : tabSeparated([event], columns)
}

const place = (event: unknown): number => {
  const sequence = member(event, "sequence")
  return typeof sequence === "number" ? sequence : 0
}

const newestFirst = async (
  connection: Connection,
  query: Readonly<Record<string, string>>,
  limit: number
): Promise<ReadonlyArray<unknown>> => {
  const page = await connection.send({
    method: "GET",
    path: "/v1/audit-events",
    query: { ...query, limit: String(limit) },
    body: undefined
  })
  return listAt(page, "items")
}

/** The sealed event with the highest sequence number. No event is ever inserted before it. */
const lastSealed = async (connection: Connection): Promise<string | undefined> => {
  const sealed = (await newestFirst(connection, {}, pageMax)).filter((event) => place(event) > 0)
  const [last] = sealed.toSorted((a, b) => place(b) - place(a))
  return textAt(last, "id")
}

export const tail = async (io: Io, globals: Globals, look: Look, chosen: TailChosen): Promise<ExitCode> => {
  if (chosen.count < 0 || chosen.count > pageMax) throw usage(`--limit must be 0 to ${pageMax}.`)
  const settings = await resolveSettings(io, globals)
  if (settings.credential === undefined) {
    throw new Failure(exit.notSignedIn, "Not signed in. Run 'orgplane login', or set ORGPLANE_TOKEN.")
  }
  await warnOfPlainHttp(io, settings)
  const connection = connect(io, settings, globals.debug)
  const { filters } = chosen
  /** Events that were printed before they were sealed. They appear once more in sealed order. */
  const shown = new Set<string>()
  let anchor = chosen.after

  const show = async (events: ReadonlyArray<unknown>): Promise<number> => {
    const fresh = events.filter((event) => !shown.has(textAt(event, "id") ?? ""))
    for (const event of fresh) await print(io, render(event, look))
    return fresh.length
  }

  /** Prints the latest events. As long as no event is sealed, following starts here again. */
  const begin = async (count: number): Promise<number> => {
    // The anchor is requested first: an event between the two requests is in both responses and not lost.
    anchor = await lastSealed(connection)
    const events = count === 0 ? [] : (await newestFirst(connection, filters, count)).toReversed()
    const showed = await show(events)
    for (const event of events) shown.add(textAt(event, "id") ?? "")
    return showed
  }

  /** Prints every event that was sealed after the anchor. */
  const follow = async (): Promise<number> => {
    let showed = 0
    for (;;) {
      const events = await newestFirst(connection, { ...filters, after: anchor ?? "" }, pageMax)
      showed += await show(events)
      for (const event of events) shown.delete(textAt(event, "id") ?? "")
      anchor = textAt(events.at(-1), "id") ?? anchor
      if (events.length < pageMax) return showed
    }
  }

  if (anchor === undefined) await begin(chosen.count)
  else await follow()
  if (!chosen.follow) return exit.ok

  let wait = firstPollMillis
  let isAway = false
  for (;;) {
    await io.sleep(wait)
    try {
      const showed = anchor === undefined ? await begin(pageMax) : await follow()
      wait = showed > 0 ? firstPollMillis : Math.min(pollMillisMax, Math.round(wait * 1.5))
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
