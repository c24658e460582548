import type { RegistrationMethod } from "@orgplane/schema/mcp-connections"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { Settings } from "../../infra/config/settings.ts"
import { McpFailed } from "../../infra/ports/mcp-servers.ts"
import { Outbound } from "../../infra/ports/outbound.ts"
import { challengeOf, scopesIn } from "./challenge.ts"
import { clientMetadataUrl } from "./client-metadata.ts"
import { type JsonDocument, type DocumentLocation, readDocument, textOf, textsOf } from "./documents.ts"
import { defaultServer, type OAuthServer, readServer, type Refusal } from "./server.ts"
import { canonicalResource, coversServer, issuerMetadataUrls, resourceMetadataUrls } from "./well-known.ts"

export interface Inspect {
  /** The URL of the MCP server. */
  readonly url: string
  readonly organizationId: string
  /** The `WWW-Authenticate` header of its 401, if it was probed. */
  readonly challenge?: string | undefined
  /**
   * Whether a server without authorization metadata may be its own authorization server at the default endpoints of
   * revision 2025-03-26: it returned 401, and a user chose OAuth.
   */
  readonly mayAssumeEndpoints?: boolean
  /** The timeout of the whole discovery. Default: 15,000. */
  readonly timeoutMillis?: number
}

/** An authorization server with its metadata, or with the reason why it cannot be used. */
export type InspectedServer =
  | { readonly issuer: string; readonly server: OAuthServer; readonly refused: null }
  | { readonly issuer: string; readonly server: null; readonly refused: Refusal }

export interface Warning {
  readonly code: string
  readonly message: string
}

/** How to authenticate to an MCP server. */
export interface Authorization {
  /** The resource name in the server's metadata document; null without a document. */
  readonly resource: string | null
  /** Sent with every token request: `resource`, or the server's URL. */
  readonly requestedResource: string
  readonly protectedResourceMetadataUrl: string | null
  /** The scopes of the challenge. */
  readonly requiredScopes: ReadonlyArray<string>
  /** The scopes of the server's metadata document. */
  readonly recommendedScopes: ReadonlyArray<string>
  /** In the order of the document. */
  readonly servers: ReadonlyArray<InspectedServer>
  /** The first usable server. */
  readonly usable: OAuthServer | null
  readonly availableRegistrationMethods: ReadonlyArray<RegistrationMethod>
  readonly warnings: ReadonlyArray<Warning>
  readonly manualRequirements: ReadonlyArray<{
    readonly code: string
    readonly label: string
    readonly reason: string
    readonly required: boolean
  }>
}

const serversMax = 3
const millisDefault = 15_000

interface ResourceDocument {
  readonly url: string
  readonly resource: string
  readonly document: JsonDocument
}

/**
 * Finds the authorization servers of an MCP server as revision 2025-11-25 specifies: the document that a challenge
 * names, else the server's well-known documents, then the metadata of each authorization server named there. As in
 * revision 2025-03-26, a server without such a document may be its own authorization server: by the metadata of its
 * origin or, only if the caller allows it, by that revision's default endpoints at its origin. Every URL is treated as
 * user-supplied input.
 */
