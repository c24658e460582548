import type { Discovery } from "@orgplane/schema/mcp-resolve"
import type * as Result from "effect/Result"
import type { Authorization } from "../oauth/index.ts"
import type { McpFailed, McpServerInfo, McpServerTool } from "../../infra/ports/mcp-servers.ts"
import { shown } from "./candidates.ts"
import type { KnownServer } from "./preset-list.ts"

/** Nothing in it tells which rule refused what: the answer must not be a map of a network. */
export const blockedText = "The URL is not allowed: it must be an https URL whose host resolves to public addresses."

/** What came of asking one address. */
export type Outcome =
  | { readonly kind: "server"; readonly info: McpServerInfo }
  /** It wants a credential first. */
  | { readonly kind: "asks"; readonly challenge: string | null; readonly words: string }
  /** It speaks the transport of 2024-11-05, which nobody here does. */
  | { readonly kind: "older" }
  | {
      readonly kind: "nothing"
      readonly words: string
      readonly isBlocked: boolean
      /** It was not asked: too much was under way. */
      readonly isBusy: boolean
      /** Something answered there, or sent us where the protocol does not follow. */
      readonly mayBeElsewhere: boolean
    }

export const olderTransport: Outcome = { kind: "older" }
export const noAnswer: Outcome = {
  kind: "nothing",
  words: "no answer in time",
  isBlocked: false,
  isBusy: false,
  mayBeElsewhere: false
}

/** What is known of the address that was chosen. */
export interface Finding {
  readonly url: string
  /** What was asked for had sent us there. */
  readonly isRedirected: boolean
  readonly isOlder: boolean
  /** Null where it tells nobody without a credential. */
  readonly info: McpServerInfo | null
  /** Null where it was not asked, or did not say in time. */
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
    return { kind: "asks", challenge, words: `401, asks for ${isBearer(challenge) ? "OAuth" : "a credential"}` }
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
  if (outcome.kind === "server") return `speaks MCP ${outcome.info.protocolVersion}`
  return outcome.kind === "older" ? "speaks only the transport of 2024-11-05" : outcome.words
}

/** One line about one address. Where a redirect led is told only of what answered: it may name what nobody should see. */
export const traceOf = (asked: string, url: string, outcome: Outcome): string => {
  if (outcome.kind === "nothing" && outcome.isBlocked) return `${shown(asked)}: may not be reached, or does not resolve`
  const way = asked === url ? shown(asked) : `${shown(asked)} sends on to ${shown(url)}`
  return `${way}: ${wordsOf(outcome)}`
}

type Requirement = Discovery["manualRequirements"][number]
type Warning = Discovery["warnings"][number]

const authenticationOf = ({ authorization }: Finding): Discovery["authentication"] => {
  if (authorization === null) return null
  const known = authorization._tag === "Success" ? authorization.success : null
  return {
    authorizationServers: (known?.servers ?? []).flatMap(({ server }) =>
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
    requiredScopes: known?.requiredScopes ?? [],
    recommendedScopes: known?.recommendedScopes ?? [],
    availableRegistrationMethods: known?.availableRegistrationMethods ?? [],
    resource: known?.resource ?? null,
    protectedResourceMetadataUrl: known?.protectedResourceMetadataUrl ?? null
  }
}

const requirementsOf = ({ authorization }: Finding, preset: KnownServer | undefined): ReadonlyArray<Requirement> => {
  const known = authorization?._tag === "Success" ? authorization.success : null
  const requirements: Array<Requirement> = [...(known?.manualRequirements ?? [])]
  const has = (code: string) => requirements.some((requirement) => requirement.code === code)
  if (preset?.requiresOAuthClient === true && !has("oauth_client")) {
    requirements.push({
      code: "oauth_client",
      label: "OAuth client",
      reason: `${preset.displayName} lets in clients that were registered there by hand: enter the id of yours.`,
      required: true
    })
  }
  const { usable = null } = known ?? {}
  if (
    usable?.clientIdMetadataDocumentSupported === true &&
    !known?.availableRegistrationMethods.includes("client_id_metadata_document")
  ) {
    requirements.push({
      code: "public_url",
      label: "Public https address",
      reason:
        "It would read who we are from this server's own document, but this server has no public https address (`ORGPLANE_PUBLIC_URL`).",
      required: false
    })
  }
  if (authorization !== null && usable === null) {
    requirements.push({
      code: "credential",
      label: "Credential",
      reason: "It wants a credential and says of no OAuth that can be used: get a key from whoever runs it.",
      required: true
    })
  }
  return requirements
}

const warningsOf = ({ authorization, info, isOlder, isRedirected, tools, url }: Finding): ReadonlyArray<Warning> => [
  ...(url.startsWith("http:")
    ? [{ code: "plain_http", message: "What is sent there can be read and changed on its way." }]
    : []),
  ...(isRedirected ? [{ code: "redirected", message: "The address that was asked for sends on to this one." }] : []),
  ...(isOlder
    ? [
        {
          code: "legacy_sse_only",
          message: "It speaks only the transport of 2024-11-05 (HTTP with SSE), which cannot be used here."
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
    ? [{ code: "tools_unavailable", message: "It did not list its tools in time." }]
    : []),
  ...(tools?._tag === "Success" && tools.success.truncated
    ? [{ code: "tools_left_out", message: "It has more tools than are read." }]
    : [])
]

/** What an answer says of the server that was found. */
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
