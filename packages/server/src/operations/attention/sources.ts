import type { AttentionKind } from "@orgplane/schema/attention"
import { attention as llmProviders } from "../../agents/llm-providers/attention-repo.ts"
import { attention as mcpConnections } from "../../agents/mcp-connections/attention-repo.ts"
import { attention as workers } from "../../agents/workers/attention-repo.ts"
import { attention as approvals } from "../../content/approvals/attention-repo.ts"
import { attention as connectors } from "../../content/connectors/attention-repo.ts"
import { attention as marketplaces } from "../../content/marketplaces/attention-repo.ts"
import { attention as rollouts } from "../../content/rollouts/attention-repo.ts"
import { attention as domains } from "../../enterprise/domains/attention-repo.ts"
import { attention as scim } from "../../enterprise/scim/attention-repo.ts"
import { attention as sso } from "../../enterprise/sso/attention-repo.ts"
import { attention as apiKeys } from "../../identity/api-keys/attention-repo.ts"
import { attention as eventStreams } from "../../identity/event-streams/attention-repo.ts"
import { attention as invitations } from "../../identity/invitations/attention-repo.ts"
import { attention as webhookEndpoints } from "../../identity/webhook-endpoints/attention-repo.ts"
import type { AttentionSource } from "../../infra/attention/source.ts"
import { attention as configurationSource } from "../configuration-source/attention-repo.ts"

const all: ReadonlyArray<AttentionSource> = [
  ...apiKeys,
  ...invitations,
  ...webhookEndpoints,
  ...eventStreams,
  ...mcpConnections,
  ...llmProviders,
  ...workers,
  ...connectors,
  ...approvals,
  ...rollouts,
  ...marketplaces,
  ...sso,
  ...domains,
  ...scim,
  ...configurationSource
]

/** The source of each kind. Every module contributes the kinds of its own objects. */
export const sources: ReadonlyMap<AttentionKind, AttentionSource> = new Map(all.map((source) => [source.kind, source]))