export class AuthorizationDiscovery extends Context.Service<AuthorizationDiscovery>()(
  "@orgplane/server/oauth/AuthorizationDiscovery",
  {
    make: Effect.gen(function* () {
      const outbound = yield* Outbound
      const { publicUrl } = yield* Settings

      const read = (organizationId: string, url: string) => {
        const location: DocumentLocation = { url, destination: "supplied", organizationId }
        return readDocument(outbound, location)
      }

      /** The protected resource metadata; `isRejected` when a document exists that cannot be used. */
      const resourceDocument = Effect.fnUntraced(function* (
        server: URL,
        organizationId: string,
        named: string | null,
        warnings: Array<Warning>
      ) {
        const locations = [...new Set([...(named === null ? [] : [named]), ...resourceMetadataUrls(server)])]
        let isRejected = false
        for (const url of locations) {
          const documentResult = yield* Effect.result(read(organizationId, url))
          if (Result.isFailure(documentResult)) {
            // Only the document that the challenge names may be on another origin. If it is unreachable, the server's
            // own well-known documents remain.
            if (url !== named || URL.parse(url)?.origin === server.origin) return yield* documentResult.failure
            warnings.push({ code: "resource_metadata_unreachable", message: documentResult.failure.message })
            continue
          }
          const response = documentResult.success
          if (response.kind === "absent") continue
          if (response.kind === "unreadable") {
            warnings.push({ code: "resource_metadata_unreadable", message: response.reason })
            continue
          }
          const resource = textOf(response.document, "resource")
          if (resource === null || !coversServer(resource, server)) {
            isRejected = true
            warnings.push({
              code: "resource_mismatch",
              message: "The protected resource metadata describes a different resource. It is ignored."
            })
            continue
          }
          const document: ResourceDocument = { url, resource, document: response.document }
          return { document, isRejected: false }
        }
        return { document: undefined, isRejected }
      })

      /** An issuer's metadata. A network error is one of the reasons not to use the issuer. */
      const inspectIssuer = Effect.fnUntraced(function* (organizationId: string, issuer: string, isOrigin: boolean) {
        const refused = (code: Refusal["code"], message: string): InspectedServer => ({
          issuer,
          server: null,
          refused: { code, message }
        })
        const url = URL.parse(issuer)
        if (url === null || url.search !== "" || url.hash !== "" || url.username !== "" || url.password !== "") {
          return refused("metadata_invalid", "The issuer must be a URL without credentials, a query or a fragment.")
        }
        let reason: string | undefined
        for (const location of issuerMetadataUrls(url)) {
          const documentResult = yield* Effect.result(read(organizationId, location))
          if (Result.isFailure(documentResult)) return refused("unreachable", documentResult.failure.message)
          const response = documentResult.success
          if (response.kind === "unreadable") reason ??= response.reason
          if (response.kind !== "document") continue
          const parsed = readServer(issuer, location, response.document, isOrigin)
          const inspected: InspectedServer =
            "refused" in parsed
              ? { issuer, server: null, refused: parsed.refused }
              : { issuer, server: parsed.server, refused: null }
          return inspected
        }
        return reason === undefined
          ? refused("metadata_missing", "The server has no authorization metadata document.")
          : refused("metadata_invalid", reason)
      })

      /** A server of revision 2025-03-26 at its own origin; null when the defaults do not apply. */
      const inspectOrigin = Effect.fnUntraced(function* (organizationId: string, origin: string, mayAssume: boolean) {
        const inspectedServer = yield* inspectIssuer(organizationId, origin, true)
        if (inspectedServer.refused?.code !== "metadata_missing") return inspectedServer
        const assumed: InspectedServer = { issuer: origin, server: defaultServer(origin), refused: null }
        return mayAssume ? assumed : null
      })

      /** A server's current metadata, requested from the location where it was found. */
      const inspectAgain = Effect.fnUntraced(function* (organizationId: string, server: OAuthServer) {
        if (server.foundBy === undefined) return yield* inspectIssuer(organizationId, server.issuer, false)
        const { origin } = new URL(server.issuer)
        const inspectedServer = yield* inspectOrigin(organizationId, origin, server.foundBy === "default_endpoints")
        const missing: InspectedServer = {
          issuer: origin,
          server: null,
          refused: { code: "metadata_missing", message: "The server has no authorization metadata document." }
        }
        return inspectedServer ?? missing
      })

      const methodsOf = (server: OAuthServer | null): ReadonlyArray<RegistrationMethod> =>
        server === null
          ? []
          : [
              "pre_registered",
              ...(server.clientIdMetadataDocumentSupported && clientMetadataUrl(publicUrl) !== null
                ? (["client_id_metadata_document"] as const)
                : []),
              ...(server.registrationEndpoint === null ? [] : (["dynamic"] as const))
            ]

      const inspectAll = Effect.fnUntraced(function* (input: Inspect) {
        const { challenge: header, mayAssumeEndpoints = false, organizationId, url } = input
        const server = new URL(url)
        const challenge = challengeOf(header)
        const warnings: Array<Warning> = []
        const { document, isRejected } = yield* resourceDocument(
          server,
          organizationId,
          challenge.resourceMetadata,
          warnings
        )
        const named = document?.document["authorization_servers"]
        const listed = document === undefined ? [] : (textsOf(document.document, "authorization_servers") ?? [])
        if (listed.length > serversMax) {
          warnings.push({
            code: "servers_left_out",
            message: `Only the first ${serversMax} authorization servers are inspected.`
          })
        }
        // Before protected resource metadata existed, a server was its own authorization server.
        const isNamed = isRejected || (Array.isArray(named) && named.length > 0)
        // The default endpoints are not used if there is any other document, or a challenge for a scheme other than
        // Bearer.
        const mayAssume =
          mayAssumeEndpoints &&
          document === undefined &&
          warnings.length === 0 &&
          challenge.resourceMetadata === null &&
          (header === undefined || challenge.isBearer)
        const inspected =
          listed.length > 0
            ? yield* Effect.forEach(listed.slice(0, serversMax), (issuer) =>
                inspectIssuer(organizationId, issuer, false)
              )
            : [isNamed ? null : yield* inspectOrigin(organizationId, server.origin, mayAssume)]
        const servers = inspected.filter((one) => one !== null)
        for (const { issuer, refused } of servers) {
          if (refused !== null) warnings.push({ code: refused.code, message: `${issuer}: ${refused.message}` })
        }
        if (servers.length === 0) {
          warnings.push({
            code: "authorization_server_unknown",
            message: "The server does not advertise an authorization server."
          })
        }
        const usable = servers.find(({ server }) => server !== null)?.server ?? null
        const methods = methodsOf(usable)
        const authorization: Authorization = {
          resource: document?.resource ?? null,
          requestedResource: document?.resource ?? canonicalResource(server),
          protectedResourceMetadataUrl: document?.url ?? null,
          requiredScopes: challenge.scopes,
          recommendedScopes: scopesIn(document?.document["scopes_supported"]),
          servers,
          usable,
          availableRegistrationMethods: methods,
          warnings,
          manualRequirements:
            usable !== null && methods.length === 1
              ? [
                  {
                    code: "oauth_client",
                    label: "OAuth client",
                    reason: `${usable.issuer} does not support automatic client registration. Register a client there with this server's callback as the redirect URI, and enter its client ID.`,
                    required: true
                  }
                ]
              : []
        }
        return authorization
      })

      const inspect = (input: Inspect): Effect.Effect<Authorization, McpFailed> =>
        inspectAll(input).pipe(
          Effect.timeoutOrElse({
            duration: input.timeoutMillis ?? millisDefault,
            orElse: () =>
              Effect.fail(
                new McpFailed({
                  category: "network",
                  code: "timeout",
                  message: "Authentication discovery timed out.",
                  retryable: true
                })
              )
          })
        )

      return { inspect, inspectAgain } as const
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
