/** The configuration source of an organization: the files of a repository that are applied when they change. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { ConfigurationRun } from "./configuration-runs.ts"
import { InstanceDisabled, InstanceNotFound } from "./connectors.ts"
import * as Access from "./shared/auth.ts"
import { ConfigurationMode } from "./shared/configuration-mode.ts"
import { acceptedResponse, endpointMetadata, itemResponse, NoContent, updatedResponse } from "./shared/endpoint.ts"
import { conflict, notFound } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import { Text, Timestamp } from "./shared/values.ts"

export const pathDefault = "orgplane.yaml"
export const pathCharactersMax = 500

export const ConfigurationSource = Schema.Struct({
  organizationId: Ids.OrganizationId,
  connectorInstanceId: Ids.ConnectorInstanceId,
  connectorTargetId: Ids.ConnectorTargetId,
  branch: Schema.String.annotate({ description: "The name of the branch when the source was set." }),
  path: Schema.String,
  mode: ConfigurationMode,
  isEnabled: Schema.Boolean,
  appliedAsOrgMembershipId: Ids.OrgMembershipId.annotate({
    description: "The member who set the source. Each run has the permissions that this member has at that time."
  }),
  lastRevision: Schema.NullOr(Schema.String).annotate({
    description: "The commit of the last run. A push of the same commit does not start another run."
  }),
  version: Schema.Int,
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({ identifier: "ConfigurationSource" })
export type ConfigurationSource = typeof ConfigurationSource.Type

const isPath = (path: string) =>
  path === "." || path.split("/").every((part) => part !== "" && part !== "." && part !== ".." && !part.includes("\\"))

export const SetConfigurationSource = Schema.Struct({
  connectorInstanceId: Ids.ConnectorInstanceId,
  connectorTargetId: Schema.optionalKey(
    Ids.ConnectorTargetId.annotate({ description: "A branch of the connector. Default: its first branch." })
  ),
  path: Schema.optionalKey(
    Text(1, pathCharactersMax)
      .check(
        Schema.makeFilter((path: string) =>
          isPath(path)
            ? undefined
            : "must be a path in the repository such as org/teams.yaml, or . for the whole repository"
        )
      )
      .annotate({
        description: `A file, or a folder whose files *.yaml, *.yml and *.json are one document. Default: \`${pathDefault}\`.`
      })
  ),
  mode: Schema.optionalKey(
    ConfigurationMode.annotate({
      description: "`plan`: only reports differences. `apply`: also applies the files. Default: `plan`."
    })
  ),
  isEnabled: Schema.optionalKey(Schema.Boolean.annotate({ description: "Whether pushes start runs. Default: true." }))
}).annotate({ identifier: "SetConfigurationSource" })

export class ConfigurationSourceNotFound extends notFound("configuration_source")<ConfigurationSourceNotFound>() {}

/** The source is disabled. */
export class ConfigurationSourceDisabled extends conflict(
  "configuration_source_disabled",
  "The configuration source is disabled. Enable it first."
)<ConfigurationSourceDisabled>() {}

const read = Access.permission("organizations:read")
const write = Access.permission("organizations:write")
const at = "/v1/configuration/source"

export const group = HttpApiGroup.make("configurationSource")
  .annotateMerge(
    OpenApi.annotations({
      title: "Configuration source",
      description: "The repository whose configuration files are planned or applied when they change."
    })
  )
  .add(
    HttpApiEndpoint.get("get", at, {
      success: itemResponse(ConfigurationSource),
      error: ConfigurationSourceNotFound
    }).pipe(endpointMetadata({ access: read, versioned: true, summary: "Get the configuration source" })),
    HttpApiEndpoint.put("set", at, {
      payload: SetConfigurationSource,
      success: updatedResponse(ConfigurationSource),
      error: [InstanceNotFound, InstanceDisabled]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "configuration.set_source",
        versioned: true,
        summary: "Set the configuration source",
        description:
          "Replaces the current source, of which an organization has at most one, and starts a run if the source is enabled. Requires the role `manager` on the connector. API keys cannot set a source. Everyone who can push to the branch can make the changes that this member can make."
      })
    ),
    HttpApiEndpoint.delete("remove", at, { success: NoContent, error: ConfigurationSourceNotFound }).pipe(
      endpointMetadata({
        access: write,
        audited: "configuration.remove_source",
        summary: "Remove the configuration source",
        description: "Runs that have not ended and held runs become `superseded`. Applied changes are kept."
      })
    ),
    HttpApiEndpoint.post("run", `${at}/run`, {
      success: acceptedResponse(ConfigurationRun),
      error: [ConfigurationSourceNotFound, ConfigurationSourceDisabled, InstanceNotFound, InstanceDisabled]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "configuration.start_run",
        summary: "Start a run of the configuration source",
        description:
          "Reads the head of the branch, even if its commit was read before. If a run is already queued, returns that run. Requires the role `editor` on the connector."
      })
    )
  )
