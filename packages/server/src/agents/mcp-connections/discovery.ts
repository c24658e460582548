import type { Discovery, Resolution } from "@orgplane/schema/mcp-resolve"
import type * as Result from "effect/Result"
import type { Authorization } from "../oauth/index.ts"
import type { McpFailed, McpServerInfo, McpServerTool } from "../../infra/ports/mcp-servers.ts"
import { displayUrl } from "./candidates.ts"
import type { KnownServer } from "./preset-list.ts"

/** The message does not reveal which rule applied, so that responses cannot be used to map an internal network. */
export const blockedText = "The address is not allowed. It must be a public https address that resolves."

/** The outcome of probing one URL. */
export type Outcome =
  | { readonly kind: "server"; readonly info: McpServerInfo }
  /** It requires a credential. */
  | { readonly kind: "asks"; readonly challenge: string | null; readonly words: string }
  /** It supports only the 2024-11-05 transport, which this server does not. */
  | { readonly kind: "older" }
  | {
      readonly kind: "nothing"
      readonly words: string
      readonly isBlocked: boolean
      /** Not probed, because too many requests were in progress. */
      readonly isBusy: boolean
      /** The URL's response is not MCP, or a redirect that the client does not follow. */
      readonly mayBeElsewhere: boolean
    }

export const olderTransport: Outcome = { kind: "older" }
export const timedOut: Outcome = {
  kind: "nothing",
  words: "no response in time",
  isBlocked: false,
  isBusy: false,
  mayBeElsewhere: false
}

/** The result for the chosen URL. */
export interface Finding {
  readonly url: string
  /** The candidate redirected to this URL. */
  readonly isRedirected: boolean
  readonly isOlder: boolean
  /** Null if it is not available without a credential. */
  readonly info: McpServerInfo | null
  /** Null if they were not requested, or not received in time. */
  readonly tools: Result.Result<
    { readonly tools: ReadonlyArray<McpServerTool>; readonly truncated: boolean },
    McpFailed
  > | null
  readonly authorization: Result.Result<Authorization, McpFailed> | null
}

const toolsShownMax = 100
const nameCharactersMax = 255

export const outcomeOfInfo = (info: McpServerInfo): Outcome => ({ kind: "server", info })

const isBearer = (challenge: string | null): boolean => /^\s*bearer\b/iu.test(challenge ?? "")

export const outcomeOf = (failure: McpFailed): Outcome => {
  const { challenge = null, code, providerStatus } = failure
  if (code === "unauthorized") {
    return { kind: "asks", challenge, words: `401, requires ${isBearer(challenge) ? "OAuth" : "a credential"}` }
  }
  const sentence = failure.message.replace(/\.$/u, "")
  const isBlocked = code === "destination_blocked"
  return {
    kind: "nothing",
    words: (providerStatus === undefined ? sentence : `${providerStatus}, ${sentence}`).slice(0, 200),
    isBlocked,
    isBusy: code === "busy",
    mayBeElsewhere: isBlocked || failure.category === "http"
  }
}

const wordsOf = (outcome: Outcome): string => {
  if (outcome.kind === "server") return `supports MCP ${outcome.info.protocolVersion}`
  return outcome.kind === "older" ? "supports only the 2024-11-05 transport" : outcome.words
}

/** A URL that was tried, with its result. */
export type Attempt = Resolution["attempts"][number]

/**
 * What happened at a URL. The target of a redirect is shown only if it responded, because it may reveal an internal
 * host.
 */
export const attemptOf = (candidateUrl: string, url: string, outcome: Outcome): Attempt => {
  const isBlocked = outcome.kind === "nothing" && outcome.isBlocked
  return {
    url: displayUrl(candidateUrl),
    redirectedTo: isBlocked || candidateUrl === url ? null : displayUrl(url),
    result: isBlocked ? "not allowed or does not resolve" : wordsOf(outcome)
  }
}

/** An attempt on one line. */
export const lineOf = ({ redirectedTo, result, url }: Attempt): string =>
  `${url}${redirectedTo === null ? "" : ` redirects to ${redirectedTo}`}: ${result}`

type Requirement = Discovery["manualRequirements"][number]
type Warning = Discovery["warnings"][number]

