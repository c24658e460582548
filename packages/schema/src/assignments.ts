/** Assignments: which plugins members must have, may turn off, may turn on, or cannot use. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { assignedMax, Audience as PolicyAudience, priorityMax, Through as PolicyThrough } from "./desktop-policies.ts"
import { MemberNotFound } from "./members.ts"
import { Sha256 } from "./plugin-archives.ts"
import { PluginNotFound } from "./plugins.ts"
import * as Access from "./shared/auth.ts"
import { createdResponse, endpointMetadata, itemResponse, NoContent, updatedResponse } from "./shared/endpoint.ts"
import { conflict, notFound } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery, search } from "./shared/page.ts"
import { QueryFlag, Timestamp } from "./shared/values.ts"

export const modes = ["required", "default_on", "available", "blocked"] as const
export const Mode = Schema.Literals(modes).annotate({
  identifier: "AssignmentMode",
  description:
    "`required`: the plugin is on, and members cannot turn it off. `default_on`: it is on, and members may turn it off. `available`: it is off, and members may turn it on. `blocked`: members cannot use it."
})
export type Mode = typeof Mode.Type

/** The mode of a plugin that no assignment names. */
export const defaultMode: Mode = "available"

export const Audience = PolicyAudience.annotate({
  identifier: "AssignmentAudience",
  description:
    "`organization`: the assignment applies to every member. `assigned`: it applies to its members and teams. `nobody`: all its members and teams were removed. The assignment then applies to no one; it does not become organization-wide."
})
export type Audience = typeof Audience.Type

export const Assignment = Schema.Struct({
  id: Ids.AssignmentId,
  organizationId: Ids.OrganizationId,
  pluginId: Schema.NullOr(Ids.PluginId).annotate({ description: "Null for an assignment of a marketplace." }),
  marketplaceId: Schema.NullOr(Ids.MarketplaceId).annotate({
    description: "The marketplace whose plugins are assigned. Null for an assignment of a plugin."
  }),
  mode: Mode,
  priority: Schema.Int.annotate({ description: "The assignment with the highest priority wins." }),
  pinnedDigest: Schema.NullOr(Sha256).annotate({
    description: "The digest of the release that is delivered. Null for the latest approved release."
  }),
  memberIds: Schema.Array(Ids.OrgMembershipId),
  teamIds: Schema.Array(Ids.TeamId),
  audience: Audience,
  createdByOrgMembershipId: Schema.NullOr(Ids.OrgMembershipId),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({ identifier: "Assignment" })
export type Assignment = typeof Assignment.Type

/** Maximum number of assignments per organization. */
export const assignmentsMax = 2000

const MemberIds = Schema.Array(Ids.OrgMembershipId).check(Schema.isMaxLength(assignedMax))
const TeamIds = Schema.Array(Ids.TeamId).check(Schema.isMaxLength(assignedMax))
export const Priority = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: priorityMax }))
const PinnedDigest = Schema.NullOr(Sha256)

interface Target {
  readonly pluginId?: string
  readonly marketplaceId?: string
  readonly pinnedDigest?: string | null
}

const targetErrors = ({ marketplaceId, pinnedDigest, pluginId }: Target) =>
  (pluginId === undefined) === (marketplaceId === undefined)
    ? "must include exactly one of: pluginId, marketplaceId"
    : marketplaceId !== undefined && pinnedDigest != null
      ? { path: ["pinnedDigest"], issue: "must be null for an assignment of a marketplace" }
      : undefined

export const CreateAssignment = Schema.Struct({
  pluginId: Schema.optionalKey(Ids.PluginId.annotate({ description: "The plugin to assign." })),
  marketplaceId: Schema.optionalKey(
    Ids.MarketplaceId.annotate({
      description: "The marketplace to assign: all its plugins, including those that are added later."
    })
  ),
  mode: Mode,
  priority: Schema.optionalKey(
    Priority.annotate({ description: "The assignment with the highest priority wins. Default: 0." })
  ),
  pinnedDigest: Schema.optionalKey(
    PinnedDigest.annotate({
      description:
        "The digest of an approved release of the plugin. The files of the release must still be stored: orgplane keeps those of the served release and of pinned releases. Default: null, the latest approved release."
    })
  ),
  memberIds: Schema.optionalKey(
    MemberIds.annotate({
      description:
        "The members it applies to. An assignment without members or teams applies to the whole organization."
    })
  ),
  teamIds: Schema.optionalKey(TeamIds.annotate({ description: "The teams whose members it applies to." }))
})
  .check(Schema.makeFilter(targetErrors))
  .annotate({ identifier: "CreateAssignment" })
export type CreateAssignment = typeof CreateAssignment.Type

