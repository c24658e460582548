/** What an item that needs attention means, and the page where it is decided or mended. */
import type { AttentionItem, AttentionKind } from "@orgplane/client"

export interface Target {
  readonly to: string
  readonly search?: Readonly<Record<string, string>>
}

interface KindInfo {
  /** Follows the name of the object. */
  readonly says: string
  /** The link, such as "Review". */
  readonly action: string
  readonly target: (item: AttentionItem) => Target
}

const idOf = ({ object }: AttentionItem) => object.id
/** The object that contains the object; the object itself if it has none. */
const parentOf = ({ object, parent }: AttentionItem) => parent?.id ?? object.id

const sync = (item: AttentionItem): Target => ({ to: `/connectors/${parentOf(item)}/syncs/${idOf(item)}` })
const rollout = (item: AttentionItem): Target => ({ to: `/rollouts/${idOf(item)}` })
const run = (item: AttentionItem): Target => ({ to: `/configuration/runs/${idOf(item)}` })
const sso = (): Target => ({ to: "/sso" })
const directory = (tab: string) => (item: AttentionItem) => ({ to: `/scim/${parentOf(item)}`, search: { tab } })

export const attentionKinds: Readonly<Record<AttentionKind, KindInfo>> = {
  sync_approval: { says: "A sync that would remove many objects is pending approval.", action: "Review", target: sync },
  release_approval: {
    says: "A release is pending approval.",
    action: "Review",
    target: (item) => ({ to: `/releases/${idOf(item)}` })
  },
  rollout_promotion: { says: "The next ring waits for promotion.", action: "Decide", target: rollout },
  rollout_paused: { says: "The rollout is paused.", action: "Decide", target: rollout },
  mcp_review: {
    says: "The server differs from its accepted state.",
    action: "Review",
    target: (item) => ({ to: `/mcp-connections/${idOf(item)}/review` })
  },
  scim_approval: { says: "Deactivations are pending approval.", action: "Review", target: directory("holds") },
  configuration_approval: {
    says: "A configuration run that would remove many objects is pending approval.",
    action: "Review",
    target: run
  },
  sync_failed: { says: "The last sync failed, or skipped files.", action: "See why", target: sync },
  connector_failed: {
    says: "The code host does not give access to the repository.",
    action: "See why",
    target: (item) => ({ to: `/connectors/${idOf(item)}` })
  },
  connector_account_failed: {
    says: "The installation of the code host app is suspended or was removed.",
    action: "Install again",
    target: () => ({ to: "/connector-accounts" })
  },
  rollout_failing: {
    says: "The release fails more often than the one before, so the rollout was paused.",
    action: "Decide",
    target: rollout
  },
  configuration_failed: { says: "The last configuration run failed.", action: "See why", target: run },
  mcp_connection_disconnected: {
    says: "The credential is missing or no longer works.",
    action: "Connect",
    target: (item) => ({ to: `/mcp-connections/${idOf(item)}` })
  },
  llm_provider_disconnected: {
    says: "The shared key is missing.",
    action: "Set the key",
    target: (item) => ({ to: `/llm-providers/${idOf(item)}` })
  },
  webhook_endpoint_failing: {
    says: "Deliveries fail.",
    action: "See why",
    target: (item) => ({ to: `/webhook-endpoints/${idOf(item)}` })
  },
  event_stream_failing: {
    says: "The last delivery failed.",
    action: "See why",
    target: (item) => ({ to: `/event-streams/${idOf(item)}` })
  },
  sso_failed: { says: "The last test of single sign-on failed.", action: "Test it", target: sso },
  sso_domain_failing: { says: "The DNS record of the domain is missing or different.", action: "Verify", target: sso },
  scim_failing: {
    says: "The last change of the directory was refused.",
    action: "See the log",
    target: directory("log")
  },
  api_key_expiring: {
    says: "The API key expires.",
    action: "Extend",
    target: (item) => ({ to: `/api-keys/${idOf(item)}` })
  },
  invitation_expiring: {
    says: "The invitation expires.",
    action: "Send again",
    target: (item) => ({ to: `/invitations/${idOf(item)}` })
  },
  scim_token_expiring: { says: "The last token expires.", action: "Rotate", target: directory("setup") },
  saml_certificate_expiring: { says: "The last certificate expires.", action: "Replace", target: sso },
  marketplace_link_expiring: {
    says: "A link to the marketplace expires.",
    action: "Create another",
    target: (item) => ({ to: `/marketplaces/${parentOf(item)}`, search: { tab: "install" } })
  },
  worker_token_expiring: {
    says: "The last token of the worker expires.",
    action: "Create a token",
    target: (item) => ({ to: `/workers/${idOf(item)}`, search: { tab: "tokens" } })
  }
}