const authenticationOf = ({ authorization }: Finding): Discovery["authentication"] => {
  if (authorization === null) return null
  const authorizationResult = authorization._tag === "Success" ? authorization.success : null
  return {
    authorizationServers: (authorizationResult?.servers ?? []).flatMap(({ server }) =>
      server === null
        ? []
        : [
            {
              issuer: server.issuer,
              authorizationEndpoint: server.authorizationEndpoint,
              tokenEndpoint: server.tokenEndpoint,
              registrationEndpoint: server.registrationEndpoint,
              clientIdMetadataDocumentSupported: server.clientIdMetadataDocumentSupported,
              scopesSupported: server.scopesSupported,
              grantTypesSupported: server.grantTypesSupported,
              codeChallengeMethodsSupported: server.codeChallengeMethodsSupported,
              tokenEndpointAuthMethodsSupported: server.tokenEndpointAuthMethodsSupported
            }
          ]
    ),
    requiredScopes: authorizationResult?.requiredScopes ?? [],
    recommendedScopes: authorizationResult?.recommendedScopes ?? [],
    availableRegistrationMethods: authorizationResult?.availableRegistrationMethods ?? [],
    resource: authorizationResult?.resource ?? null,
    protectedResourceMetadataUrl: authorizationResult?.protectedResourceMetadataUrl ?? null
  }
}

const requirementsOf = ({ authorization }: Finding, preset: KnownServer | undefined): ReadonlyArray<Requirement> => {
  const authorizationResult = authorization?._tag === "Success" ? authorization.success : null
  const requirements: Array<Requirement> = [...(authorizationResult?.manualRequirements ?? [])]
  const has = (code: string) => requirements.some((requirement) => requirement.code === code)
  if (preset?.requiresOAuthClient === true && !has("oauth_client")) {
    requirements.push({
      code: "oauth_client",
      label: "OAuth client",
      reason: `${preset.displayName} requires an OAuth client that you register with the provider. Enter its client ID.`,
      required: true
    })
  }
  const { usable = null } = authorizationResult ?? {}
  if (
    usable?.clientIdMetadataDocumentSupported === true &&
    !authorizationResult?.availableRegistrationMethods.includes("client_id_metadata_document")
  ) {
    requirements.push({
      code: "public_url",
      label: "Public https address",
      reason:
        "The authorization server supports client ID metadata documents, but this server has no public https address. Set `ORGPLANE_PUBLIC_URL`.",
      required: false
    })
  }
  if (authorization !== null && usable === null) {
    requirements.push({
      code: "credential",
      label: "Credential",
      reason: "The server requires a credential and offers no usable OAuth. Get an API key from its operator.",
      required: true
    })
  }
  return requirements
}

const warningsOf = ({ authorization, info, isOlder, isRedirected, tools, url }: Finding): ReadonlyArray<Warning> => [
  ...(url.startsWith("http:")
    ? [{ code: "plain_http", message: "The connection is not encrypted: data can be read and changed in transit." }]
    : []),
  ...(isRedirected ? [{ code: "redirected", message: "The requested URL redirects to this one." }] : []),
  ...(isOlder
    ? [
        {
          code: "legacy_sse_only",
          message: "The server supports only the 2024-11-05 transport (HTTP with SSE), which is not supported."
        }
      ]
    : []),
  ...(authorization?._tag === "Success" ? authorization.success.warnings : []),
  ...(authorization?._tag === "Failure"
    ? [{ code: "authorization_unknown", message: authorization.failure.message }]
    : []),
  ...(tools?._tag === "Failure" && authorization === null
    ? [{ code: "tools_unavailable", message: tools.failure.message }]
    : []),
  ...(tools === null && info?.hasTools === true
    ? [{ code: "tools_unavailable", message: "The server did not list its tools in time." }]
    : []),
  ...(tools?._tag === "Success" && tools.success.truncated
    ? [{ code: "tools_left_out", message: "The server has more tools than are listed." }]
    : [])
]

/** The discovery part of the response. */
export const toDiscovery = (finding: Finding, preset: KnownServer | undefined): Discovery => {
  const tools = finding.tools?._tag === "Success" ? finding.tools.success.tools : null
  return {
    server: { url: finding.url, protocolVersion: finding.info?.protocolVersion ?? null },
    authentication: authenticationOf(finding),
    tools:
      tools === null
        ? null
        : {
            count: tools.length,
            items: tools.slice(0, toolsShownMax).map(({ destructiveHint, name, openWorldHint, readOnlyHint }) => ({
              name: name.slice(0, nameCharactersMax),
              readOnlyHint,
              destructiveHint,
              openWorldHint
            }))
          },
    manualRequirements: requirementsOf(finding, preset),
    warnings: warningsOf(finding)
  }
}
