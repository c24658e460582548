/** Who we are at code hosts: accounts, how an app's installation becomes one, and what can be connected through it. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Schema from "effect/Schema"
import * as Connectors from "./connectors.ts"
import * as Access from "./shared/auth.ts"
import { changed, created, found, endpointMetadata } from "./shared/endpoint.ts"
import { conflict, notFound } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { JsonInput, Text, Timestamp } from "./shared/values.ts"

// Entities

/** A repository that an installation holds. */
export const Repository = Schema.Struct({
  id: Schema.String.annotate({
    description: "Its id at the host, which renames do not change: an instance's `remoteId`."
  }),
  fullName: Schema.String.annotate({ description: "`owner/name`, as it is called now." }),
  defaultBranch: Schema.NullOr(Schema.String),
  private: Schema.Boolean
}).annotate({ identifier: "CodehostRepository" })
export type Repository = typeof Repository.Type

export const Branch = Schema.Struct({
  name: Schema.String,
  revision: Schema.String.annotate({ description: "The commit it points to." })
}).annotate({ identifier: "CodehostBranch" })
export type Branch = typeof Branch.Type

export const StartedInstall = Schema.Struct({
  url: Schema.String.annotate({ description: "The code host's page: open it in a browser." }),
  state: Schema.String.annotate({ description: "Comes back with the browser; good for this session only, and once." }),
  expiresAt: Timestamp
}).annotate({ identifier: "StartedInstall" })

// Payloads

export const CreateAccount = Schema.Struct({
  adapter: Schema.Literal("git"),
  url: Text(1, 2048).annotate({ description: "The host's origin, as https://git.example." }),
  name: Schema.optionalKey(Text(1, 255).annotate({ description: "The host's name unless told." }))
}).annotate({ identifier: "CreateConnectorAccount" })

export const CompleteInstall = Schema.Struct({
  state: Text(1, 255),
  code: Text(1, 1024).annotate({ description: "What the code host gave the browser: it proves who administers." }),
  installationId: Text(1, 255)
}).annotate({ identifier: "CompleteInstall" })

export const CreateInstance = Schema.Struct({
  connectorAccountId: Ids.ConnectorAccountId,
  remoteId: Text(1, 2048).annotate({
    description: "The repository: its id at the host, or its clone URL for plain git."
  }),
  branch: Schema.optionalKey(Text(1, 200).annotate({ description: "The repository's default branch unless told." })),
  name: Schema.optionalKey(Text(1, 255).annotate({ description: "Unique in the organization." })),
  config: Schema.optionalKey(JsonInput)
}).annotate({ identifier: "CreateConnectorInstance" })

// Errors

/** The account is absent, disconnected, or nothing the caller can see uses it. */
export class AccountNotFound extends notFound("connector_account")<AccountNotFound>() {}
export class AccountExists extends conflict(
  "connector_account_exists",
  "The organization has an account at this host."
)<AccountExists>() {}
export class AccountInUse extends conflict(
  "connector_account_in_use",
  "Connector instances use the account; remove them first."
)<AccountInUse>() {}
/** Told only to who has proved to administer the installation. */
export class InstallationTaken extends conflict(
  "installation_taken",
  "The installation is connected to another organization; it has to be disconnected there first."
)<InstallationTaken>() {}
export class CodehostNotConfigured extends conflict(
  "codehost_not_configured",
  "This server has no app at a code host: its operator has to configure one."
)<CodehostNotConfigured>() {}
export class RepositoriesNotListed extends conflict(
  "repositories_not_listed",
  "Plain git has no list of repositories; connect one by its address."
)<RepositoriesNotListed>() {}

// Operations

const account = { connectorAccountId: Ids.ConnectorAccountId }
const at = "/v1/connector-accounts/:connectorAccountId"
const read = Access.permission("connectors:read")
const write = Access.permission("connectors:write")
const manage = Access.permission("connectors:manage")

/** Operations of the group `connectors`. */
export const endpoints = [
  HttpApiEndpoint.get("listAccounts", "/v1/connector-accounts", {
    query: pageQuery,
    success: Page(Connectors.Account)
  }).pipe(
    endpointMetadata({
      access: read,
      paged: true,
      summary: "Lists the organization's accounts at code hosts.",
      description: "To callers who may not connect repositories only those behind an instance that they can see."
    })
  ),
  HttpApiEndpoint.get("getAccount", at, {
    params: account,
    success: found(Connectors.Account),
    error: AccountNotFound
  }).pipe(endpointMetadata({ access: read, summary: "Gets one account at a code host." })),
  HttpApiEndpoint.post("createAccount", "/v1/connector-accounts", {
    payload: CreateAccount,
    success: created(Connectors.Account),
    error: AccountExists
  }).pipe(
    endpointMetadata({
      access: write,
      audited: "connector.create_account",
      summary: "Makes an account for plain git at one host.",
      description: "An account that speaks to a host's own interface comes from installing the app there."
    })
  ),
  HttpApiEndpoint.post("disconnectAccount", `${at}/disconnect`, {
    params: account,
    success: changed(Connectors.Account),
    error: [AccountNotFound, AccountInUse]
  }).pipe(
    endpointMetadata({
      access: manage,
      audited: "connector.disconnect_account",
      summary: "Forgets an account that no instance uses; at the host nothing changes.",
      description: "An installation is free for another organization then."
    })
  ),
  HttpApiEndpoint.post("startInstall", "/v1/connectors/codehost/install/start", {
    success: changed(StartedInstall),
    error: [CodehostNotConfigured, Connectors.CodehostApiError]
  }).pipe(
    endpointMetadata({
      access: write,
      audited: "connector.start_install",
      idempotency: "fact",
      holdsSecret: true,
      summary: "Begins to install the app at the code host; a key cannot.",
      description:
        "Open `url` in a browser. The host sends it back with `state`, `code` and `installation_id`; hand them to the completion within ten minutes, in the same session."
    })
  ),
  HttpApiEndpoint.post("completeInstall", "/v1/connectors/codehost/install/complete", {
    payload: CompleteInstall,
    success: [created(Connectors.Account), changed(Connectors.Account)],
    error: [InstallationTaken, CodehostNotConfigured, Connectors.CodehostApiError]
  }).pipe(
    endpointMetadata({
      access: write,
      audited: "connector.complete_install",
      summary: "Makes an installation of the app an account of the organization; 200 when it was one.",
      description:
        "Whoever completes must administer, at the code host, every repository that the installation holds. One installation belongs to one organization."
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
      summary: "Lists the repositories that an installation holds, in the host's order.",
      description: "Every page has as many rows as the first."
    })
  ),
  HttpApiEndpoint.get("listBranches", `${at}/branches`, {
    params: account,
    query: {
      ...pageQuery,
      remoteId: Text(1, 255).annotate({ description: "The repository, by its id at the host." })
    },
    success: Page(Branch),
    error: [AccountNotFound, RepositoriesNotListed, CodehostNotConfigured, Connectors.CodehostApiError]
  }).pipe(
    endpointMetadata({
      access: write,
      paged: true,
      summary: "Lists the branches of a repository that an installation holds, in the host's order.",
      description: "Every page has as many rows as the first."
    })
  ),
  HttpApiEndpoint.post("createInstance", "/v1/connector-instances", {
    payload: CreateInstance,
    success: created(Connectors.Instance),
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
      summary: "Connects a repository through an account that is there, with one branch.",
      description: "Reads the repository once, so a wrong id or branch is told at once."
    })
  )
] as const
