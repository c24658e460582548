/** Generates `docs/errors.md`: every error code of the contract, its cause, and how to fix it. */
import * as schema from "../../packages/schema/src/index.ts"
import * as errorsOfAll from "../../packages/schema/src/shared/errors.ts"
import { contract } from "./reflect.ts"

/** What to do about the errors whose fix does not follow from the kind of the error. */
const fixes: Readonly<Record<string, string>> = {
  invalid_request: "Correct the fields that `details` names. Each entry has a `path` and a `message`.",
  invalid_signature: "Sign the body with the secret in `ORGPLANE_WEBHOOK_SECRET`.",
  unauthorized: "Sign in again, or use a valid API key.",
  organization_not_found: "Send `x-organization-id` with one of your organizations.",
  enterprise_plan_required: "Ask the operator to change the organization's plan, or do not use the feature.",
  idempotency_key_in_use: "Retry with the same key after the first request has completed.",
  idempotency_key_reused: "Use a new key for each different request.",
  idempotency_key_completed: "Read the object that the first request created. To repeat the request, use a new key.",
  precondition_failed: "Read the resource again, and send its current `ETag` in `If-Match`.",
  payload_too_large: "Send a smaller body. The API reference states the limit of an operation.",
  misdirected_request: "Call the server at its public URL, or set `ORGPLANE_PUBLIC_URL`.",
  quota_exceeded: "Remove objects that you no longer need, then retry.",
  stale_revision: "Read the current state again, then retry.",
  content_gone: "Choose a newer revision. Removed content is deleted after `ORGPLANE_RETENTION_REMOVED_DAYS`.",
  rate_limited: "Wait for the number of seconds in `Retry-After`, then retry.",
  internal_error: "Retry once. If the error persists, report it with the value of `x-request-id`.",
  unavailable: "Wait for the number of seconds in `Retry-After`, then retry."
}

/** The causes of errors whose message differs between operations. */
const causes: Readonly<Record<string, string>> = {
  connection_not_ready:
    "The MCP connection cannot be used yet. `message` starts with the cause: `not_connected`, `reconnect_required` or `review_required`.",
  member_exists: "The user is already a member of the organization.",
  quota_exceeded: "A limit is reached, such as the number of API keys. `message` states the limit.",
  stale_revision: "The repository or the MCP server has changed since you read it."
}

const fixOf = (status: number, code: string): string => {
  const fix = fixes[code]
  if (fix !== undefined) return fix
  if (code.endsWith("_not_found"))
    return "Check the ID, the selected organization, and that the caller has access to the object."
  if (code.endsWith("_exists")) return "Use the existing object, or choose different values."
  if (status === 409) return "Resolve the cause that `message` states, then retry."
  if (status === 502) return "Check that the external system is available and its URL is correct, then retry."
  if (status === 503) return "Wait for the number of seconds in `Retry-After`, or a few seconds, then retry."
  if (status === 404) return "Check the URL. It may have expired or been revoked."
  return "Correct the request as `message` describes."
}

const isConstructor = (value: unknown): value is new (fields: object) => unknown => typeof value === "function"

/** The default messages of the error classes, by class name. A class that requires fields has none. */
const messages = new Map<string, string>()
for (const namespace of [...Object.values(schema), errorsOfAll])
  for (const value of Object.values(namespace)) {
    if (!isConstructor(value)) continue
    try {
      const error = new value({})
      if (error instanceof Error && error.message !== "") messages.set(error.name, error.message)
    } catch {
      // The class requires fields or is not an error.
    }
  }

const statusTexts: Readonly<Record<number, string>> = {
  400: "The request is invalid.",
  401: "The credential is missing, unknown, expired or revoked.",
  403: "The caller is not allowed to do this. `reason` has the cause.",
  404: "The object does not exist, belongs to another organization, or is not visible to the caller.",
  409: "The state of the object does not allow the request.",
  502: "An external system failed. `message` has the cause.",
  503: "The service is temporarily unavailable."
}