export const UpdateAssignment = Schema.Struct({
  mode: Schema.optionalKey(Mode),
  priority: Schema.optionalKey(Priority.annotate({ description: "The assignment with the highest priority wins." })),
  pinnedDigest: Schema.optionalKey(
    PinnedDigest.annotate({
      description:
        "The digest of an approved release of the plugin. The files of the release must still be stored: orgplane keeps those of the served release and of pinned releases. Null for the latest approved release."
    })
  ),
  memberIds: Schema.optionalKey(
    MemberIds.annotate({
      description:
        "Replaces all members. `[]` removes them. An assignment without members or teams applies to the whole organization."
    })
  ),
  teamIds: Schema.optionalKey(TeamIds.annotate({ description: "Replaces all teams." }))
}).annotate({ identifier: "UpdateAssignment" })
export type UpdateAssignment = typeof UpdateAssignment.Type

// Explanations

export const Through = PolicyThrough.annotate({
  identifier: "AssignmentThrough",
  description: "The most specific way in which an assignment applies to a member."
})
export type Through = typeof Through.Type

export const LostBy = Schema.Literals(["block", "priority", "specificity", "target", "age", "id"]).annotate({
  identifier: "AssignmentLostBy",
  description:
    "The first rule that distinguishes an assignment from the winner: `blocked` before other modes; higher priority; more specific assignee (member, team, organization); an assignment of the plugin before one of its marketplace; older assignment; smaller id."
})
export type LostBy = typeof LostBy.Type

export const Rule = Schema.Literals(["default", "only", ...LostBy.literals]).annotate({
  identifier: "AssignmentRule",
  description:
    "The rule that determined the mode. `default`: no assignment applies. `only`: exactly one assignment applies. Otherwise, the rule by which the winner took precedence over the runner-up."
})
export type Rule = typeof Rule.Type

const source = {
  id: Schema.NullOr(Ids.AssignmentId).annotate({
    description: "Null for the assignment that a simulation would create."
  }),
  target: Schema.Literals(["plugin", "marketplace"]).annotate({
    description: "Whether the assignment is of the plugin itself or of one of its marketplaces."
  }),
  marketplaceId: Schema.NullOr(Ids.MarketplaceId).annotate({
    description: "Null for an assignment of the plugin, and for callers without the permission `assignments:read`."
  }),
  mode: Mode,
  priority: Schema.Int,
  pinnedDigest: Schema.NullOr(Sha256),
  through: Through,
  createdAt: Schema.NullOr(Timestamp)
}

/** An assignment that applies to the member and the plugin. */
export const Source = Schema.Struct(source).annotate({ identifier: "AssignmentSource" })
export type Source = typeof Source.Type

export const losersMax = 20

export const Explanation = Schema.Struct({
  rule: Rule,
  winner: Schema.NullOr(Source).annotate({ description: "Null if no assignment applies." }),
  losers: Schema.Array(Schema.Struct({ ...source, lostBy: LostBy })).annotate({
    description: `The other assignments that apply, highest precedence first; at most ${losersMax}.`
  }),
  loserCount: Schema.Int
}).annotate({ identifier: "AssignmentExplanation" })
export type Explanation = typeof Explanation.Type

export const Version = Schema.Literals(["latest_approved", "pinned", "pinned_not_stored", "none"]).annotate({
  identifier: "AssignedVersion",
  description:
    "`latest_approved`: the served release of the plugin. `pinned`: the release with the pinned digest. `pinned_not_stored`: the files of the pinned release are no longer stored, so members who have it keep their copy, and others receive nothing. To resolve this, change the pin. `none`: the plugin has no approved release yet."
})
export type Version = typeof Version.Type

/** What the assignments of an organization mean for one member and one plugin. */
export const EffectiveAssignment = Schema.Struct({
  pluginId: Ids.PluginId,
  pluginName: Schema.NullOr(Schema.String).annotate({ description: "Null if the caller cannot see the plugin." }),
  mode: Mode,
  choice: Schema.NullOr(Schema.Boolean).annotate({
    description:
      "Whether the member turned the plugin on or off. Null if the member made no choice. A choice has no effect while the mode is `required` or `blocked`."
  }),
  enabled: Schema.Boolean.annotate({
    description: "Whether the plugin is on: the result of the mode and the member's choice."
  }),
  hasAccess: Schema.Boolean.annotate({
    description:
      "Whether the member can see the plugin, by a grant or as an owner or admin. An assignment does not grant access: without access, the member does not receive the plugin."
  }),
  pinnedDigest: Schema.NullOr(Sha256).annotate({
    description: "The pinned digest of the assignment that won. Null for the latest approved release."
  }),
  version: Version,
  explanation: Schema.NullOr(Explanation).annotate({
    description: "Why the plugin has this mode. Null unless `explain` is `true`."
  })
}).annotate({ identifier: "EffectiveAssignment" })
export type EffectiveAssignment = typeof EffectiveAssignment.Type

