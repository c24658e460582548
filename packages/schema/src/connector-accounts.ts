/**
 * Connector accounts: identities on code hosts, installation of the app, and the repositories an account can connect.
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Schema from "effect/Schema"
import * as Connectors from "./connectors.ts"
import * as Access from "./shared/auth.ts"
import { updatedResponse, createdResponse, itemResponse, endpointMetadata } from "./shared/endpoint.ts"
import { conflict, notFound } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery, search } from "./shared/page.ts"
import { JsonInput, Text, Timestamp } from "./shared/values.ts"

// Entities

/** A repository that an installation can access. */
export const Repository = Schema.Struct({
  id: Schema.String.annotate({
    description:
      "The repository's id on the code host, which does not change when the repository is renamed. Use it as the `remoteId` of an instance."
  }),
  fullName: Schema.String.annotate({ description: "The current `owner/name`." }),
  defaultBranch: Schema.NullOr(Schema.String),
  private: Schema.Boolean
}).annotate({ identifier: "CodehostRepository" })
export type Repository = typeof Repository.Type

export const Branch = Schema.Struct({
  name: Schema.String,
  revision: Schema.String.annotate({ description: "The commit SHA that the branch points to." })
}).annotate({ identifier: "CodehostBranch" })
export type Branch = typeof Branch.Type

export const StartedInstall = Schema.Struct({
  url: Schema.String.annotate({ description: "The code host's page to open in a browser." }),
  state: Schema.String.annotate({
    description: "The code host includes it in the redirect. Can be used once, and only in this session."
  }),
  expiresAt: Timestamp
}).annotate({ identifier: "StartedInstall" })

// Payloads

export const CreateAccount = Schema.Struct({
  adapter: Schema.Literal("git").annotate({ description: "`git`: plain Git, without a code host's API." }),
  url: Text(1, 2048).annotate({ description: "The origin of the host, such as `https://git.example`." }),
  name: Schema.optionalKey(Text(1, 255).annotate({ description: "The name of the account. Default: the host name." }))
}).annotate({ identifier: "CreateConnectorAccount" })

export const CompleteInstall = Schema.Struct({
  state: Text(1, 255).annotate({ description: "The `state` from the redirect." }),
  code: Text(1, 1024).annotate({
    description:
      "The code that the code host returned to the browser. It proves that the caller administers the repositories."
  }),
  installationId: Text(1, 255).annotate({ description: "The `installation_id` from the redirect." })
}).annotate({ identifier: "CompleteInstall" })

export const CreateInstance = Schema.Struct({
  connectorAccountId: Ids.ConnectorAccountId.annotate({
    description: "The account through which the repository is read."
  }),
  remoteId: Text(1, 2048).annotate({
    description: "The repository: its id on the code host, or its clone URL for plain Git."
  }),
  branch: Schema.optionalKey(
    Text(1, 200).annotate({ description: "The branch to connect. Default: the repository's default branch." })
  ),
  name: Schema.optionalKey(Text(1, 255).annotate({ description: "Must be unique in the organization." })),
  config: Schema.optionalKey(
    JsonInput.annotate({ description: "A custom JSON object, returned as `instanceConfigJson`." })
  )
}).annotate({ identifier: "CreateConnectorInstance" })

// Errors

/** The account does not exist, is disconnected, or is not used by anything the caller can see. */
export class AccountNotFound extends notFound("connector_account")<AccountNotFound>() {}
export class AccountExists extends conflict(
  "connector_account_exists",
  "The organization already has a connector account for this host."
)<AccountExists>() {}
export class AccountInUse extends conflict(
  "connector_account_in_use",
  "The account is used by connector instances. Remove the instances first."
)<AccountInUse>() {}
/** Reported only to callers who have proved that they administer the installation. */
export class InstallationTaken extends conflict(
  "installation_taken",
  "The installation is connected to another organization. Disconnect it there first."
)<InstallationTaken>() {}
export class CodehostNotConfigured extends conflict(
  "codehost_not_configured",
  "No code host app is configured on this server. Ask the operator to configure one."
)<CodehostNotConfigured>() {}
export class RepositoriesNotListed extends conflict(
  "repositories_not_listed",
  "Plain Git cannot list repositories. Connect a repository by its clone URL."
)<RepositoriesNotListed>() {}

// Operations

const account = { connectorAccountId: Ids.ConnectorAccountId }
const at = "/v1/connector-accounts/:connectorAccountId"
const read = Access.permission("connectors:read")
const write = Access.permission("connectors:write")
const manage = Access.permission("connectors:manage")

