import type { AuthorizationServer } from "@orgplane/schema/mcp-resolve"
import { scopesIn } from "./challenge.ts"
import { type JsonDocument, textOf, textsOf } from "./documents.ts"
import { sameIssuer } from "./well-known.ts"

/** An authorization server by its metadata, or as the operator configured it. */
export interface OAuthServer extends AuthorizationServer {
  readonly revocationEndpoint: string | null
  /** RFC 9207: the server returns `iss` in the authorization response. */
  readonly issParameterSupported: boolean
  /**
   * How an MCP server of revision 2025-03-26, which does not name an authorization server, was found to be its own:
   * by the metadata at the root of its origin, or, without metadata, by that revision's default endpoints.
   */
  readonly foundBy?: "origin_metadata" | "default_endpoints"
}

/**
 * The endpoints that revision 2025-03-26 gives an origin without metadata. It requires PKCE and allows public clients.
 */
export const defaultServer = (origin: string): OAuthServer => ({
  issuer: origin,
  authorizationEndpoint: `${origin}/authorize`,
  tokenEndpoint: `${origin}/token`,
  registrationEndpoint: `${origin}/register`,
  revocationEndpoint: null,
  clientIdMetadataDocumentSupported: false,
  scopesSupported: [],
  grantTypesSupported: ["authorization_code", "refresh_token"],
  codeChallengeMethodsSupported: ["S256"],
  tokenEndpointAuthMethodsSupported: ["none", "client_secret_basic"],
  issParameterSupported: false,
  foundBy: "default_endpoints"
})

/** Whether the metadata at the root of an origin may name this issuer: the origin, or a URL below it. */
const isBelow = (issuer: string, origin: string): boolean => {
  const url = URL.parse(issuer)
  return (
    url !== null &&
    url.origin === origin &&
    [url.search, url.hash, url.username, url.password].every((part) => part === "")
  )
}

/** Why a server is not used. The list of codes is fixed and documented, because clients show them. */
export type RefusalCode =
  | "issuer_mismatch"
  | "pkce_not_supported"
  | "endpoint_refused"
  | "metadata_invalid"
  | "metadata_missing"
  | "unreachable"

export interface Refusal {
  readonly code: RefusalCode
  readonly message: string
}

const refusal = (code: RefusalCode, message: string): { readonly refused: Refusal } => ({ refused: { code, message } })

/**
 * Plain http is accepted only in a document that itself came by plain http, which the outbound HTTP client allows only
 * on a developer's machine.
 */
const isEndpoint = (text: string, documentUrl: string): boolean => {
  const url = URL.parse(text)
  return (
    url !== null &&
    (url.protocol === "https:" || (url.protocol === "http:" && documentUrl.startsWith("http:"))) &&
    url.username === "" &&
    url.password === "" &&
    url.hash === ""
  )
}

/**
 * The parsed metadata, or why the server is not used. `isOrigin`: the issuer was not named; it is the MCP server's
 * origin.
 */
export const readServer = (
  issuer: string,
  documentUrl: string,
  document: JsonDocument,
  isOrigin = false
): { readonly server: OAuthServer } | { readonly refused: Refusal } => {
  const statedIssuer = textOf(document, "issuer")
  if (statedIssuer === null) return refusal("metadata_invalid", "Its metadata does not contain an issuer.")
  const isNamed = sameIssuer(statedIssuer, issuer)
  if (!isNamed && !(isOrigin && isBelow(statedIssuer, issuer))) {
    return refusal("issuer_mismatch", "Its metadata contains a different issuer.")
  }
  const authorizationEndpoint = textOf(document, "authorization_endpoint")
  const tokenEndpoint = textOf(document, "token_endpoint")
  if (authorizationEndpoint === null || tokenEndpoint === null) {
    return refusal(
      "metadata_invalid",
      "Its metadata does not contain both an authorization endpoint and a token endpoint."
    )
  }
  const registrationEndpoint = textOf(document, "registration_endpoint")
  const revocationEndpoint = textOf(document, "revocation_endpoint")
  const endpoints = [authorizationEndpoint, tokenEndpoint, registrationEndpoint, revocationEndpoint]
  if (endpoints.some((endpoint) => endpoint !== null && !isEndpoint(endpoint, documentUrl))) {
    return refusal("endpoint_refused", "Its metadata contains an endpoint that is not an https URL.")
  }
  const codeChallengeMethodsSupported = textsOf(document, "code_challenge_methods_supported") ?? []
  if (!codeChallengeMethodsSupported.includes("S256")) {
    return refusal(
      "pkce_not_supported",
      "Its metadata does not list PKCE with S256 (code_challenge_methods_supported)."
    )
  }
  const responseTypes = textsOf(document, "response_types_supported")
  if (responseTypes !== null && !responseTypes.includes("code")) {
    return refusal("metadata_invalid", "Its metadata does not list the response type `code`.")
  }
  return {
    server: {
      issuer: statedIssuer,
      authorizationEndpoint,
      tokenEndpoint,
      registrationEndpoint,
      revocationEndpoint,
      clientIdMetadataDocumentSupported: document["client_id_metadata_document_supported"] === true,
      scopesSupported: scopesIn(document["scopes_supported"]),
      // The defaults of the standard.
      grantTypesSupported: textsOf(document, "grant_types_supported") ?? ["authorization_code", "implicit"],
      codeChallengeMethodsSupported,
      tokenEndpointAuthMethodsSupported: textsOf(document, "token_endpoint_auth_methods_supported") ?? [
        "client_secret_basic"
      ],
      issParameterSupported: document["authorization_response_iss_parameter_supported"] === true,
      ...(isNamed ? {} : { foundBy: "origin_metadata" as const })
    }
  }
}

/** Compares the members that must not change between the sign-in and a renewal. */
export const sameServer = (left: OAuthServer, right: OAuthServer): boolean =>
  left.issuer === right.issuer &&
  left.tokenEndpoint === right.tokenEndpoint &&
  left.authorizationEndpoint === right.authorizationEndpoint
