import type { Id } from "@orgplane/schema/shared/ids"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { sha256Bytes } from "../../infra/crypto/digest.ts"
import { KeyRing } from "../../infra/crypto/key-ring.ts"
import { makeSecret } from "../../infra/crypto/tokens.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { organizationTransaction } from "../../infra/sql/organization-scope.ts"
import type { CredentialRef, OAuthClient, Party, Purpose } from "./credential.ts"
import { authMethodFor, type Registration, TokenEndpoint } from "./endpoint.ts"
import type { OAuthServer } from "./server.ts"
import * as states from "./state-repo.ts"
import * as repo from "./repo.ts"

const stateSeconds = 600

/** The member who starts and completes a sign-in, in one session. */
export interface SessionMember {
  readonly organizationId: Id<"org">
  readonly membershipId: Id<"om">
  /** Null for a user of the host application. */
  readonly sessionId: Id<"ses"> | null
}

export interface SignInRequest {
  readonly purpose: Purpose
  readonly subjectId: string
  /** True for a credential that everyone with a grant uses, false for a personal one. */
  readonly isShared: boolean
  readonly party: Party
  readonly scopes: ReadonlyArray<string>
  readonly redirectUri: string
  readonly returnTo: string | null
  /** Parameters specific to the server, such as `access_type`; never those of OAuth. */
  readonly extra?: Readonly<Record<string, string>>
}

/** A sign-in in progress, as returned to the session that started it. */
export interface StartedSignIn {
  readonly ref: CredentialRef
  readonly party: Party
  readonly redirectUri: string
  readonly verifier: Redacted.Redacted
  /** The requested scopes. */
  readonly scopes: ReadonlyArray<string>
}

/** The sealed part of a sign-in in progress. */
const decodeSecrets = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.Struct({ verifier: Schema.String, clientSecret: Schema.NullOr(Schema.String) }))
)

/** The context that the secrets of a sign-in in progress are sealed with. */
export const stateContext = (member: SessionMember, purpose: Purpose, subjectId: string) =>
  `oauth-state\n${member.organizationId}\n${purpose}\n${subjectId}\n${member.membershipId}\n${member.sessionId ?? ""}`

/** The context that a client secret is sealed with. */
export const clientContext = (
  subject: Pick<CredentialRef, "organizationId" | "purpose" | "subjectId">,
  issuer: string
) => `oauth-client\n${subject.organizationId}\n${subject.purpose}\n${subject.subjectId}\n${issuer}`

/** A manually registered client. */
export const preRegisteredClient = (
  server: OAuthServer,
  clientId: string,
  clientSecret: Redacted.Redacted | null
): OAuthClient => ({
  clientId,
  clientSecret,
  registration: "pre_registered",
  authMethod: authMethodFor(server, clientSecret !== null)
})

/** A client whose ID is the URL of this server's client ID metadata document. */
export const metadataDocumentClient = (documentUrl: string): OAuthClient => ({
  clientId: documentUrl,
  clientSecret: null,
  registration: "client_id_metadata_document",
  authMethod: "none"
})