export const effectiveQuery = {
  ...pageQuery,
  pluginId: Schema.optionalKey(Ids.PluginId.annotate({ description: "Only this plugin." })),
  explain: Schema.optionalKey(
    QueryFlag.annotate({
      description:
        "If `true`, the response explains which assignment won for each plugin and why the others lost. Default: `false`."
    })
  )
}

// Simulation

export const changesMax = 500

interface SimulatedChanges {
  readonly create?: object
  readonly patch?: object
  readonly delete?: object
}

export const SimulateAssignments = Schema.Struct({
  create: Schema.optionalKey(CreateAssignment.annotate({ description: "Create an assignment." })),
  patch: Schema.optionalKey(
    Schema.Struct({ assignmentId: Ids.AssignmentId, changes: UpdateAssignment }).annotate({
      description: "Update one assignment."
    })
  ),
  delete: Schema.optionalKey(
    Schema.Struct({ assignmentId: Ids.AssignmentId }).annotate({ description: "Remove one assignment." })
  )
})
  .check(
    Schema.makeFilter((simulation: SimulatedChanges) =>
      [simulation.create, simulation.patch, simulation.delete].filter((change) => change !== undefined).length === 1
        ? undefined
        : "must include exactly one of: create, patch, delete"
    )
  )
  .annotate({ identifier: "SimulateAssignments" })
export type SimulateAssignments = typeof SimulateAssignments.Type

const Decision = Schema.Struct({
  mode: Mode,
  pinnedDigest: Schema.NullOr(Sha256),
  winner: Schema.NullOr(Source).annotate({ description: "Null if no assignment applies." })
}).annotate({ identifier: "AssignmentDecision" })

export const Change = Schema.Struct({
  orgMembershipId: Ids.OrgMembershipId,
  pluginId: Ids.PluginId,
  before: Decision,
  after: Decision
}).annotate({ identifier: "AssignmentChange" })
export type Change = typeof Change.Type

export const Simulation = Schema.Struct({
  memberCount: Schema.Int.annotate({ description: "Members with at least one change." }),
  changeCount: Schema.Int.annotate({
    description: "The number of changes: the plugins whose mode or pinned digest would change, for each member."
  }),
  modes: Schema.Array(
    Schema.Struct({ before: Mode, after: Mode, changeCount: Schema.Int }).annotate({
      identifier: "AssignmentModeChange"
    })
  ).annotate({ description: "The changes by their mode before and after. Equal if only the pinned digest changes." }),
  changes: Schema.Array(Change).annotate({
    description: `Ordered by member and plugin; at most ${changesMax}. A plugin is not included if only the winning assignment would change, not the mode or the pinned digest.`
  }),
  truncated: Schema.Boolean.annotate({ description: "Whether there are more changes than listed." })
}).annotate({ identifier: "AssignmentSimulation" })
export type Simulation = typeof Simulation.Type

// Choices

export const SetPluginChoice = Schema.Struct({
  enabled: Schema.Boolean.annotate({ description: "Whether the plugin is on." })
}).annotate({ identifier: "SetPluginChoice" })

// Errors and operations

export class AssignmentNotFound extends notFound("assignment")<AssignmentNotFound>() {}
export class AssignmentQuotaExceeded extends conflict(
  "quota_exceeded",
  `The organization has reached its limit of ${assignmentsMax} assignments. Remove one first.`
)<AssignmentQuotaExceeded>() {}
export class PluginChoiceFixed extends conflict(
  "plugin_choice_fixed",
  "An assignment requires or blocks this plugin, so you cannot turn it on or off. Ask an administrator to change the assignment."
)<PluginChoiceFixed>() {}

const one = { assignmentId: Ids.AssignmentId }
const at = "/v1/assignments/:assignmentId"
const choiceAt = "/v1/me/plugin-choices/:pluginId"
const read = Access.permission("assignments:read")
const write = Access.permission("assignments:write")
const manage = Access.permission("assignments:manage")

