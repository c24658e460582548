/** Runs of the configuration source, each with the changes and the problems of a commit. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { ChangedKind, PlanDigestMismatch, Problem } from "./configuration.ts"
import { InstanceDisabled } from "./connectors.ts"
import { Sha256 } from "./plugin-archives.ts"
import * as Access from "./shared/auth.ts"
import { changeActions } from "./shared/configuration/change-actions.ts"
import { ConfigurationMode } from "./shared/configuration-mode.ts"
import { acceptedResponse, endpointMetadata, itemResponse, updatedResponse } from "./shared/endpoint.ts"
import { conflict, notFound } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { Text, Timestamp } from "./shared/values.ts"

/** Changes that a run stores. */
export const runChangesMax = 500
/** Problems that a run stores. */
export const runProblemsMax = 100
/** The newest runs that are kept. */
export const runsMax = 1000

export const ConfigurationRunStatus = Schema.Literals([
  "queued",
  "running",
  "unchanged",
  "planned",
  "applied",
  "held",
  "rejected",
  "superseded",
  "failed"
]).annotate({
  identifier: "ConfigurationRunStatus",
  description:
    "`unchanged`: the organization matched the files. `planned`: it differs, and the mode is `plan`. `applied`: the changes were made. `held`: too many objects would be removed, so the run is pending approval. `rejected`: a manager of the connector rejected the run. `superseded`: a later run or another source replaced the run. `failed`: the problems state why, and nothing was changed."
})
export type ConfigurationRunStatus = typeof ConfigurationRunStatus.Type

export const ConfigurationRunTrigger = Schema.Literals(["source", "webhook", "reconcile", "manual"]).annotate({
  identifier: "ConfigurationRunTrigger",
  description:
    "`source`: the source was set. `webhook`: the code host reported a push. `reconcile`: a regular check found a new commit. `manual`: a member or an API key started the run."
})
export type ConfigurationRunTrigger = typeof ConfigurationRunTrigger.Type

export const ConfigurationRunProblem = Schema.Struct({
  ...Problem.fields,
  file: Schema.NullOr(Schema.String).annotate({
    description: "The path of the file in the repository. Null if the problem is not about a file."
  }),
  line: Schema.NullOr(Schema.Int),
  column: Schema.NullOr(Schema.Int)
}).annotate({ identifier: "ConfigurationRunProblem" })
export type ConfigurationRunProblem = typeof ConfigurationRunProblem.Type

export const ConfigurationRunSummary = Schema.Struct({
  create: Schema.Int,
  update: Schema.Int,
  delete: Schema.Int,
  move: Schema.Int,
  adopt: Schema.Int
}).annotate({ identifier: "ConfigurationRunSummary", description: "The number of changes of the plan, by action." })
export type ConfigurationRunSummary = typeof ConfigurationRunSummary.Type

export const ConfigurationRunChange = Schema.Struct({
  kind: ChangedKind,
  key: Schema.NullOr(Schema.String).annotate({
    description: "Null for settings, because an organization has only one object of each kind."
  }),
  name: Schema.String.annotate({ description: "The name of the object before the change." }),
  action: Schema.Literals(changeActions),
  fields: Schema.Array(Schema.String).annotate({ description: "The names of the changed fields." })
}).annotate({ identifier: "ConfigurationRunChange" })
export type ConfigurationRunChange = typeof ConfigurationRunChange.Type

export const ConfigurationCommitStatus = Schema.Struct({
  result: Schema.Literals(["pending", "set", "failed"]).annotate({
    description:
      "`pending`: not sent yet. `set`: the code host accepted it. `failed`: the code host rejected it, or could not be reached."
  }),
  message: Schema.NullOr(Schema.String).annotate({ description: "Why it failed." })
}).annotate({ identifier: "ConfigurationCommitStatus" })

