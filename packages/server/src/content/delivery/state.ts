import type { EffectiveResponse } from "@orgplane/schema/desktop-policies"
import {
  blockedMax,
  connectionsMax,
  type Delivery,
  type DesiredPlugin,
  type DesiredState,
  marketplacesMax,
  pluginsMax,
  providersMax
} from "@orgplane/schema/desired-state"
import type { Id } from "@orgplane/schema/shared/ids"
import type { Permission } from "@orgplane/schema/shared/permissions"
import { type AppliedAssignments, decide, resolve } from "../assignments/resolve.ts"
import { describedOf } from "../plugins/archive-layout.ts"
import { blockedOf, manifestUrlOf } from "./blocked.ts"
import type { BlockedRow } from "./blocked-repo.ts"
import { accessReason, reasonOf } from "./reasons.ts"
import type { ConnectionRow, MarketplaceRow, OthersRow, PluginRow, ProviderRow } from "./repo.ts"

/** The content of a state: everything that does not change when the state is renewed. */
export type Content = Omit<DesiredState, "revision" | "generatedAt" | "validUntil" | "signingKeyId" | "plugins"> & {
  readonly plugins: ReadonlyArray<Omit<DesiredPlugin, "archive"> & { readonly sha256: string | null }>
}

/** The period in which a state is issued. */
export interface Period {
  readonly number: number
  readonly startsAt: number
  readonly endsAt: number
}

const renewalMillis = 6 * 3_600_000
/** A state that is confirmed with 304 just before its renewal is valid for as long again. */
const validityMillis = 2 * renewalMillis

/** The first digits of a digest, which spread the renewals of members over the whole period. */
const shiftOf = (digest: string): number => Number.parseInt(digest.slice(0, 8), 16) % renewalMillis

/** The current period of a subject, whose ID has this digest. */
export const periodOf = (digest: string, now: number): Period => {
  const shift = shiftOf(digest)
  const number = Math.floor((now - shift) / renewalMillis)
  const startsAt = number * renewalMillis + shift
  return { number, startsAt, endsAt: startsAt + validityMillis }
}

const byId =
  <K extends string>(key: K) =>
  (a: { readonly [k in K]: string }, b: { readonly [k in K]: string }) =>
    a[key] < b[key] ? -1 : a[key] > b[key] ? 1 : 0

export interface ContentInput {
  readonly organizationId: Id<"org">
  readonly membershipId: Id<"om">
  readonly workerId: Id<"wrk"> | null
  readonly permissions: ReadonlySet<Permission>
  readonly policy: EffectiveResponse
  readonly plugins: ReadonlyArray<{ readonly row: PluginRow; readonly sha256: string }>
  /** How many plugins were read, also those without an archive. */
  readonly pluginsRead: number
  /** The plugins and marketplaces of the assignments that block. */
  readonly blocked: ReadonlyArray<BlockedRow>
  readonly others: OthersRow
  /** The published names of marketplaces and of their plugins. */
  readonly marketplaces: ReadonlyArray<MarketplaceRow>
  readonly applied: AppliedAssignments
  readonly publicUrl: string
}

const policyOf = ({ desktopPolicy, explanation }: EffectiveResponse): DesiredState["policy"] => ({
  desktopPolicy,
  reasons: (explanation ?? []).map(({ rule, setting, winner }) => ({
    setting,
    rule,
    desktopPolicyId: winner?.id ?? null,
    through: winner?.through ?? null
  }))
})

const connectionOf = (row: ConnectionRow): DesiredState["mcpConnections"][number] => ({
  mcpConnectionId: row.id,
  name: row.name,
  url: row.url,
  authType: row.authType,
  credentialMode: row.credentialMode,
  connected: row.connected,
  reason: accessReason(row)
})

const providerOf = (row: ProviderRow): DesiredState["models"][number] => ({
  llmProviderId: row.id,
  name: row.name,
  providerId: row.providerId,
  apiFormat: row.apiFormat,
  baseUrl: row.baseUrl,
  models: row.models,
  headers: row.headers,
  options: row.options,
  credentialMode: row.credentialMode,
  connected: row.connected,
  reason: accessReason(row)
})

/** The result of the assignments for a plugin. The row contains the pinned release if its files are stored. */
const resolvedOf = (applied: AppliedAssignments, row: PluginRow) =>
  resolve(applied, {
    id: row.id,
    name: row.name,
    marketplaceIds: row.marketplace_ids,
    choice: row.choice,
    hasAccess: true,
    isServed: true,
    stored:
      row.release_id === null || row.release_digest === null ? [] : [{ id: row.release_id, digest: row.release_digest }]
  })