export const group = HttpApiGroup.make("assignments")
  .annotateMerge(
    OpenApi.annotations({
      title: "Assignments",
      description:
        "Plugins and marketplaces that are required, on by default, available or blocked for members, teams or the whole organization."
    })
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/assignments", {
      payload: CreateAssignment,
      success: createdResponse(Assignment),
      error: AssignmentQuotaExceeded
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "assignment.create",
        summary: "Assign a plugin or a marketplace",
        description:
          "The assignment applies to the specified members and teams, or to the whole organization if none are specified. It takes effect immediately. It does not grant access: members without a grant on the plugin do not receive it. Duplicate ids are ignored."
      })
    ),
    HttpApiEndpoint.get("list", "/v1/assignments", {
      query: {
        ...pageQuery,
        q: search(
          "Filter by part of the name of the plugin or marketplace. Case-insensitive. Finds only names that the caller can read."
        ),
        pluginId: Schema.optionalKey(
          Ids.PluginId.annotate({ description: "Only assignments of this plugin, without those of its marketplaces." })
        ),
        marketplaceId: Schema.optionalKey(
          Ids.MarketplaceId.annotate({ description: "Only assignments of this marketplace." })
        ),
        mode: Schema.optionalKey(Mode)
      },
      success: Page(Assignment)
    }).pipe(
      endpointMetadata({
        access: read,
        paged: true,
        summary: "List assignments",
        description:
          "Includes assignments of removed plugins and marketplaces until these are deleted permanently. They apply again if a sync restores the plugin."
      })
    ),
    HttpApiEndpoint.post("simulate", "/v1/assignments/simulate", {
      payload: SimulateAssignments,
      success: Schema.Struct({ simulation: Simulation }),
      error: AssignmentQuotaExceeded
    }).pipe(
      endpointMetadata({
        access: read,
        idempotency: "none",
        summary: "Preview the effects of an assignment change",
        description:
          "Returns the plugins whose mode or pinned digest would change for each member, regardless of the member's access. Makes no changes. Returns the same errors as the change itself would."
      })
    ),
    HttpApiEndpoint.get("effective", "/v1/members/:orgMembershipId/assignments", {
      params: { orgMembershipId: Ids.OrgMembershipId },
      query: effectiveQuery,
      success: Page(EffectiveAssignment),
      error: MemberNotFound
    }).pipe(
      endpointMetadata({
        access: read,
        paged: true,
        summary: "List the effective assignments of a member",
        description:
          "Returns the plugins that an assignment names for the member or that the member has turned on or off. All other plugins are `available`. With `explain`, also returns the assignments that determine each mode."
      })
    ),
    HttpApiEndpoint.get("own", "/v1/me/assignments", {
      query: effectiveQuery,
      success: Page(EffectiveAssignment)
    }).pipe(
      endpointMetadata({
        access: Access.session,
        paged: true,
        summary: "List the caller's effective assignments",
        description:
          "Returns the plugins that an assignment names for the caller or that the caller has turned on or off, if the caller can see them. All other plugins are `available`."
      })
    ),
    HttpApiEndpoint.put("setChoice", choiceAt, {
      params: { pluginId: Ids.PluginId },
      payload: SetPluginChoice,
      success: updatedResponse(EffectiveAssignment),
      error: [PluginNotFound, PluginChoiceFixed]
    }).pipe(
      endpointMetadata({
        access: Access.session,
        audited: "plugin_choice.set",
        summary: "Turn a plugin on or off",
        description:
          "Applies to the caller only. Possible if the mode of the plugin is `default_on` or `available`. orgplane keeps the choice if the mode changes later."
      })
    ),
    HttpApiEndpoint.delete("resetChoice", choiceAt, {
      params: { pluginId: Ids.PluginId },
      success: NoContent,
      error: [PluginNotFound, PluginChoiceFixed]
    }).pipe(
      endpointMetadata({
        access: Access.session,
        audited: "plugin_choice.reset",
        summary: "Reset a plugin to its assigned state",
        description:
          "Deletes the caller's choice. The plugin is then on if its mode is `default_on`, and off if it is `available`."
      })
    ),
    HttpApiEndpoint.get("get", at, { params: one, success: itemResponse(Assignment), error: AssignmentNotFound }).pipe(
      endpointMetadata({ access: read, versioned: true, summary: "Get an assignment" })
    ),
    HttpApiEndpoint.patch("update", at, {
      params: one,
      payload: UpdateAssignment,
      success: updatedResponse(Assignment),
      error: AssignmentNotFound
    }).pipe(
      endpointMetadata({
        access: write,
        versioned: true,
        audited: "assignment.update",
        summary: "Update an assignment",
        description:
          "`memberIds` and `teamIds` replace the previous values. To assign another plugin or marketplace, create another assignment."
      })
    ),
    HttpApiEndpoint.delete("remove", at, { params: one, success: NoContent, error: AssignmentNotFound }).pipe(
      endpointMetadata({
        access: manage,
        versioned: true,
        audited: "assignment.remove",
        summary: "Remove an assignment",
        description: "Takes effect immediately."
      })
    )
  )
