import type { RegistrationMethod } from "@orgplane/schema/mcp-connections"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { Settings } from "../config/settings.ts"
import { McpFailed } from "../ports/mcp-servers.ts"
import { Outbound } from "../ports/outbound.ts"
import { challengeOf, scopesIn } from "./challenge.ts"
import { clientMetadataUrl } from "./client-metadata.ts"
import { type JsonDocument, type Place, readDocument, textOf, textsOf } from "./documents.ts"
import { type OAuthServer, readServer, type Refusal } from "./server.ts"
import { canonicalResource, coversServer, issuerMetadataUrls, resourceMetadataUrls } from "./well-known.ts"

export interface Inspect {
  /** Of the MCP server. */
  readonly url: string
  readonly organizationId: string
  /** The `WWW-Authenticate` of its 401, where it was asked. */
  readonly challenge?: string | undefined
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
 * may, as in the standard of 2025-03-26, be its own authorization server; endpoints that no document names are not
 * guessed, because nothing would say that PKCE is supported. Everything is reached as an address that somebody supplied.
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
      const inspectIssuer = Effect.fnUntraced(function* (organizationId: string, issuer: string) {
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
          const judged = readServer(issuer, place, found.document)
          const inspected: InspectedServer =
            "refused" in judged
              ? { issuer, server: null, refused: judged.refused }
              : { issuer, server: judged.server, refused: null }
          return inspected
        }
        return reason === undefined
          ? refused("metadata_missing", "It has no metadata document.")
          : refused("metadata_invalid", reason)
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

      const look = Effect.fnUntraced(function* ({ challenge: header, organizationId, url }: Inspect) {
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
        const issuers = listed.length > 0 ? listed.slice(0, serversMax) : isNamed ? [] : [server.origin]
        const isGuess = listed.length === 0
        const servers = (yield* Effect.forEach(issuers, (issuer) => inspectIssuer(organizationId, issuer))).filter(
          ({ refused }) => !isGuess || refused?.code !== "metadata_missing"
        )
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

      return { inspect, inspectIssuer } as const
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