const members = {
  id: Ids.ConfigurationRunId,
  organizationId: Ids.OrganizationId,
  connectorInstanceId: Ids.ConnectorInstanceId,
  connectorTargetId: Ids.ConnectorTargetId,
  branch: Schema.String,
  path: Schema.String,
  mode: ConfigurationMode,
  trigger: ConfigurationRunTrigger,
  status: ConfigurationRunStatus,
  revision: Schema.NullOr(Schema.String).annotate({
    description: "The commit. Null until it is read, and if it cannot be read."
  }),
  planDigest: Schema.NullOr(Sha256).annotate({
    description: "The digest of the plan. Pass it to `approve`. Null if there is no plan."
  }),
  summary: Schema.NullOr(ConfigurationRunSummary),
  problemCount: Schema.Int.annotate({ description: `The number of listed problems, at most ${runProblemsMax}.` }),
  commitStatus: Schema.NullOr(ConfigurationCommitStatus).annotate({
    description:
      "The status of the commit on the code host. Null if the run has none, or if the code host does not support commit statuses."
  }),
  appliedAsOrgMembershipId: Ids.OrgMembershipId,
  startedByOrgMembershipId: Schema.NullOr(Ids.OrgMembershipId).annotate({
    description: "Null if no member started the run."
  }),
  decidedByOrgMembershipId: Schema.NullOr(Ids.OrgMembershipId).annotate({
    description: "The member who approved or rejected the run. Null if there is no decision, or if an API key made it."
  }),
  comment: Schema.NullOr(Schema.String).annotate({ description: "The comment of the rejection." }),
  createdAt: Timestamp,
  startedAt: Schema.NullOr(Timestamp),
  endedAt: Schema.NullOr(Timestamp).annotate({ description: "When the run ended or was held." })
} as const

export const ConfigurationRun = Schema.Struct(members).annotate({ identifier: "ConfigurationRun" })
export type ConfigurationRun = typeof ConfigurationRun.Type

export const ConfigurationRunDetails = Schema.Struct({
  ...members,
  changes: Schema.Array(ConfigurationRunChange).annotate({
    description: `The changes of the plan, without their values: removals first, and at most ${runChangesMax}.`
  }),
  problems: Schema.Array(ConfigurationRunProblem)
}).annotate({ identifier: "ConfigurationRunDetails" })
export type ConfigurationRunDetails = typeof ConfigurationRunDetails.Type

export const ApproveConfigurationRun = Schema.Struct({
  planDigest: Sha256.annotate({ description: "The digest of the plan that you reviewed." })
}).annotate({ identifier: "ApproveConfigurationRun" })

export const RejectConfigurationRun = Schema.Struct({
  comment: Schema.optionalKey(Text(1, 1000))
}).annotate({ identifier: "RejectConfigurationRun" })

export class ConfigurationRunNotFound extends notFound("configuration_run")<ConfigurationRunNotFound>() {}

/** The run is not pending approval. */
export class ConfigurationRunNotHeld extends conflict(
  "configuration_run_not_held",
  "The run is not pending approval. Only runs with the status held can be approved or rejected."
)<ConfigurationRunNotHeld>() {}

const write = Access.permission("organizations:write")
const at = "/v1/configuration/runs"
const one = { configurationRunId: Ids.ConfigurationRunId }

export const group = HttpApiGroup.make("configurationRuns")
  .annotateMerge(
    OpenApi.annotations({
      title: "Configuration runs",
      description:
        "Runs of the configuration source, each with the changes and the problems of a commit. Runs that remove many objects require approval."
    })
  )
  .add(
    HttpApiEndpoint.get("list", at, {
      query: {
        ...pageQuery,
        status: Schema.optionalKey(ConfigurationRunStatus.annotate({ description: "Only runs with this status." }))
      },
      success: Page(ConfigurationRun)
    }).pipe(
      endpointMetadata({
        access: write,
        paged: true,
        summary: "List configuration runs",
        description: `Newest first. The newest ${runsMax} runs are kept.`
      })
    ),
    HttpApiEndpoint.get("get", `${at}/:configurationRunId`, {
      params: one,
      success: itemResponse(ConfigurationRunDetails),
      error: ConfigurationRunNotFound
    }).pipe(
      endpointMetadata({
        access: write,
        summary: "Get a configuration run",
        description: "Includes its changes and its problems."
      })
    ),
    HttpApiEndpoint.post("approve", `${at}/:configurationRunId/approve`, {
      params: one,
      payload: ApproveConfigurationRun,
      success: acceptedResponse(ConfigurationRun),
      error: [ConfigurationRunNotFound, ConfigurationRunNotHeld, PlanDigestMismatch, InstanceDisabled]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "configuration.approve_run",
        summary: "Approve a configuration run",
        description:
          "Queues a held run for the same commit. Requires the role `manager` on the connector, as for a sync. If the plan has changed since and still removes too many objects, the run is held again."
      })
    ),
    HttpApiEndpoint.post("reject", `${at}/:configurationRunId/reject`, {
      params: one,
      payload: RejectConfigurationRun,
      success: updatedResponse(ConfigurationRun),
      error: [ConfigurationRunNotFound, ConfigurationRunNotHeld]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "configuration.reject_run",
        summary: "Reject a configuration run",
        description:
          "Nothing is applied until the branch has a new commit or a run is started. Requires the role `manager` on the connector."
      })
    )
  )
