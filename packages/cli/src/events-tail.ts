/** `events tail`: prints the latest events, then those that happen later, from the live stream. */
import { makeEventStream } from "@orgplane/client/transport"
import { connectSignedIn } from "./connection.ts"
import { exit, type ExitCode } from "./exit-code.ts"
import { usage } from "./failure.ts"
import type { Globals } from "./global-flags.ts"
import type { TailEventsInvocation } from "./invocation.ts"
import { type Io, print } from "./io.ts"
import { renderEvent } from "./output/event-line.ts"
import type { OutputOptions } from "./output/render.ts"
import { printSelected } from "./output/selection.ts"
import { cell, listAt, member, textAt } from "./output/value.ts"
import { pad } from "./output/width.ts"

const countMax = 100
const columns = ["sequence", "createdAt", "type", "actor", "object"]

const actorOf = (event: unknown): string =>
  textAt(event, "actor.email") ??
  textAt(event, "actor.name") ??
  textAt(event, "actor.id") ??
  textAt(event, "actor.kind") ??
  "-"

const objectOf = (event: unknown): string => {
  const name = textAt(event, "object.name")
  const id = textAt(event, "object.id") ?? "-"
  return name === undefined ? id : `${name} (${id})`
}

/** A row for a terminal. */
const lineOf = (event: unknown): string =>
  [
    pad(cell(member(event, "sequence")), 7),
    pad(cell(member(event, "createdAt")), 24),
    pad(cell(member(event, "type")), 26),
    pad(cell(actorOf(event)), 30),
    cell(objectOf(event))
  ].join("  ")

const valuesOf = (event: unknown) => ({
  sequence: member(event, "sequence"),
  createdAt: member(event, "createdAt"),
  type: member(event, "type"),
  actor: actorOf(event),
  object: textAt(event, "object.id") ?? null
})

const render = (event: unknown, output: OutputOptions): string =>
  renderEvent(event, output, { columns, line: () => lineOf(event), values: () => valuesOf(event) })

/** Prints events until the command is interrupted, or without `follow`, the latest ones. */
export const tailEvents = async (
  io: Io,
  globals: Globals,
  output: OutputOptions,
  { after, count, filters, follow }: TailEventsInvocation
): Promise<ExitCode> => {
  if (count < 0 || count > countMax) throw usage(`--limit must be 0 to ${countMax}.`)
  const connection = await connectSignedIn(io, globals)
  const show = async (event: unknown) => {
    if (!(await printSelected(io, event, output))) await print(io, render(event, output))
  }
  const list = (query: Readonly<Record<string, string>>) =>
    connection.send({ method: "GET", path: "/v1/events", query: { ...filters, ...query }, body: undefined })
  let position = after
  if (after === undefined && count > 0) {
    const newest = listAt(await list({ limit: String(count) }), "items").toReversed()
    for (const event of newest) await show(event)
    const last = member(newest.at(-1), "sequence")
    // Without an event, the stream starts at the next one.
    if (typeof last === "number") position = last
  }
  if (!follow) {
    if (after === undefined) return exit.ok
    // A page can be empty and have a cursor: the server has passed many events that do not match.
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
      const query = { after: String(after), limit: String(countMax) }
      const page = await list(cursor === undefined ? query : { ...query, cursor })
      for (const event of listAt(page, "items")) await show(event)
      cursor = textAt(page, "nextCursor")
    }
    return exit.ok
  }
  const stream = makeEventStream(async (lastEventId) => {
    const start = lastEventId ?? (position === undefined ? undefined : String(position))
    const query = { ...filters, ...(start === undefined ? {} : { after: start }) }
    const data = await connection.stream({ method: "GET", path: "/v1/events/stream", query, body: undefined })
    return { data, response: { status: 200, headers: new Headers(), requestId: undefined } }
  }, io.signal)
  for await (const event of stream) await show(event)
  return exit.ok
}