/** More operations of the group `connectors`. */
export const endpoints = [
  HttpApiEndpoint.get("listAccounts", "/v1/connector-accounts", {
    query: { ...pageQuery, q: search("Filter by part of the name or the remote ID. Case-insensitive.") },
    success: Page(Connectors.Account)
  }).pipe(
    endpointMetadata({
      access: read,
      paged: true,
      summary: "List connector accounts",
      description:
        "Callers without the permission to connect repositories see only the accounts of instances that they can see."
    })
  ),
  HttpApiEndpoint.get("getAccount", at, {
    params: account,
    success: itemResponse(Connectors.Account),
    error: AccountNotFound
  }).pipe(endpointMetadata({ access: read, summary: "Get a connector account" })),
  HttpApiEndpoint.post("createAccount", "/v1/connector-accounts", {
    payload: CreateAccount,
    success: createdResponse(Connectors.Account),
    error: AccountExists
  }).pipe(
    endpointMetadata({
      access: write,
      audited: "connector.create_account",
      summary: "Create a connector account for plain Git",
      description: "To create an account that uses a code host's API, install the app on the code host."
    })
  ),
  HttpApiEndpoint.post("disconnectAccount", `${at}/disconnect`, {
    params: account,
    success: updatedResponse(Connectors.Account),
    error: [AccountNotFound, AccountInUse]
  }).pipe(
    endpointMetadata({
      access: manage,
      audited: "connector.disconnect_account",
      summary: "Disconnect a connector account",
      description:
        "The account must not be in use by any instance. Nothing changes on the code host; the app stays installed. An installation can then be connected to another organization."
    })
  ),
  HttpApiEndpoint.post("startInstall", "/v1/connectors/codehost/install/start", {
    success: updatedResponse(StartedInstall),
    error: [CodehostNotConfigured, Connectors.CodehostApiError]
  }).pipe(
    endpointMetadata({
      access: write,
      audited: "connector.start_install",
      idempotency: "fact",
      holdsSecret: true,
      summary: "Start installing the code host app",
      description:
        "Not available to API keys. Open `url` in a browser. The code host redirects the browser back with `state`, `code` and `installation_id`. Pass them to `connectors.completeInstall` within ten minutes, in the same session."
    })
  ),
  HttpApiEndpoint.post("completeInstall", "/v1/connectors/codehost/install/complete", {
    payload: CompleteInstall,
    success: [createdResponse(Connectors.Account), updatedResponse(Connectors.Account)],
    error: [InstallationTaken, CodehostNotConfigured, Connectors.CodehostApiError]
  }).pipe(
    endpointMetadata({
      access: write,
      audited: "connector.complete_install",
      summary: "Finish installing the code host app",
      description:
        "Creates a connector account for the installation; returns 200 instead of 201 when the organization already has it. On the code host, the caller must be an administrator of every repository in the installation. An installation belongs to one organization."
    })
  ),
  HttpApiEndpoint.get("listRepositories", `${at}/repositories`, {
    params: account,
    query: pageQuery,
    success: Page(Repository),
    error: [AccountNotFound, RepositoriesNotListed, CodehostNotConfigured, Connectors.CodehostApiError]
  }).pipe(
    endpointMetadata({
      access: write,
      paged: true,
      summary: "List the repositories of a connector account",
      description: "Returned in the code host's order. The `limit` of the first request applies to all pages."
    })
  ),
  HttpApiEndpoint.get("listBranches", `${at}/branches`, {
    params: account,
    query: {
      ...pageQuery,
      remoteId: Text(1, 255).annotate({ description: "The repository's id on the code host." })
    },
    success: Page(Branch),
    error: [AccountNotFound, RepositoriesNotListed, CodehostNotConfigured, Connectors.CodehostApiError]
  }).pipe(
    endpointMetadata({
      access: write,
      paged: true,
      summary: "List the branches of a repository",
      description: "Returned in the code host's order. The `limit` of the first request applies to all pages."
    })
  ),
  HttpApiEndpoint.post("createInstance", "/v1/connector-instances", {
    payload: CreateInstance,
    success: createdResponse(Connectors.Instance),
    error: [
      Connectors.InstanceExists,
      Connectors.QuotaExceeded,
      Connectors.RepositoryEmpty,
      Connectors.CodehostApiError
    ]
  }).pipe(
    endpointMetadata({
      access: write,
      audited: "connector.create",
      summary: "Create a connector instance",
      description:
        "Connects one branch of a repository through an existing account. Reads the repository to check the id and branch immediately."
    })
  ),
  HttpApiEndpoint.put("setCredential", "/v1/connector-instances/:connectorInstanceId/credential", {
    params: { connectorInstanceId: Ids.ConnectorInstanceId },
    payload: Connectors.SetCredential,
    success: updatedResponse(Connectors.Instance),
    error: [Connectors.InstanceNotFound, Connectors.RepositoryEmpty, Connectors.CodehostApiError]
  }).pipe(
    endpointMetadata({
      access: manage,
      audited: "connector.update",
      summary: "Set the credential of a connector instance",
      description:
        "Replaces the access token of a plain Git repository, for example before it expires. Reads the repository to check the new token immediately; if the host rejects it, the stored token is kept. The next sync uses the new token. Not available for instances that use the app of a code host."
    })
  )
] as const
