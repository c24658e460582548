import type { RegistrationMethod } from "@orgplane/schema/mcp-connections"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Data from "effect/Data"
import type * as Redacted from "effect/Redacted"
import type { OAuthServer } from "./server.ts"

/** The purpose of a credential: an MCP connection, a suite, or an LLM provider. */
export type Purpose = "mcp" | "capability" | "llm"

/** The owner and subject of a credential. Credentials can be looked up only by these. */
export interface CredentialRef {
  readonly organizationId: Id<"org">
  readonly purpose: Purpose
  /** The ID of the connection or provider, or the name of the suite. */
  readonly subjectId: string
  /** Null for the shared credential, which everyone with a grant uses. */
  readonly membershipId: Id<"om"> | null
}

export type AuthMethod = "none" | "client_secret_basic" | "client_secret_post"

/** This server's client registration at an authorization server. */
export interface OAuthClient {
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted | null
  readonly registration: RegistrationMethod
  readonly authMethod: AuthMethod
}

/** The tokens of a token response. */
export interface Tokens {
  readonly accessToken: Redacted.Redacted
  readonly refreshToken: Redacted.Redacted | null
  /** Null when the server does not return `expires_in`. */
  readonly expiresInSeconds: number | null
  readonly scopes: ReadonlyArray<string>
}

/** An authorization server, the client registered there, and the resource that the tokens are for. */
export interface Party {
  readonly server: OAuthServer
  readonly client: OAuthClient
  /** Null when no `resource` parameter is sent. */
  readonly resource: string | null
  /** The operator configured the server's addresses, so they may be private. */
  readonly isConfigured: boolean
}

/** No matching credential exists. */
export class TokenMissing extends Data.TaggedError("TokenMissing")<{}> {}

export const credentialLost =
  "The stored credential cannot be decrypted, because the secret key of the server was lost. Connect again, or set the key again."

/** The credential exists but no longer works. `reason` is a sentence without secrets. */
export class ReconnectRequired extends Data.TaggedError("ReconnectRequired")<{ readonly reason: string }> {}

/** The context that a sealed value is bound to. If the value is copied to another row, it cannot be opened. */
export const sealContext = (ref: CredentialRef): string =>
  `oauth-credential\n${ref.organizationId}\n${ref.purpose}\n${ref.subjectId}\n${ref.membershipId ?? ""}`
