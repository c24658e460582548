/** The texts that sealing and signing cover. */
import type { ChainRow, Content, Truncation } from "./chain-repo.ts"

/** What the sealing key is used for. */
export const chainPurpose = "audit-chain"

/** The sealed text: the sequence number, the hash of everything before it, and the exact event. */
export const sealedText = (previous: string, chain: string, sequence: number, event: Content) =>
  JSON.stringify([
    1,
    previous,
    chain,
    sequence,
    event.id,
    event.organization_id,
    event.action,
    event.actor_kind,
    event.actor_id,
    event.credential_id,
    event.target_id,
    event.request_id,
    event.address,
    event.user_agent,
    event.before_text,
    event.after_text,
    event.payload_digest,
    event.created_micros,
    event.txid
  ])

/** The signed text of a checkpoint. */
export const checkpointText = (chain: ChainRow) =>
  new TextEncoder().encode(`${chain.organization_id}.${chain.sequence}.${chain.hash}`)

/** The signed text of a truncation, which is never that of a checkpoint. */
export const truncationText = ({ event_count, hash, organization_id, sequence, truncated_at }: Truncation) =>
  new TextEncoder().encode(
    `truncation.${organization_id}.${sequence}.${hash}.${event_count}.${truncated_at.toISOString()}`
  )
