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
import { type JsonDocument, type Place, readDocument, textOf, textsOf } from "./documents.ts"
import { defaultServer, type OAuthServer, readServer, type Refusal } from "./server.ts"
import { canonicalResource, coversServer, issuerMetadataUrls, resourceMetadataUrls } from "./well-known.ts"

export interface Inspect {
  /** Of the MCP server. */
  readonly url: string
  readonly organizationId: string
  /** The `WWW-Authenticate` of its 401, where it was asked. */
  readonly challenge?: string | undefined
  /**
   * Whether a server without authorization metadata may be its own authorization server at the default endpoints of
   * revision 2025-03-26: it returned 401, and a user chose OAuth.
   */
  readonly mayAssumeEndpoints?: boolean
  /** Of all that is asked; 15 000 unless told. */
  readonly timeoutMillis?: number
}

/** An authorization server that was named, and either what it is or why it is not used. */
export type InspectedServer =
  | { readonly issuer: string; readonly server: OAuthServer; readonly refused: null }
  | { readonly issuer: string; readonly server: null; readonly refused: Refusal }

export interface Warning {
  readonly code: string
  readonly message: string
}

/** How one gets in. */
export interface Authorization {
  /** What the server's own document calls it; null where there is none. */
  readonly resource: string | null
  /** Sent with every request for a token: `resource`, or the server's address. */
  readonly requestedResource: string
  readonly protectedResourceMetadataUrl: string | null
  /** Of the challenge. */
  readonly requiredScopes: ReadonlyArray<string>
  /** Of the server's own document. */
  readonly recommendedScopes: ReadonlyArray<string>
  /** In the order in which they are named. */
  readonly servers: ReadonlyArray<InspectedServer>
  /** The first that can be used. */
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
 * Finds the authorization servers of an MCP server by the standard of 2025-11-25: the document that a challenge names,
 * else the well-known ones of the server, then the metadata of each server it names. A server without such a document
 * may, as in the standard of 2025-03-26, be its own authorization server: by the metadata of its origin or, only where
 * the caller says so, by that revision's default endpoints at its origin. Every URL is requested as a user-supplied
 * address.
 */
export class AuthorizationDiscovery extends Context.Service<AuthorizationDiscovery>()(
  "@orgplane/server/oauth/AuthorizationDiscovery",
  {
    make: Effect.gen(function* () {
      const outbound = yield* Outbound
      const { publicUrl } = yield* Settings

      const read = (organizationId: string, url: string) => {
        const place: Place = { url, destination: "supplied", organizationId }
        return readDocument(outbound, place)
      }

      /** The document about the server; `isRefused` when there is one that cannot be used. */
      const resourceDocument = Effect.fnUntraced(function* (
        server: URL,
        organizationId: string,
        named: string | null,
        warnings: Array<Warning>
      ) {
        const places = [...new Set([...(named === null ? [] : [named]), ...resourceMetadataUrls(server)])]
        let isRefused = false
        for (const url of places) {
          const asked = yield* Effect.result(read(organizationId, url))
          if (Result.isFailure(asked)) {
            // Only what the server itself named may lie elsewhere; when that cannot be reached there are still its own.
            if (url !== named || URL.parse(url)?.origin === server.origin) return yield* asked.failure
            warnings.push({ code: "resource_metadata_unreachable", message: asked.failure.message })
            continue
          }
          const found = asked.success
          if (found.kind === "absent") continue
          if (found.kind === "unreadable") {
            warnings.push({ code: "resource_metadata_unreadable", message: found.reason })
            continue
          }
          const resource = textOf(found.document, "resource")
          if (resource === null || !coversServer(resource, server)) {
            isRefused = true
            warnings.push({
              code: "resource_mismatch",
              message: "The server's document is about another address than the server's; it is not used."
            })
            continue
          }
          const document: ResourceDocument = { url, resource, document: found.document }
          return { document, isRefused: false }
        }
        return { document: undefined, isRefused }
      })

      /** What an issuer's metadata says; network trouble is one of the reasons not to use it. */
      const inspectIssuer = Effect.fnUntraced(function* (organizationId: string, issuer: string, isOrigin: boolean) {
        const refused = (code: Refusal["code"], message: string): InspectedServer => ({
          issuer,
          server: null,
          refused: { code, message }
        })
        const url = URL.parse(issuer)
        if (url === null || url.search !== "" || url.hash !== "" || url.username !== "" || url.password !== "") {
          return refused("metadata_invalid", "Its name is no address without query and fragment.")
        }
        let reason: string | undefined
        for (const place of issuerMetadataUrls(url)) {
          const asked = yield* Effect.result(read(organizationId, place))
          if (Result.isFailure(asked)) return refused("unreachable", asked.failure.message)
          const found = asked.success
          if (found.kind === "unreadable") reason ??= found.reason
          if (found.kind !== "document") continue
          const judged = readServer(issuer, place, found.document, isOrigin)
          const inspected: InspectedServer =
            "refused" in judged
              ? { issuer, server: null, refused: judged.refused }
              : { issuer, server: judged.server, refused: null }
          return inspected
        }
        return reason === undefined
          ? refused("metadata_missing", "The server has no authorization metadata document.")
          : refused("metadata_invalid", reason)
      })

      /** A server of revision 2025-03-26 at its own origin; null when the defaults do not apply. */
      const inspectOrigin = Effect.fnUntraced(function* (organizationId: string, origin: string, mayAssume: boolean) {
        const found = yield* inspectIssuer(organizationId, origin, true)
        if (found.refused?.code !== "metadata_missing") return found
        const assumed: InspectedServer = { issuer: origin, server: defaultServer(origin), refused: null }
        return mayAssume ? assumed : null
      })

      /** A server's current metadata, requested from the location where it was found. */
      const inspectAgain = Effect.fnUntraced(function* (organizationId: string, server: OAuthServer) {
        if (server.foundBy === undefined) return yield* inspectIssuer(organizationId, server.issuer, false)
        const { origin } = new URL(server.issuer)
        const found = yield* inspectOrigin(organizationId, origin, server.foundBy === "default_endpoints")
        const missing: InspectedServer = {
          issuer: origin,
          server: null,
          refused: { code: "metadata_missing", message: "The server has no authorization metadata document." }
        }
        return found ?? missing
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

      const look = Effect.fnUntraced(function* (input: Inspect) {
        const { challenge: header, mayAssumeEndpoints = false, organizationId, url } = input
        const server = new URL(url)
        const challenge = challengeOf(header)
        const warnings: Array<Warning> = []
        const { document, isRefused } = yield* resourceDocument(
          server,
          organizationId,
          challenge.resourceMetadata,
          warnings
        )
        const named = document?.document["authorization_servers"]
        const listed = document === undefined ? [] : (textsOf(document.document, "authorization_servers") ?? [])
        if (listed.length > serversMax) {
          warnings.push({ code: "servers_left_out", message: `Only the first ${serversMax} servers are looked at.` })
        }
        // Before there were such documents a server was its own authorization server.
        const isNamed = isRefused || (Array.isArray(named) && named.length > 0)
        // Any other document, or a challenge for another scheme than Bearer, rules the default endpoints out.
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
            message: "The server does not say which authorization server knows its callers."
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
                    reason: `${usable.issuer} registers no clients by itself: register one there by hand, with our callback as its redirect address, and enter its id.`,
                    required: true
                  }
                ]
              : []
        }
        return authorization
      })

      const inspect = (input: Inspect): Effect.Effect<Authorization, McpFailed> =>
        look(input).pipe(
          Effect.timeoutOrElse({
            duration: input.timeoutMillis ?? millisDefault,
            orElse: () =>
              Effect.fail(
                new McpFailed({
                  category: "network",
                  code: "timeout",
                  message: "The servers did not say in time how to get in.",
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