/** Sign-ins at authorization servers, from the authorization URL to the tokens. */
export class OAuthSignIn extends Context.Service<OAuthSignIn>()("@orgplane/server/oauth/OAuthSignIn", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const keys = yield* KeyRing
    const endpoint = yield* TokenEndpoint
    const transaction = yield* organizationTransaction

    /** The client registered at this server for the subject; registers one if there is none. */
    const ensureClient = Effect.fnUntraced(function* (
      subject: Pick<CredentialRef, "organizationId" | "purpose" | "subjectId">,
      server: OAuthServer,
      request: Registration
    ) {
      const { organizationId } = subject
      const context = clientContext(subject, server.issuer)
      const existing = yield* Effect.orDie(transaction(organizationId, repo.findClient(sql, subject, server.issuer)))
      if (existing !== undefined && existing.redirect_uri === request.redirectUri) {
        const { ciphertext, key_id: keyId, nonce } = existing
        const secret =
          keyId === null || nonce === null || ciphertext === null
            ? null
            : keys.tryOpen(context, { keyId, nonce, ciphertext })
        // A client whose secret cannot be decrypted any more is replaced.
        if (secret !== undefined) {
          const client: OAuthClient = {
            clientId: existing.client_id,
            clientSecret: secret === null ? null : Redacted.make(secret),
            registration: "dynamic",
            authMethod: existing.auth_method
          }
          return client
        }
      }
      const { client, expiresAt } = yield* endpoint.register(organizationId, server, request)
      const sealed = client.clientSecret === null ? null : keys.seal(context, Redacted.value(client.clientSecret))
      const { authMethod, clientId } = client
      const row = { clientId, redirectUri: request.redirectUri, authMethod, sealed, expiresAt }
      yield* Effect.orDie(transaction(organizationId, repo.putClient(sql, subject, server.issuer, row)))
      return client
    })

    /** The authorization URL and its state. `begin` stores the state; run it inside the caller's transaction. */
    const prepare = (member: SessionMember, request: SignInRequest) => {
      const { client, isConfigured, resource, server } = request.party
      const state = makeSecret()
      const verifier = makeSecret()
      const url = new URL(server.authorizationEndpoint)
      const parameters = {
        ...request.extra,
        response_type: "code",
        client_id: client.clientId,
        redirect_uri: request.redirectUri,
        state,
        code_challenge: sha256Bytes(verifier).toString("base64url"),
        code_challenge_method: "S256",
        ...(resource === null ? {} : { resource }),
        ...(request.scopes.length === 0 ? {} : { scope: request.scopes.join(" ") }),
        // OpenID Connect grants offline access only with a consent prompt. A server that the operator configured has
        // its own extra parameters for that.
        ...(request.scopes.includes("offline_access") && !isConfigured ? { prompt: "consent" } : {})
      }
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
      const sealed = keys.seal(
        stateContext(member, request.purpose, request.subjectId),
        JSON.stringify({
          verifier,
          clientSecret: client.clientSecret === null ? null : Redacted.value(client.clientSecret)
        })
      )
      const row: states.NewState = {
        digest: sha256Bytes(state),
        purpose: request.purpose,
        subjectId: request.subjectId,
        isShared: request.isShared,
        returnTo: request.returnTo,
        started: {
          server,
          isConfigured,
          resource,
          clientId: client.clientId,
          registration: client.registration,
          authMethod: client.authMethod,
          redirectUri: request.redirectUri,
          scopes: request.scopes
        },
        sealed
      }
      return { url: url.href, state, begin: states.begin(sql, member, row, stateSeconds) }
    }

    /**
     * Takes the sign-in that this session started and consumes its state, so it can be taken once. For any other
     * caller, returns undefined, and the state stays valid.
     */
    const take = Effect.fnUntraced(function* (
      member: SessionMember,
      purpose: Purpose,
      subjectId: string,
      state: string
    ) {
      const row = yield* Effect.orDie(
        transaction(member.organizationId, states.take(sql, member, purpose, subjectId, sha256Bytes(state)))
      )
      if (row === undefined) return undefined
      const {
        authMethod,
        clientId,
        isConfigured,
        redirectUri,
        registration,
        resource,
        scopes = [],
        server
      } = row.begun_json
      const text = keys.tryOpen(stateContext(member, purpose, subjectId), repo.sealedOf(row))
      if (text === undefined) return undefined
      const secrets = yield* Effect.orDie(decodeSecrets(text))
      const started: StartedSignIn = {
        ref: {
          organizationId: member.organizationId,
          purpose,
          subjectId,
          membershipId: row.is_shared ? null : member.membershipId
        },
        party: {
          server,
          isConfigured,
          resource,
          client: {
            clientId,
            clientSecret: secrets.clientSecret === null ? null : Redacted.make(secrets.clientSecret),
            registration,
            authMethod
          }
        },
        redirectUri,
        verifier: Redacted.make(secrets.verifier),
        scopes
      }
      return started
    })

    /** Exchanges the code that the browser returned with. */
    const exchange = (started: StartedSignIn, response: { readonly code: string; readonly iss?: string | undefined }) =>
      endpoint.exchange(started.ref.organizationId, started.party, response, started)

    /** The `returnTo` of a state: null when none was given, undefined when no such sign-in is in progress. */
    const returnToFor = (purpose: Purpose, state: string) =>
      Effect.orDie(states.findReturnTo(sql, purpose, sha256Bytes(state)))

    return { ensureClient, prepare, take, exchange, returnToFor } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
