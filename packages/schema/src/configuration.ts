/** Configuration as code: exports an organization as a document, and plans and applies changes to the document. */
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { Sha256 } from "./plugin-archives.ts"
import { ObjectKind } from "./access.ts"
import { Simulation } from "./desktop-policies.ts"
import * as Access from "./shared/auth.ts"
import { Document, Key, Kind, keyMax, singletons } from "./shared/configuration-document.ts"
import { changeActions } from "./shared/configuration/change-actions.ts"
import { documentBytesMax } from "./shared/configuration/limits.ts"
import { Secrets } from "./shared/configuration/secrets.ts"
import { endpointMetadata } from "./shared/endpoint.ts"
import { conflict, unavailable } from "./shared/errors.ts"
import { GrantRole } from "./shared/grants.ts"
import * as Ids from "./shared/ids.ts"
import { planDigestMismatch } from "./shared/plan-digest.ts"
import { JsonObject, Text } from "./shared/values.ts"

export { Document }

/** Maximum size of the content that a plan or an export reads. */
export const contentBytesMax = 32 * 1_048_576

export const ChangedKind = Schema.Literals([...singletons, ...Kind.literals]).annotate({
  identifier: "ConfigurationChangedKind"
})

export const FieldChange = Schema.Struct({
  field: Schema.String,
  before: Schema.Json.annotate({ description: "Null for a new object." }),
  after: Schema.Json.annotate({ description: "Null for a removed object." })
}).annotate({ identifier: "ConfigurationFieldChange" })
export type FieldChange = typeof FieldChange.Type

export const Change = Schema.Struct({
  kind: ChangedKind,
  key: Schema.NullOr(Schema.String).annotate({ description: "Null for settings, of which there is one object." }),
  name: Schema.String.annotate({ description: "The name of the object before the change." }),
  action: Schema.Literals(changeActions).annotate({
    description:
      "`move`: an object gets another key. `adopt`: an existing object gets its first key. Neither changes anything else."
  }),
  fields: Schema.Array(FieldChange)
}).annotate({ identifier: "ConfigurationChange" })
export type Change = typeof Change.Type

export const Problem = Schema.Struct({
  path: Schema.Array(Schema.Union([Schema.String, Schema.Finite])).annotate({
    description: "The location in the document."
  }),
  message: Schema.String
}).annotate({ identifier: "ConfigurationProblem" })
export type Problem = typeof Problem.Type

/** Maximum number of problems in a plan or an error. */
export const problemsMax = 100

export const accessChangesMax = 500

export const AccessEffects = Schema.Struct({
  memberCount: Schema.Int.annotate({ description: "Members whose access to at least one object would change." }),
  changeCount: Schema.Int.annotate({ description: "The number of changed roles across all members and objects." }),
  changes: Schema.Array(
    Schema.Struct({
      orgMembershipId: Ids.OrgMembershipId,
      object: Schema.Struct({
        kind: ObjectKind,
        id: Schema.NullOr(Schema.String).annotate({ description: "Null for an object that would be created." }),
        name: Schema.String
      }),
      from: Schema.NullOr(GrantRole).annotate({ description: "Null if the member has no access." }),
      to: Schema.NullOr(GrantRole).annotate({ description: "Null if the member would have no access." })
    })
  ).annotate({
    description: `Ordered by object and member; at most ${accessChangesMax}. Access to config objects follows from their plugins and is not listed. Owners and admins have access to everything and are not listed.`
  }),
  truncated: Schema.Boolean.annotate({ description: "Whether there are more changes than listed." })
}).annotate({ identifier: "ConfigurationAccessEffects" })
export type AccessEffects = typeof AccessEffects.Type

/** Maximum number of plugins whose releases a plan checks. */
export const heldMax = 200
/** Maximum number of sentences for each held release. */
export const heldCapabilitiesMax = 20

export const HeldRelease = Schema.Struct({
  plugin: Schema.Struct({
    id: Schema.NullOr(Ids.PluginId).annotate({ description: "Null for a plugin that would be created." }),
    key: Schema.NullOr(Schema.String).annotate({ description: "Null if the document does not concern plugins." }),
    name: Schema.String
  }),
  needsReview: Schema.Boolean.annotate({
    description: "Whether capabilities are new or changed, or could not be compared with those of the served release."
  }),
  capabilityCount: Schema.Int.annotate({ description: "The number of new and changed capabilities, at most 400." }),
  capabilities: Schema.Array(Schema.String).annotate({
    description: `A sentence for each new or changed capability; at most ${heldCapabilitiesMax}.`
  })
}).annotate({ identifier: "ConfigurationHeldRelease" })
export type HeldRelease = typeof HeldRelease.Type

