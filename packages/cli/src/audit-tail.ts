/** `audit tail`: prints the latest events, then follows the events that are sealed after them. */
import { type Connection, connectSignedIn } from "./connection.ts"
import { exit, type ExitCode } from "./exit-code.ts"
import { usage } from "./failure.ts"
import type { TailInvocation } from "./invocation.ts"
import type { Globals } from "./global-flags.ts"
import { type Io, print } from "./io.ts"
import { keepPolling } from "./keep-polling.ts"
import { renderEvent } from "./output/event-line.ts"
import type { OutputOptions } from "./output/render.ts"
import { printSelected } from "./output/selection.ts"
import { cell, listAt, member, textAt } from "./output/value.ts"
import { pad } from "./output/width.ts"
import { checkAuditFilters, nameResolver } from "./resolve-names.ts"

const pollMillisMax = 10_000
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

const render = (event: unknown, output: OutputOptions): string =>
  renderEvent(event, output, { columns, line: () => lineOf(event), values: () => event })

const sequenceOf = (event: unknown): number => {
  const sequence = member(event, "sequence")
  return typeof sequence === "number" ? sequence : 0
}

const listNewest = async (
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
  const sealed = (await listNewest(connection, {}, pageMax)).filter((event) => sequenceOf(event) > 0)
  const [last] = sealed.toSorted((a, b) => sequenceOf(b) - sequenceOf(a))
  return textAt(last, "id")
}

export const tail = async (
  io: Io,
  globals: Globals,
  output: OutputOptions,
  invocation: TailInvocation
): Promise<ExitCode> => {
  if (invocation.count < 0 || invocation.count > pageMax) throw usage(`--limit must be 0 to ${pageMax}.`)
  const { actorId, targetId } = invocation.filters
  checkAuditFilters({ member: invocation.member, "actor-id": actorId, "target-id": targetId })
  const connection = await connectSignedIn(io, globals)
  const filters =
    invocation.member === undefined
      ? invocation.filters
      : {
          ...invocation.filters,
          actorId: await nameResolver(connection).idOf("audit.list", "orgMembershipId", invocation.member)
        }
  /** Events that were printed before they were sealed. They appear once more in sequence order. */
  const shown = new Set<string>()
  let anchor = invocation.after

  const printEvents = async (events: ReadonlyArray<unknown>): Promise<number> => {
    const fresh = events.filter((event) => !shown.has(textAt(event, "id") ?? ""))
    for (const event of fresh) {
      if (!(await printSelected(io, event, output))) await print(io, render(event, output))
    }
    return fresh.length
  }

  /** Prints the latest events. As long as no event is sealed, following starts here again. */
  const printLatest = async (count: number): Promise<number> => {
    // The anchor is requested first: an event between the two requests is in both responses and not lost.
    anchor = await lastSealed(connection)
    const events = count === 0 ? [] : (await listNewest(connection, filters, count)).toReversed()
    const printed = await printEvents(events)
    for (const event of events) shown.add(textAt(event, "id") ?? "")
    return printed
  }

  /** Prints every event that was sealed after the anchor. */
  const printNew = async (): Promise<number> => {
    let printed = 0
    for (;;) {
      const events = await listNewest(connection, { ...filters, after: anchor ?? "" }, pageMax)
      printed += await printEvents(events)
      for (const event of events) shown.delete(textAt(event, "id") ?? "")
      anchor = textAt(events.at(-1), "id") ?? anchor
      if (events.length < pageMax) return printed
    }
  }

  if (anchor === undefined) await printLatest(invocation.count)
  else await printNew()
  if (!invocation.follow) return exit.ok

  return keepPolling({
    io,
    quiet: output.quiet,
    pollMillisMax,
    poll: async () => (anchor === undefined ? await printLatest(pageMax) : await printNew()) > 0
  })
}
