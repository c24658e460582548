/** The parts of a member's state that another caller can see. */
import type { MemberState, Reason } from "@orgplane/schema/desired-state"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Permission } from "@orgplane/schema/shared/permissions"
import * as Effect from "effect/Effect"
import type { GrantedKind } from "../../identity/grants/index.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { visibleAmong } from "./shown-repo.ts"
import type { Content } from "./state.ts"

const readPermissions = {
  plugin: "plugins:read",
  marketplace: "marketplaces:read",
  mcpConnection: "mcpConnections:read",
  llmProvider: "llmProviders:read"
} as const satisfies Partial<Record<GrantedKind, Permission>>

/** The content of a state with only those objects, and only those reasons, that the caller can see. */
export const shownTo = Effect.fnUntraced(function* (
  sql: Sql,
  caller: Member,
  content: Content,
  revision: number | null
) {
  const { blocked, marketplaces, mcpConnections, models, plugins } = content
  const seen = (kind: keyof typeof readPermissions, ids: ReadonlyArray<string>) =>
    visibleAmong(sql, caller, kind, caller.permissions.has(readPermissions[kind]) ? ids : [])
  const blockedOf = (kind: "plugin" | "marketplace") => blocked.filter((item) => item.kind === kind).map(({ id }) => id)
  const pluginIds = yield* seen("plugin", [...plugins.map(({ pluginId }) => pluginId), ...blockedOf("plugin")])
  const marketplaceIds = yield* seen("marketplace", [
    ...marketplaces.map(({ marketplaceId }) => marketplaceId),
    ...blockedOf("marketplace")
  ])
  const connectionIds = yield* seen(
    "mcpConnection",
    mcpConnections.map(({ mcpConnectionId }) => mcpConnectionId)
  )
  const providerIds = yield* seen(
    "llmProvider",
    models.map(({ llmProviderId }) => llmProviderId)
  )
  const isHidden = ({ via, viaId }: Reason) =>
    (via === "marketplace" && viaId !== null && !marketplaceIds.has(viaId)) ||
    (via === "team" && !caller.permissions.has("teams:read"))
  const explained = <A extends { readonly reason: Reason }>(item: A): A =>
    isHidden(item.reason) ? { ...item, reason: { ...item.reason, viaId: null } } : item

  const shown = {
    plugins: plugins.flatMap(({ sha256: _sha256, ...plugin }) =>
      pluginIds.has(plugin.pluginId)
        ? [explained({ ...plugin, marketplaceIds: plugin.marketplaceIds.filter((id) => marketplaceIds.has(id)) })]
        : []
    ),
    blocked: blocked.filter(({ id, kind }) => (kind === "plugin" ? pluginIds : marketplaceIds).has(id)).map(explained),
    marketplaces: marketplaces
      .filter(({ marketplaceId }) => marketplaceIds.has(marketplaceId))
      .map((item) => explained({ ...item, plugins: item.plugins.filter(({ pluginId }) => pluginIds.has(pluginId)) })),
    mcpConnections: mcpConnections.filter(({ mcpConnectionId }) => connectionIds.has(mcpConnectionId)).map(explained),
    models: models
      .filter(({ llmProviderId }) => providerIds.has(llmProviderId))
      .map(({ connected, credentialMode, llmProviderId, models: each, name, providerId, reason }) =>
        explained({ llmProviderId, name, providerId, models: each, credentialMode, connected, reason })
      )
  }
  return {
    organizationId: content.organizationId,
    orgMembershipId: content.orgMembershipId,
    revision,
    policy: content.policy,
    ...shown,
    truncated: content.truncated,
    partial:
      shown.plugins.length < plugins.length ||
      shown.blocked.length < blocked.length ||
      shown.marketplaces.length < marketplaces.length ||
      shown.mcpConnections.length < mcpConnections.length ||
      shown.models.length < models.length
  } satisfies MemberState
})
