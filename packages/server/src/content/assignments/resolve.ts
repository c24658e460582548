import {
  defaultMode,
  type EffectiveAssignment,
  type Explanation,
  type LostBy,
  losersMax,
  type Mode,
  type Source,
  type Version
} from "@orgplane/schema/assignments"
import type { Id } from "@orgplane/schema/shared/ids"
import {
  byAge,
  byId,
  byPriority,
  bySpecificity,
  makePrecedence,
  type Ranked,
  type Rule
} from "../../infra/precedence.ts"

/** The fields of an assignment that affect decisions. */
export interface Assigned {
  /** Null for an assignment that a simulation would create; it counts as the newest. */
  readonly id: Id<"asg"> | null
  readonly pluginId: Id<"plg"> | null
  readonly marketplaceId: Id<"mkt"> | null
  readonly mode: Mode
  readonly priority: number
  readonly pinnedDigest: string | null
  readonly createdAt: Date | null
}

/** An assignment that applies to a member, by the most specific assignee. */
export interface Candidate extends Assigned, Ranked {
  readonly id: Id<"asg"> | null
  /** A team through which it applies to the member, if any. Simulations do not need it. */
  readonly teamId?: Id<"tem"> | null
}

const byBlock: Rule<"block", Candidate> = [
  "block",
  (a, b) => Number(b.mode === "blocked") - Number(a.mode === "blocked")
]

const byTarget: Rule<"target", Candidate> = [
  "target",
  (a, b) => Number(a.pluginId === null) - Number(b.pluginId === null)
]

const precedence = makePrecedence<LostBy, Candidate>([byBlock, byPriority, bySpecificity, byTarget, byAge, byId], "id")

export const { better } = precedence

/** The assignment that determines the mode of a plugin; undefined if none applies. */
export const decide = (candidates: Iterable<Candidate>): Candidate | undefined => {
  let best: Candidate | undefined
  for (const candidate of candidates) best = better(best, candidate)
  return best
}

export const modeOf = (winner: Candidate | undefined): Mode => winner?.mode ?? defaultMode

/** Whether the plugin is on for a member with this choice. */
export const isEnabled = (mode: Mode, choice: boolean | null): boolean => {
  switch (mode) {
    case "required":
      return true
    case "blocked":
      return false
    case "default_on":
      return choice ?? true
    case "available":
      return choice ?? false
  }
}

/** Whether members can turn a plugin with this mode on or off. */
export const allowsChoice = (mode: Mode): boolean => mode === "default_on" || mode === "available"

/** An assignment in a response. The marketplace requires the permission to read assignments. */
export const sourceOf = (candidate: Candidate, isReader: boolean): Source => ({
  id: candidate.id,
  target: candidate.pluginId === null ? "marketplace" : "plugin",
  marketplaceId: isReader ? candidate.marketplaceId : null,
  mode: candidate.mode,
  priority: candidate.priority,
  pinnedDigest: candidate.pinnedDigest,
  through: candidate.through,
  createdAt: candidate.createdAt?.toISOString() ?? null
})

/** The assignment that determined the mode of a plugin, the rule that decided, and why the others lost. */
export const explain = (candidates: ReadonlyArray<Candidate>, isReader: boolean): Explanation => {
  const { loserCount, losers, rule, winner } = precedence.explain(
    candidates.toSorted(precedence.compare),
    (candidate) => candidate,
    losersMax
  )
  return {
    rule: winner === undefined ? "default" : (rule ?? "only"),
    winner: winner === undefined ? null : sourceOf(winner, isReader),
    losers: losers.map(({ entry, lostBy }) => ({ ...sourceOf(entry, isReader), lostBy })),
    loserCount
  }
}

/** A plugin, and what a member needs to receive it. */
export interface PluginState {
  readonly id: Id<"plg">
  readonly name: string | null
  readonly marketplaceIds: ReadonlyArray<Id<"mkt">>
  readonly choice: boolean | null
  readonly hasAccess: boolean
  /** Whether the plugin has content for viewers: it has no delivery mode, or an approved release. */
  readonly isServed: boolean
  /** The approved releases whose files are stored. */
  readonly stored: ReadonlyArray<{ readonly id: Id<"rel">; readonly digest: string }>
}

/** The assignments that apply to a member, by what they assign. */
export interface AppliedAssignments {
  readonly ofPlugins: ReadonlyMap<Id<"plg">, ReadonlyArray<Candidate>>
  readonly ofMarketplaces: ReadonlyMap<Id<"mkt">, ReadonlyArray<Candidate>>
}

export const groupByTarget = (candidates: ReadonlyArray<Candidate>): AppliedAssignments => {
  const ofPlugins = new Map<Id<"plg">, Array<Candidate>>()
  const ofMarketplaces = new Map<Id<"mkt">, Array<Candidate>>()
  const add = <K>(map: Map<K, Array<Candidate>>, key: K, candidate: Candidate) => {
    const existing = map.get(key)
    if (existing === undefined) map.set(key, [candidate])
    else existing.push(candidate)
  }
  for (const candidate of candidates) {
    if (candidate.pluginId !== null) add(ofPlugins, candidate.pluginId, candidate)
    if (candidate.marketplaceId !== null) add(ofMarketplaces, candidate.marketplaceId, candidate)
  }
  return { ofPlugins, ofMarketplaces }
}

/** The assignments that apply to a plugin. */
const candidatesOf = (applied: AppliedAssignments, plugin: PluginState): ReadonlyArray<Candidate> => [
  ...(applied.ofPlugins.get(plugin.id) ?? []),
  ...plugin.marketplaceIds.flatMap((id) => applied.ofMarketplaces.get(id) ?? [])
]

export interface Resolved {
  readonly winner: Candidate | undefined
  readonly mode: Mode
  readonly enabled: boolean
  readonly version: Version
  /** The release with the pinned digest; null if none is pinned, or if its files are not stored. */
  readonly pinnedReleaseId: Id<"rel"> | null
}

/** What the assignments mean for a member and a plugin. */
export const resolve = (applied: AppliedAssignments, plugin: PluginState): Resolved => {
  const winner = decide(candidatesOf(applied, plugin))
  const mode = modeOf(winner)
  const digest = winner?.pinnedDigest ?? null
  const pinnedReleaseId = plugin.stored.find((release) => release.digest === digest)?.id ?? null
  return {
    winner,
    mode,
    enabled: isEnabled(mode, plugin.choice),
    version:
      digest === null
        ? plugin.isServed
          ? "latest_approved"
          : "none"
        : pinnedReleaseId === null
          ? "pinned_not_stored"
          : "pinned",
    pinnedReleaseId
  }
}

export interface Explains {
  readonly isExplained: boolean
  /** Whether the caller can read assignments. */
  readonly isReader: boolean
}

export const effectiveOf = (
  applied: AppliedAssignments,
  plugin: PluginState,
  { isExplained, isReader }: Explains
): EffectiveAssignment => {
  const { enabled, mode, version, winner } = resolve(applied, plugin)
  return {
    pluginId: plugin.id,
    pluginName: plugin.name,
    mode,
    choice: plugin.choice,
    enabled,
    hasAccess: plugin.hasAccess,
    pinnedDigest: winner?.pinnedDigest ?? null,
    version,
    explanation: isExplained ? explain(candidatesOf(applied, plugin), isReader) : null
  }
}