/** What to do about each `reason` of a 403 response. */
const reasonFixes: Readonly<Record<string, string>> = {
  permission_required: "Ask an administrator for a role with the permission that `message` names.",
  owner_required: "Ask an owner of the organization to send the request.",
  session_required: "Sign in as a user; API keys cannot do this.",
  grant_required: "Ask someone who manages the object to grant you access to it.",
  not_creator: "Ask the creator of the object to send the request.",
  last_owner: "Make another member an owner first.",
  exceeds_own_permissions: "Grant only permissions that you have yourself.",
  email_not_verified: "Verify your email address by signing in with an emailed code.",
  email_mismatch: "Sign in with the email address that was invited.",
  managed_by_scim: "Make the change in your identity provider.",
  managed_by_connector: "Make the change in the connected repository.",
  managed_by_configuration: "Change the configuration document and apply it.",
  policy_blocked: "Ask an administrator to change the policy.",
  tool_review_required: "Ask an administrator to review the changes to the tools.",
  sso_required: "Sign in with single sign-on.",
  provisional_organization: "Claim the workspace first."
}

const link = (operationId: string) => `[${operationId}](api.md#${operationId.toLowerCase().replace(".", "")})`

const returnedBy = (operationIds: ReadonlyArray<string>, total: number): string => {
  if (operationIds.length > total / 2) return "most operations"
  const more = operationIds.length - 3
  return `${operationIds.slice(0, 3).map(link).join(", ")}${more > 0 ? ` and ${more} more` : ""}`
}

const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("\n", " ")

export const errorDocsFiles = (): Readonly<Record<string, string>> => {
  const { forbiddenReasons, groups } = contract()
  const operations = groups.flatMap((group) => group.operations)
  const uses = operations.flatMap(({ errors, operationId }) => errors.map((error) => ({ error, operationId })))
  const byCode = Map.groupBy(
    uses.filter(({ error }) => error.code !== undefined),
    ({ error }) => `${error.status} ${error.code ?? ""}`
  )
  const rows = [...byCode]
    .map(([, all]) => {
      const { code = "", name, status } = all[0]?.error ?? { name: "", status: 0 }
      const operationIds = [...new Set(all.map(({ operationId }) => operationId))]
      const cause = causes[code] ?? messages.get(name) ?? statusTexts[status] ?? "See `message`."
      return {
        code,
        status,
        text: `| \`${code}\` | ${cell(cause)} | ${cell(fixOf(status, code))} | ${returnedBy(operationIds, operations.length)} |`
      }
    })
    .sort((a, b) => a.status - b.status || a.code.localeCompare(b.code))
  const sections = [...Map.groupBy(rows, ({ status }) => status)].map(
    ([status, all]) =>
      `## ${status}\n\n| \`error\` | cause | what to do | returned by |\n|---|---|---|---|\n${all.map(({ text }) => text).join("\n")}`
  )
  const missing = forbiddenReasons.filter((reason) => reasonFixes[reason] === undefined)
  if (missing.length > 0)
    throw new Error(`Reasons without a fix: ${missing.join(", ")}. Add them to scripts/codegen/error-docs.ts.`)
  const reasons = `## 403\n\nA 403 response has \`reason\` instead of \`error\`.\n\n| \`reason\` | what to do |\n|---|---|\n${forbiddenReasons.map((reason) => `| \`${reason}\` | ${reasonFixes[reason] ?? ""} |`).join("\n")}`
  const introduction = `# Errors

Generated by \`pnpm codegen\` from the contract in \`packages/schema\`: every error code, its cause, and how to fix it.

The body of an error is JSON. \`error\` contains the error code, and \`message\` the cause. The header \`x-request-id\` identifies the request in the server log. SCIM endpoints use the error format of [SCIM 2.0](scim.md).`
  return { "docs/errors.md": `${[introduction, reasons, ...sections].join("\n\n")}\n` }
}
