/** What a failure means for the person, and what helps. */
import { type ForbiddenError, OrgplaneError, RateLimitedError, ServerError } from "@orgplane/client"
import { wasSignedIn } from "../api/session-state.ts"

/** The code of a page could not be loaded. Browsers may keep the failure until the document is loaded again. */
export class CodeUnavailable extends Error {
  override readonly name = "CodeUnavailable"
  /** Whether the server could be reached nevertheless. */
  readonly isServerReachable: boolean

  constructor(message: string, isServerReachable: boolean, cause: unknown) {
    super(message, { cause })
    this.isServerReachable = isServerReachable
  }
}

/**
 * The console did not make a change, because someone else has changed the object since the person opened it. For
 * operations that do not support `If-Match`. Without `detail`, the person can load the current values.
 */
export class ChangedMeanwhile extends Error {
  override readonly name = "ChangedMeanwhile"
  readonly detail: string | undefined

  constructor(detail?: string) {
    super(detail ?? "The object has changed since it was read.")
    this.detail = detail
  }
}

type HelpLink = readonly [text: string, path: string]

export interface Explained {
  readonly title: string
  readonly detail: string
  /** Pages of the console that help. Default: none. */
  readonly links?: ReadonlyArray<HelpLink>
  /** What helps other than a page: to load the current values, or to sign in with single sign-on. Default: neither. */
  readonly remedy?: "load-again" | "single-sign-on"
}

const ownAccess: HelpLink = ["See what you are allowed to do", "/me"]
const administrators: HelpLink = ["Find an administrator", "/members?role=admin"]
const owners: HelpLink = ["Find an owner", "/members?role=owner"]
const plan: HelpLink = ["View the plan of the organization", "/organization"]

/** What helps, by the reason of a refusal. */
const helpFor: Readonly<Record<string, ReadonlyArray<HelpLink>>> = {
  permission_required: [ownAccess, administrators],
  grant_required: [ownAccess, administrators],
  exceeds_own_permissions: [ownAccess, administrators],
  not_creator: [administrators],
  owner_required: [ownAccess, owners],
  session_required: [["View your sessions", "/me?tab=sessions"]],
  last_owner: [["Transfer the ownership to another member", "/organization"], owners],
  email_not_verified: [["See your account", "/me"]],
  email_mismatch: [["View the email address of your account", "/me"]],
  managed_by_scim: [["Open the SCIM directories", "/scim"]],
  managed_by_connector: [["Open the connectors", "/connectors"]],
  managed_by_configuration: [["Open the configuration", "/configuration"]],
  policy_blocked: [["Open the MCP connections", "/mcp-connections"]],
  tool_review_required: [["Open the MCP connections", "/mcp-connections"]],
  provisional_organization: [["Open the organization", "/organization"]]
}

/** What helps, by the code of a conflict. */
const helpForConflict: Readonly<Record<string, ReadonlyArray<HelpLink>>> = {
  role_in_use: [["Find the members with the role", "/members"]],
  connector_account_in_use: [["Find the connectors of the account", "/connectors"]],
  connector_instance_disabled: [["Open the connectors", "/connectors"]],
  sync_in_progress: [["Open the connectors", "/connectors"]],
  quota_exceeded: [["View the storage of the organization", "/organization"]],
  single_owner_required: [["Find the owners", "/members?role=owner"]],
  configuration_source_disabled: [["Open the configuration source", "/configuration?tab=source"]],
  sso_not_tested: [["Test single sign-on", "/sso"]]
}

const forbidden = "You are not allowed to do this"

const isForbidden = (error: OrgplaneError): error is ForbiddenError => error.status === 403 && "reason" in error

const changedMeanwhile = {
  title: "Someone else has changed it",
  detail: 'Your change was not saved. Select "Load again" to see the current values. Your input is kept.',
  remedy: "load-again"
} satisfies Explained

const when = (millis: number | undefined) => {
  const seconds = Math.ceil((millis ?? 0) / 1000)
  return seconds > 1 ? `in ${seconds} seconds` : "in a moment"
}

export const explain = (error: unknown): Explained => {
  if (error instanceof CodeUnavailable) {
    return {
      title: "The page could not be loaded",
      detail: error.isServerReachable
        ? "A file of the console could not be loaded. Try again."
        : "Check your connection. The page loads automatically when the server can be reached again."
    }
  }
  if (error instanceof ChangedMeanwhile) {
    return error.detail === undefined ? changedMeanwhile : { title: changedMeanwhile.title, detail: error.detail }
  }
  if (!(error instanceof OrgplaneError)) return { title: "Something went wrong", detail: String(error) }
  if (error.status === undefined) {
    return {
      title: "The server cannot be reached",
      detail: "Check your connection, and try again. If you made a change, the server may have received it."
    }
  }
  const detail = error.message
  switch (error.status) {
    case 402:
      return {
        title: "The plan of the organization does not include this",
        detail,
        links: wasSignedIn() ? [plan, owners] : []
      }
    case 403:
      if (!isForbidden(error) || !wasSignedIn()) return { title: forbidden, detail }
      return error.reason === "sso_required"
        ? { title: "This organization requires single sign-on", detail, remedy: "single-sign-on" }
        : { title: forbidden, detail, links: helpFor[error.reason] ?? [] }
    case 404:
      return { title: "Not found", detail: "It was removed, or you have no access to it." }
    case 409:
      return {
        title: "The request conflicts with the current state",
        detail,
        links: wasSignedIn() ? (helpForConflict[error.code] ?? []) : []
      }
    case 412:
      return changedMeanwhile
    case 429:
      return {
        title: "Too many requests",
        detail: `Try again ${when(error instanceof RateLimitedError ? error.retryAfterMillis : undefined)}.`
      }
    case 503:
      return {
        title: "The server is busy",
        detail: `Try again ${when(error instanceof ServerError ? error.retryAfterMillis : undefined)}.`
      }
    default:
      return { title: "The request failed", detail }
  }
}
