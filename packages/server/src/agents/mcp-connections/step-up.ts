import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { type OAuthTokens, readChallenge } from "../oauth/index.ts"
import { McpFailed, type McpTarget } from "../../infra/ports/mcp-servers.ts"
import * as repo from "./repo.ts"

const secretLengthMin = 8
const shownMax = 10

/** The scopes that a 403 response requires. A scope that contains the credential or a part of it is ignored. */
const demandedBy = ({ challenge }: McpFailed, { credential }: McpTarget): ReadonlyArray<string> => {
  const { error, scopes } = readChallenge(challenge)
  if (error !== "insufficient_scope") return []
  const value = credential === null ? "" : Redacted.value(credential.value)
  const secret = value.slice(value.indexOf(" ") + 1)
  return scopes.filter(
    (scope) => secret === "" || (!scope.includes(secret) && (scope.length < secretLengthMin || !secret.includes(scope)))
  )
}

const isSubset = (scopes: ReadonlyArray<string>, of: ReadonlyArray<string>) =>
  scopes.every((scope) => of.includes(scope))

const listed = (scopes: ReadonlyArray<string>): string =>
  scopes.length > shownMax
    ? `${scopes.slice(0, shownMax).join(" ")} and ${scopes.length - shownMax} more`
    : scopes.join(" ")

/**
 * A call that needs more scopes than the credential has (403 `insufficient_scope`): they are stored with the
 * credential, and the next sign-in requests them too. Users are not sent to sign in for scopes that a sign-in has
 * already requested, or that the connection's fixed list does not include.
 */
export const stepUp = Effect.fnUntraced(function* (
  tokens: OAuthTokens["Service"],
  row: repo.Row,
  holder: string,
  target: McpTarget,
  failure: McpFailed
) {
  const scopes = demandedBy(failure, target)
  if (row.auth_type !== "oauth" || scopes.length === 0) return yield* failure
  const {
    category,
    challenge,
    code,
    exchange,
    jsonRpcCode,
    providerCode,
    providerRequestId,
    providerStatus,
    retryable
  } = failure
  const refused = (remedy: "connect" | "settings" | "none", message: string) =>
    new McpFailed({
      category,
      code,
      message,
      retryable,
      demanded: { scopes, remedy },
      ...(challenge === undefined ? {} : { challenge }),
      ...(exchange === undefined ? {} : { exchange }),
      ...(jsonRpcCode === undefined ? {} : { jsonRpcCode }),
      ...(providerCode === undefined ? {} : { providerCode }),
      ...(providerRequestId === undefined ? {} : { providerRequestId }),
      ...(providerStatus === undefined ? {} : { providerStatus })
    })
  if (row.scopes_json !== null && !isSubset(scopes, row.scopes_json)) {
    return yield* refused(
      "settings",
      `The server requires the scopes ${listed(scopes)}, but the connection has a fixed list of scopes without them. A manager must add them to the connection's scopes.`
    )
  }
  const isNew = yield* tokens.demandScopes(
    {
      organizationId: row.organization_id,
      purpose: repo.purpose,
      subjectId: row.id,
      membershipId: holder === "" ? null : (holder as Id<"om">)
    },
    scopes
  )
  return yield* isNew
    ? refused("connect", `The server requires the scopes ${listed(scopes)}. Connect again to request them.`)
    : refused(
        "none",
        `The server requires the scopes ${listed(scopes)}, which the last sign-in already requested. Ask the server's administrator for access.`
      )
})
