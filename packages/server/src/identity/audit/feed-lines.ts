/**
 * The lines of the feed, as streams send them. The hash of each line is in the next one, so their bytes never change:
 * they contain no current names, and members are never added to a version.
 *
 * The hash of a line covers its place in the chain and the digest of its content, which is the line without `previous`. A
 * line in place of an event contains the same digest, so a receiver computes every hash and never has to trust one.
 */
import { auditActionOf, type StoredAuditAction } from "@orgplane/schema/shared/audit-actions"
import { eventTypes, eventVisibilityOf } from "@orgplane/schema/shared/event-types"
import { canonicalJson } from "../../infra/canonical-json.ts"
import { sha256 } from "../../infra/crypto/digest.ts"
import type { Content } from "./chain-repo.ts"

const version = 2
const currentTypes: ReadonlySet<string> = new Set(eventTypes)

/** Where a line is in the chain. */
export interface Link {
  readonly sequence: number
  /** The hash of the line before; null for the first line. */
  readonly previous: string | null
}

/** The text of a line, the digest of its content, and its hash in the chain. */
export interface Line {
  readonly text: string
  readonly contentDigest: string
  readonly hash: string
}

const hashOf = (organizationId: string, { previous, sequence }: Link, contentDigest: string): string =>
  sha256(`orgplane feed line\n${version}\n${organizationId}\n${sequence}\n${previous ?? ""}\n${contentDigest}\n`)

/** A line from its content, which is the text before and after the member `previous`. */
const lineFrom = (event: Content, link: Link, before: string, after: string): Line => {
  const contentDigest = sha256(`${before}${after}`)
  return {
    text: `${before},"previous":${JSON.stringify(link.previous)}${after}`,
    contentDigest,
    hash: hashOf(event.organization_id ?? "", link, contentDigest)
  }
}

const timeOf = (micros: string) => new Date(Math.floor(Number(micros) / 1000)).toISOString()

const canonicalOf = (text: string | null): string => (text === null ? "null" : canonicalJson(JSON.parse(text)))

/**
 * A line with the content of an event, as `canonicalJson` writes it. Every event is sealed with it, so the members are
 * written in their known order and not sorted, which takes less time.
 */
const eventLine = (event: Content, link: Link): Line =>
  lineFrom(
    event,
    link,
    `{"actor":{"id":${JSON.stringify(event.actor_id)},"kind":${JSON.stringify(event.actor_kind)}}` +
      `,"after":${canonicalOf(event.after_text)},"before":${canonicalOf(event.before_text)}` +
      `,"createdAt":"${timeOf(event.created_micros)}","id":${JSON.stringify(event.id)},"kind":"event"` +
      `,"objectId":${JSON.stringify(event.target_id)},"organizationId":${JSON.stringify(event.organization_id)}`,
    `,"requestId":${JSON.stringify(event.request_id)},"sequence":${link.sequence}` +
      `,"type":${JSON.stringify(auditActionOf(event.action as StoredAuditAction))},"version":${version}}`
  )

/** A line for an event about personal data: its first seal, which is keyed, so it reveals nothing about the event. */
const personalLine = (event: Content, link: Link, seal: string): Line =>
  lineFrom(
    event,
    link,
    `{"kind":"personal","organizationId":${JSON.stringify(event.organization_id)}`,
    `,"seal":${JSON.stringify(seal)},"sequence":${link.sequence},"version":${version}}`
  )

/**
 * Whether this release knows the stored type. A process of a newer release can write others during a rolling upgrade, and
 * only it knows whether they are about personal data.
 */
export const isKnownAction = (action: string): boolean => currentTypes.has(auditActionOf(action as StoredAuditAction))

/** Whether only the person who acted can see events of this stored type. */
const isPersonal = (action: string): boolean => {
  const type = auditActionOf(action as StoredAuditAction)
  return !isKnownAction(action) || eventVisibilityOf(type) === "self"
}

/** The line of an event that is being sealed. `seal` is its hash in the first version of the seal. */
export const lineOf = (event: Content, link: Link, seal: string): Line =>
  isPersonal(event.action) ? personalLine(event, link, seal) : eventLine(event, link)

/**
 * The line of an event that was sealed with this hash; undefined if the event or its seal was changed. A later release can
 * change which events are personal, so the hash decides.
 */
export const sealedLineOf = (event: Content, link: Link, seal: string, hash: string): Line | undefined =>
  [eventLine(event, link), personalLine(event, link, seal)].find((line) => line.hash === hash)

/** A line in place of an event that a stream does not select. It continues the chain with the digest of the content. */
export const omittedLine = (organizationId: string, { previous, sequence }: Link, contentDigest: string): string =>
  canonicalJson({ version, kind: "omitted", organizationId, sequence, previous, contentDigest })

/** `deleted`: at the end of their retention. `not_chained`: only the first version of the seal covers them. */
export type GapReason = "deleted" | "not_chained"

/** A line in place of events that cannot be sent. */
export const gapLine = (organizationId: string, from: number, to: number, reason: GapReason): string =>
  canonicalJson({ version, kind: "gap", organizationId, from, to, reason })

export interface FeedCheckpoint {
  readonly organizationId: string
  readonly sequence: number
  readonly hash: string
  readonly createdAt: string
}

/** The signed text of a checkpoint of the feed, which is never that of another signature. */
export const feedCheckpointText = ({ createdAt, hash, organizationId, sequence }: FeedCheckpoint) =>
  new TextEncoder().encode(`orgplane feed checkpoint\n${organizationId}\n${sequence}\n${hash}\n${createdAt}\n`)

export const checkpointLine = (
  checkpoint: FeedCheckpoint & { readonly keyId: string; readonly signature: string }
): string => canonicalJson({ version, kind: "checkpoint", ...checkpoint })
