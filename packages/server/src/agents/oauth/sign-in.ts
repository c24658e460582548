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

/** Who begins and completes: a person, in one session. */
export interface Beginner {
  readonly organizationId: Id<"org">
  readonly membershipId: Id<"om">
  /** Null for a person of the host application. */
  readonly sessionId: Id<"ses"> | null
}

export interface Wish {
  readonly purpose: Purpose
  readonly subjectId: string
  /** For everybody with a grant, not for the person alone. */
  readonly isShared: boolean
  readonly party: Party
  readonly scopes: ReadonlyArray<string>
  readonly redirectUri: string
  readonly returnTo: string | null
  /** Of the server's own, as `access_type`; never one of OAuth's. */
  readonly extra?: Readonly<Record<string, string>>
}

/** What was begun, as its own session gets it back. */
export interface Begun {
  readonly ref: CredentialRef
  readonly party: Party
  readonly redirectUri: string
  readonly verifier: Redacted.Redacted
  /** That were requested. */
  readonly scopes: ReadonlyArray<string>
}

/** What is sealed of a sign-in that was begun. */
const decodeSecrets = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.Struct({ verifier: Schema.String, clientSecret: Schema.NullOr(Schema.String) }))
)

const sealContext = (who: Beginner, purpose: Purpose, subjectId: string) =>
  `oauth-state\n${who.organizationId}\n${purpose}\n${subjectId}\n${who.membershipId}\n${who.sessionId ?? ""}`

/** What a client's secret is sealed for. */
export const clientContext = (
  subject: Pick<CredentialRef, "organizationId" | "purpose" | "subjectId">,
  issuer: string
) => `oauth-client\n${subject.organizationId}\n${subject.purpose}\n${subject.subjectId}\n${issuer}`

/** A client that somebody registered by hand. */
export const registeredByHand = (
  server: OAuthServer,
  clientId: string,
  clientSecret: Redacted.Redacted | null
): OAuthClient => ({
  clientId,
  clientSecret,
  registration: "pre_registered",
  authMethod: authMethodFor(server, clientSecret !== null)
})

/** A client whose id is the address of our own document. */
export const clientByDocument = (documentUrl: string): OAuthClient => ({
  clientId: documentUrl,
  clientSecret: null,
  registration: "client_id_metadata_document",
  authMethod: "none"
})

/** Sign-ins at authorization servers, from the address for a browser to the tokens. */
export class OAuthSignIn extends Context.Service<OAuthSignIn>()("@orgplane/server/oauth/OAuthSignIn", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const keys = yield* KeyRing
    const endpoint = yield* TokenEndpoint
    const fenced = yield* organizationTransaction

    /** The client that we registered there for the subject; registered now when there is none. */
    const registered = Effect.fnUntraced(function* (
      subject: Pick<CredentialRef, "organizationId" | "purpose" | "subjectId">,
      server: OAuthServer,
      wish: Registration
    ) {
      const { organizationId } = subject
      const context = clientContext(subject, server.issuer)
      const known = yield* Effect.orDie(fenced(organizationId, repo.findClient(sql, subject, server.issuer)))
      if (known !== undefined && known.redirect_uri === wish.redirectUri) {
        const { ciphertext, key_id: keyId, nonce } = known
        const secret =
          keyId === null || nonce === null || ciphertext === null
            ? null
            : Redacted.make(yield* keys.open(context, { keyId, nonce, ciphertext }))
        const client: OAuthClient = {
          clientId: known.client_id,
          clientSecret: secret,
          registration: "dynamic",
          authMethod: known.auth_method
        }
        return client
      }
      const { client, expiresAt } = yield* endpoint.register(organizationId, server, wish)
      const sealed = client.clientSecret === null ? null : keys.seal(context, Redacted.value(client.clientSecret))
      const { authMethod, clientId } = client
      const row = { clientId, redirectUri: wish.redirectUri, authMethod, sealed, expiresAt }
      yield* Effect.orDie(fenced(organizationId, repo.putClient(sql, subject, server.issuer, row)))
      return client
    })

    /** The address for the browser; `begin`, inside the caller's transaction, makes its state good. */
    const prepare = (who: Beginner, wish: Wish) => {
      const { client, isConfigured, resource, server } = wish.party
      const state = makeSecret()
      const verifier = makeSecret()
      const url = new URL(server.authorizationEndpoint)
      const parameters = {
        ...wish.extra,
        response_type: "code",
        client_id: client.clientId,
        redirect_uri: wish.redirectUri,
        state,
        code_challenge: sha256Bytes(verifier).toString("base64url"),
        code_challenge_method: "S256",
        ...(resource === null ? {} : { resource }),
        ...(wish.scopes.length === 0 ? {} : { scope: wish.scopes.join(" ") }),
        // OpenID Connect gives what outlives the visit only to whoever asks the person again; what the operator's own
        // server needs for that, its extra parameters say.
        ...(wish.scopes.includes("offline_access") && !isConfigured ? { prompt: "consent" } : {})
      }
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
      const sealed = keys.seal(
        sealContext(who, wish.purpose, wish.subjectId),
        JSON.stringify({
          verifier,
          clientSecret: client.clientSecret === null ? null : Redacted.value(client.clientSecret)
        })
      )
      const row: states.NewState = {
        digest: sha256Bytes(state),
        purpose: wish.purpose,
        subjectId: wish.subjectId,
        isShared: wish.isShared,
        returnTo: wish.returnTo,
        begun: {
          server,
          isConfigured,
          resource,
          clientId: client.clientId,
          registration: client.registration,
          authMethod: client.authMethod,
          redirectUri: wish.redirectUri,
          scopes: wish.scopes
        },
        sealed
      }
      return { url: url.href, state, begin: states.begin(sql, who, row, stateSeconds) }
    }

    /**
     * What this session began, once: the state is spent by it. Whoever else brings it gets undefined and leaves it as it
     * was.
     */
    const take = Effect.fnUntraced(function* (who: Beginner, purpose: Purpose, subjectId: string, state: string) {
      const row = yield* Effect.orDie(
        fenced(who.organizationId, states.take(sql, who, purpose, subjectId, sha256Bytes(state)))
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
      const text = yield* keys.open(sealContext(who, purpose, subjectId), repo.sealedOf(row))
      const secrets = yield* Effect.orDie(decodeSecrets(text))
      const begun: Begun = {
        ref: {
          organizationId: who.organizationId,
          purpose,
          subjectId,
          membershipId: row.is_shared ? null : who.membershipId
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
      return begun
    })

    /** Exchanges what the browser brought. */
    const exchange = (begun: Begun, response: { readonly code: string; readonly iss?: string | undefined }) =>
      endpoint.exchange(begun.ref.organizationId, begun.party, response, begun)

    /** Where the browser goes on that comes back with a state: null where nothing was said, undefined for no live state. */
    const returnToOf = (purpose: Purpose, state: string) =>
      Effect.orDie(states.findReturnTo(sql, purpose, sha256Bytes(state)))

    return { registered, prepare, take, exchange, returnToOf } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