/**
 * Whether the plugins and the assignments were read before and after a change of a pin. The release in a row is then not the
 * one that the assignment pins.
 */
export const isTorn = (applied: AppliedAssignments, rows: ContentInput["plugins"]): boolean =>
  rows.some(({ row }) => (resolvedOf(applied, row).winner?.pinnedDigest ?? null) !== row.pinned_digest)

/** The content of the state of a member, in a fixed order. */
export const contentOf = (input: ContentInput): Content => {
  const { applied, membershipId, organizationId, others, permissions, workerId } = input
  const may = (...any: ReadonlyArray<Permission>) => any.some((permission) => permissions.has(permission))
  const marketplaceRows = may("marketplaces:read") ? input.marketplaces : []
  const pluginRows = may("plugins:read", "marketplaces:read") ? input.plugins : []

  const seen = new Set<string>(marketplaceRows.map(({ id }) => id))
  const shownMarketplaces = marketplaceRows
    .filter((row) => decide(applied.ofMarketplaces.get(row.id) ?? [])?.mode !== "blocked")
    .toSorted(byId("id"))
    .slice(-marketplacesMax)
  const marketplaceIds = new Map<string, Array<Id<"mkt">>>()
  for (const { id, plugins } of shownMarketplaces) {
    for (const plugin of plugins) {
      const ids = marketplaceIds.get(plugin.id)
      if (ids === undefined) marketplaceIds.set(plugin.id, [id])
      else ids.push(id)
    }
  }

  const plugins: Array<Content["plugins"][number]> = []
  for (const { row, sha256 } of pluginRows.toSorted((a, b) => byId("id")(a.row, b.row))) {
    const { enabled, mode, version: assignedVersion, winner } = resolvedOf(applied, row)
    const { description, name, version } = describedOf(row)
    if (mode === "blocked") continue
    const isChosen = row.choice !== null && mode !== "required"
    const delivery: Delivery = assignedVersion === "none" ? "latest_approved" : assignedVersion
    const pinned = winner?.pinnedDigest ?? null
    plugins.push({
      pluginId: row.id,
      name,
      description: description ?? null,
      version: delivery === "pinned_not_stored" ? null : (version ?? null),
      digest: pinned ?? row.release_digest,
      delivery,
      sha256: delivery === "pinned_not_stored" ? null : sha256,
      mode,
      enabled,
      locked: mode === "required",
      reason:
        winner === undefined
          ? { ...accessReason(row.via, seen), ...(isChosen ? { rule: "choice" as const } : {}) }
          : reasonOf(winner, isChosen, membershipId, seen),
      marketplaceIds: (marketplaceIds.get(row.id) ?? []).toSorted()
    })
  }

  const shownPlugins = plugins.slice(-pluginsMax)
  const names = new Set(shownPlugins.map(({ pluginId }) => pluginId))
  // Counts the items that were read, not those that remain after filtering: if more exist, a short list is still incomplete.
  const isTruncated =
    input.pluginsRead > pluginsMax ||
    input.blocked.length > blockedMax ||
    input.marketplaces.length > marketplacesMax ||
    input.marketplaces.some((row) => row.plugins.length > pluginsMax) ||
    others.connections.length > connectionsMax ||
    others.providers.length > providersMax

  return {
    formatVersion: 1,
    organizationId,
    orgMembershipId: membershipId,
    workerId,
    policy: policyOf(input.policy),
    plugins: shownPlugins,
    blocked: blockedOf(input, seen),
    marketplaces: shownMarketplaces.map((row) => ({
      marketplaceId: row.id,
      name: row.name ?? "",
      title: row.title,
      description: row.description,
      manifestUrl: manifestUrlOf(input.publicUrl, row.id),
      plugins: row.plugins
        .flatMap(({ id, name }) => (name !== null && names.has(id) ? [{ pluginId: id, name }] : []))
        .toSorted(byId("name")),
      reason: accessReason(row)
    })),
    mcpConnections: may("mcpConnections:read")
      ? others.connections.toSorted(byId("id")).slice(-connectionsMax).map(connectionOf)
      : [],
    models: may("llmProviders:read") ? others.providers.toSorted(byId("id")).slice(-providersMax).map(providerOf) : [],
    truncated: isTruncated
  }
}