export const NotComputedReason = Schema.Literals(["permission_required", "too_much", "timeout", "failed"]).annotate({
  identifier: "ConfigurationNotComputedReason",
  description:
    "`permission_required`: the caller does not have the permission that it requires. `too_much`: a limit is exceeded. `timeout`: the computation timed out. `failed`: an internal error, which the server has logged."
})
export type NotComputedReason = typeof NotComputedReason.Type

const reason = Schema.NullOr(NotComputedReason).annotate({ description: "Null if it was computed." })

export const Effects = Schema.Struct({
  access: Schema.NullOr(AccessEffects).annotate({
    description:
      "The members who would gain or lose access. Requires the permission `access:read`. Computed for at most 200,000 grants to members, counting those of a team for each of its members, and 5 million combinations of objects and members."
  }),
  desktopPolicies: Schema.NullOr(Simulation).annotate({
    description: "The members whose desktop settings would change. Requires the permission `desktopPolicies:read`."
  }),
  held: Schema.NullOr(Schema.Array(HeldRelease)).annotate({
    description: `The plugins whose changes would be held for approval before members receive them. Ordered by name. Requires access to all plugins, or the permission \`approvals:read\`. Computed for at most ${heldMax} changed plugins with approvals.`
  }),
  notComputed: Schema.Struct({ access: reason, desktopPolicies: reason, held: reason }).annotate({
    identifier: "ConfigurationEffectsNotComputed",
    description: "Why an effect is null. Does not prevent an apply."
  })
}).annotate({ identifier: "ConfigurationEffects" })
export type Effects = typeof Effects.Type

export const Plan = Schema.Struct({
  planDigest: Sha256.annotate({
    description:
      "A digest of the document, of the current state of the objects that it describes, and of the changes. Pass it to `apply`, which then fails if any of them has changed."
  }),
  hasChanges: Schema.Boolean.annotate({
    description: "Whether objects would be created, updated, removed or get another key."
  }),
  changes: Schema.Array(Change).annotate({ description: "The changes, in the order in which they are made." }),
  effects: Schema.NullOr(Effects).annotate({
    description: "The effects of the changes on members. Null if there are problems."
  }),
  problems: Schema.Array(Problem).annotate({
    description: `The reasons why the document cannot be applied. Empty if there are none. At most ${problemsMax}: if there are more, the last one has their number.`
  })
}).annotate({ identifier: "ConfigurationPlan" })
export type Plan = typeof Plan.Type

export const PlanConfiguration = Schema.Struct({ document: Document, secrets: Schema.optionalKey(Secrets) }).annotate({
  identifier: "PlanConfiguration"
})

export const ApplyConfiguration = Schema.Struct({
  document: Document,
  secrets: Schema.optionalKey(Secrets),
  planDigest: Schema.optionalKey(
    Sha256.annotate({
      description: "The digest of the plan. Required if the document removes objects. Default: apply the current plan."
    })
  )
}).annotate({ identifier: "ApplyConfiguration" })

export const Adoption = Schema.Struct({
  kind: Kind,
  id: Text(1, keyMax).annotate({ description: "The ID of the object." }),
  key: Key
}).annotate({ identifier: "ConfigurationAdoption" })

export const AdoptConfiguration = Schema.Struct({
  adoptions: Schema.optionalKey(
    Schema.Array(Adoption).check(Schema.isMaxLength(5000)).annotate({
      description: "The objects and their keys. Default: all objects without a key get the key that the export shows."
    })
  )
}).annotate({ identifier: "AdoptConfiguration" })

/** The state or the document has changed since the plan. */
export class PlanDigestMismatch extends planDigestMismatch(
  "The plan has changed since you saw it. Plan again, then apply the new plan."
)<PlanDigestMismatch>() {}

/** Removals need the digest of the plan that lists them. */
export class PlanDigestRequired extends conflict(
  "plan_digest_required",
  "The document removes objects. Plan it, check the removals, and apply it with the digest of that plan."
)<PlanDigestRequired>() {}

