import type { RegistrationMethod } from "@orgplane/schema/mcp-connections"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Data from "effect/Data"
import type * as Redacted from "effect/Redacted"
import type { OAuthServer } from "./server.ts"

/** What a credential is for: an MCP connection, a suite, or a provider of models. */
export type Purpose = "mcp" | "capability" | "llm"

/** Whose credential for what: all that it is ever found by. */
export interface CredentialRef {
  readonly organizationId: Id<"org">
  readonly purpose: Purpose
  /** The connection's or provider's id, or the suite's name. */
  readonly subjectId: string
  /** Null for the one that everybody with a grant uses. */
  readonly membershipId: Id<"om"> | null
}

export type AuthMethod = "none" | "client_secret_basic" | "client_secret_post"

/** What we are to an authorization server. */
export interface OAuthClient {
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted | null
  readonly registration: RegistrationMethod
  readonly authMethod: AuthMethod
}

/** What an exchange brought. */
export interface Tokens {
  readonly accessToken: Redacted.Redacted
  readonly refreshToken: Redacted.Redacted | null
  /** Null where the server does not say. */
  readonly expiresInSeconds: number | null
  readonly scopes: ReadonlyArray<string>
}

/** A server and what we are there, with the resource that its tokens are for. */
export interface Party {
  readonly server: OAuthServer
  readonly client: OAuthClient
  /** Null: none is sent. */
  readonly resource: string | null
  /** The operator named the server's addresses, so they may be private. */
  readonly isConfigured: boolean
}

/** There is no credential for it. */
export class TokenMissing extends Data.TaggedError("TokenMissing")<{}> {}

/** There is one, and it no longer works; `reason` is a sentence without secrets. */
export class ReconnectRequired extends Data.TaggedError("ReconnectRequired")<{ readonly reason: string }> {}

/** What a sealed value is bound to: moved to another row, it cannot be opened. */
export const sealContext = (ref: CredentialRef): string =>
  `oauth-credential\n${ref.organizationId}\n${ref.purpose}\n${ref.subjectId}\n${ref.membershipId ?? ""}`
