/** Makes the next batch of a stream: lines of events in order, gaps, or a signed checkpoint. */
import { isSelected } from "../events/selection.ts"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import { iso } from "../../infra/sql/timestamps.ts"
import { findTruncation, sealed, type SealedContent } from "../audit/chain-repo.ts"
import { checkpointLine, gapLine, omittedLine, sealedLineOf } from "../audit/feed-lines.ts"
import { listFeedCheckpoints } from "../audit/repo.ts"
import type { Batch, BatchLine } from "./destinations.ts"
import type { SendingRow } from "./sender-repo.ts"

const eventsMax = 1000
/** Events that are read at once, so that a batch of large events does not load many more than it sends. */
const readMax = 100
/** With a backlog, a checkpoint is sent after this many events, so that what arrived can be verified. */
const checkpointEvents = 5000
const bytesMax = 1_048_576

/** An event in the database does not match its seal, so its line cannot be sent. */
export class SealBroken extends Data.TaggedError("SealBroken")<{ readonly sequence: number }> {}

export interface NextBatch extends Batch {
  /** The positions after the batch was delivered. */
  readonly position: number
  readonly checkpointPosition: number
  /** Whether its end must be stored before it is sent. */
  readonly isBounded: boolean
}

const numbered = (sequence: number) => String(sequence).padStart(16, "0")

const timeOf = (event: SealedContent) => new Date(Math.floor(Number(event.created_micros) / 1000))

/** The hash of the line before the next one; null at the start of the chain. */
const previousOf = Effect.fnUntraced(function* (
  sql: Sql,
  organizationId: Id<"org">,
  position: number,
  feedStart: number
) {
  if (position + 1 === feedStart) return null
  const [event] = yield* sealed(sql, organizationId, position - 1, position, 1)
  if (event !== undefined) return event.feed_hash
  const truncation = yield* findTruncation(sql, organizationId)
  return truncation?.sequence === position ? truncation.feed_hash : null
})

const eventBatch = Effect.fnUntraced(function* (sql: Sql, row: SendingRow, feedStart: number, feedEnd: number) {
  const { organization_id: organizationId, position } = row
  const { types_json: patterns } = row
  const selects = (type: string) => patterns.length === 0 || patterns.some((pattern) => isSelected(pattern, type))
  let previous = yield* previousOf(sql, organizationId, position, feedStart)
  const last = Math.min(row.batch_to ?? feedEnd, position + eventsMax)
  const lines: Array<BatchLine> = []
  let at = position
  let bytes = 0
  let isFull = false
  while (at < last && !isFull) {
    const events = yield* sealed(sql, organizationId, at, last, readMax)
    if (events.length === 0) return yield* new SealBroken({ sequence: at + 1 })
    for (const event of events) {
      const { feed_hash: hash, sequence } = event
      const link = { sequence, previous }
      const line = hash === null || sequence !== at + 1 ? undefined : sealedLineOf(event, link, event.hash, hash)
      if (line === undefined || hash === null) return yield* new SealBroken({ sequence: at + 1 })
      const { kind, type } = JSON.parse(line.text) as { readonly kind: string; readonly type?: string }
      const isOmitted = type !== undefined && !selects(type)
      const text = isOmitted ? omittedLine(organizationId, link, line.contentDigest) : line.text
      bytes += Buffer.byteLength(text) + 1
      isFull = row.batch_to === null && lines.length > 0 && bytes > bytesMax
      if (isFull) break
      lines.push({ text, name: isOmitted ? "omitted" : (type ?? kind), time: timeOf(event) })
      at = sequence
      previous = hash
    }
  }
  return {
    organizationId,
    lines,
    name: `${numbered(position + 1)}-${numbered(at)}`,
    time: lines[0]?.time ?? new Date(0),
    position: at,
    checkpointPosition: row.checkpoint_position,
    isBounded: row.batch_to !== at
  } satisfies NextBatch
})

/** The newest checkpoint of what was sent; its lines are empty if there is no newer one than the last that was sent. */
const checkpointBatch = Effect.fnUntraced(function* (sql: Sql, row: SendingRow, now: Date) {
  const { organization_id: organizationId, position } = row
  const [checkpoint] = yield* listFeedCheckpoints(sql, organizationId, position + 1, 1)
  const isNew = checkpoint !== undefined && checkpoint.sequence > row.checkpoint_position
  const text = isNew
    ? checkpointLine({
        organizationId,
        sequence: checkpoint.sequence,
        hash: checkpoint.hash,
        keyId: checkpoint.key_id,
        signature: checkpoint.signature,
        createdAt: iso(checkpoint.signed_at)
      })
    : undefined
  return {
    organizationId,
    lines: text === undefined ? [] : [{ text, name: "checkpoint", time: checkpoint?.signed_at ?? now }],
    name: `${numbered(checkpoint?.sequence ?? position)}-checkpoint`,
    time: checkpoint?.signed_at ?? now,
    position,
    checkpointPosition: isNew ? checkpoint.sequence : row.checkpoint_position,
    isBounded: false
  } satisfies NextBatch
})

/** The next batch, with gaps in place of deleted events. */
const batchOf = Effect.fnUntraced(function* (sql: Sql, row: SendingRow, now: Date, deleted: number) {
  const { feed_sequence: feedEnd, feed_start: feedStart, organization_id: organizationId, position } = row
  if (feedStart === null || feedEnd === null) return undefined
  if (position < feedEnd) {
    if (row.batch_to === null && position - row.checkpoint_position >= checkpointEvents) {
      const checkpoint = yield* checkpointBatch(sql, row, now)
      if (checkpoint.lines.length > 0) return checkpoint
    }
    const gaps = [
      ["not_chained", feedStart - 1],
      ["deleted", deleted]
    ] as const
    const lines: Array<BatchLine> = []
    let at = position
    for (const [reason, to] of gaps) {
      if (to <= at) continue
      lines.push({ text: gapLine(organizationId, at + 1, to, reason), name: "gap", time: now })
      at = to
    }
    if (lines.length === 0) return yield* eventBatch(sql, row, feedStart, feedEnd)
    return {
      organizationId,
      lines,
      name: `${numbered(position + 1)}-${numbered(at)}-gap`,
      time: now,
      position: at,
      checkpointPosition: row.checkpoint_position,
      isBounded: false
    } satisfies NextBatch
  }
  if (row.checkpoint_sequence <= row.checkpoint_position) return undefined
  return { ...(yield* checkpointBatch(sql, row, now)), checkpointPosition: row.checkpoint_sequence } satisfies NextBatch
})

/** The next batch; undefined if there is none. */
export const nextBatch = Effect.fnUntraced(function* (sql: Sql, row: SendingRow, now: Date) {
  const readDeleted = Effect.map(findTruncation(sql, row.organization_id), (truncation) => truncation?.sequence ?? 0)
  let deleted = yield* readDeleted
  for (;;) {
    const batch = yield* Effect.result(batchOf(sql, row, now, deleted))
    if (batch._tag === "Success") return batch.success
    const deletedBefore = deleted
    deleted = yield* readDeleted
    // Events that are deleted at the end of their retention while a batch is made are a gap, and not changed.
    if (batch.failure._tag !== "SealBroken" || deleted === deletedBefore) return yield* batch.failure
  }
})