/** The key belongs, or belonged, to another object. */
export class ConfigurationKeyTaken extends conflict(
  "configuration_key_taken",
  "The key belongs or belonged to another object, or the object has another key. Use a new key, or declare the rename in `moved`."
)<ConfigurationKeyTaken>() {}

/** The organization has more content than fits into a document. */
export class ConfigurationTooLarge extends conflict(
  "configuration_too_large",
  "The organization has more than 32 MiB of content in the plugins that were created here and in templates. Leave these kinds out of the document or the export."
)<ConfigurationTooLarge>() {}

/** 503: other plans, applies or exports are running. */
export class ConfigurationBusy extends unavailable(
  "configuration_busy",
  "Another plan or apply of the organization is running, or too many on this server. Nothing was changed. Retry after the time in the Retry-After header."
)<ConfigurationBusy>() {}

const kindsText =
  "For each kind in the document, the caller needs the permissions that the kind's own operations require."
const strict = { errors: "all", onExcessProperty: "error" } as const
const PlanResponse = Schema.Struct({ plan: Plan })

export const group = HttpApiGroup.make("configuration")
  .annotateMerge(
    OpenApi.annotations({
      title: "Configuration",
      description: "The configuration of an organization as a document: export, plan and apply."
    })
  )
  .add(
    HttpApiEndpoint.get("export", "/v1/configuration", {
      query: {
        kinds: Schema.optionalKey(
          Text(1, 1000).annotate({
            description: "Only these kinds, separated by commas: `organization,teams`. Default: all kinds."
          })
        )
      },
      success: Schema.Struct({ document: Document }),
      error: [ConfigurationTooLarge, ConfigurationBusy]
    }).pipe(
      endpointMetadata({
        access: Access.permission("organizations:read"),
        summary: "Export the configuration",
        description: `Objects without a key appear with a key derived from their name, which an apply or \`adopt\` stores. ${kindsText}`
      })
    ),
    HttpApiEndpoint.post("plan", "/v1/configuration/plan", {
      payload: PlanConfiguration,
      success: PlanResponse,
      error: [ConfigurationTooLarge, ConfigurationBusy]
    })
      .annotate(HttpApi.PayloadParseOptions, strict)
      .pipe(
        endpointMetadata({
          access: Access.permission("organizations:read"),
          idempotency: "none",
          bodyBytesMax: documentBytesMax,
          summary: "Preview the changes an apply would make",
          description: `Makes all changes in a transaction and rolls it back, so the plan has the same problems as the apply. Unknown fields are errors. ${kindsText}`
        })
      ),
    HttpApiEndpoint.post("apply", "/v1/configuration/apply", {
      payload: ApplyConfiguration,
      success: PlanResponse,
      error: [PlanDigestMismatch, PlanDigestRequired, ConfigurationTooLarge, ConfigurationBusy]
    })
      .annotate(HttpApi.PayloadParseOptions, strict)
      .pipe(
        endpointMetadata({
          access: Access.permission("organizations:write"),
          audited: "configuration.apply",
          bodyBytesMax: documentBytesMax,
          summary: "Apply a configuration document",
          description: `Makes all changes in one transaction, and returns the plan that it applied. If one change fails, nothing is changed, and the response is 400 with its location in the document. Each change is audited as if it were made by its own operation. ${kindsText}`
        })
      ),
    HttpApiEndpoint.post("adopt", "/v1/configuration/adopt", {
      payload: AdoptConfiguration,
      success: Schema.Struct({ adopted: Schema.Array(Adoption) }),
      error: [ConfigurationKeyTaken, ConfigurationTooLarge, ConfigurationBusy]
    }).pipe(
      endpointMetadata({
        access: Access.permission("organizations:write"),
        audited: "configuration.adopt",
        summary: "Assign keys to existing objects",
        description: "An object keeps its key, even if it is renamed. Objects that already have a key are skipped."
      })
    ),
    HttpApiEndpoint.get("schema", "/v1/configuration/schema", { success: JsonObject }).pipe(
      endpointMetadata({
        access: Access.anyone,
        summary: "Get the JSON Schema of configuration documents",
        description: "For editors that check and complete documents. Not specific to an organization."
      })
    )
  )
