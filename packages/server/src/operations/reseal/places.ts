/** Where encrypted values are stored, and the context with which each is encrypted. */
import type { SigningJwk } from "@orgplane/schema/system"
import type { Id, Prefix } from "@orgplane/schema/shared/ids"
import { credentialContext } from "../../content/connectors/repository.ts"
import { type SealedColumn } from "../../infra/crypto/sealed-columns.ts"
import { publicHalfOf, signingKeyContext } from "../../infra/crypto/signing-keys.ts"
import { secretContext } from "../../agents/mcp-connections/repo.ts"
import { clientContext, credentialLost, type Purpose, sealContext, stateContext } from "../../agents/oauth/index.ts"
import { clientSecretContext } from "../../enterprise/sso/repo.ts"
import { sealContext as signInContext } from "../../enterprise/sso/sign-in-repo.ts"
import { streamSecretContext } from "../../identity/event-streams/secrets.ts"
import { secretContext as webhookSecretContext } from "../../identity/webhook-endpoints/secrets.ts"
import { sealedFor } from "../../agents/workers/runtime-token.ts"
import type * as repo from "./repo.ts"

/** A type of sealed value: where values are stored, and the context with which each is sealed. */
export interface SealedPlace<R extends repo.Row> extends repo.Place<R> {
  readonly column: SealedColumn
  readonly contextOf: (row: R) => string
  /** The text that replaces a value that no key decrypts; without it, the row or its value is deleted. */
  readonly lostText?: (row: R) => string
  /** The organization and the target of the audit event if the value is deleted. Omitted for values without an organization. */
  readonly belongsTo?: (row: R) => { readonly organizationId: Id<"org">; readonly target: string }
}

const toRow = (row: { readonly organization_id: Id<"org">; readonly id: string }) => ({
  organizationId: row.organization_id,
  target: row.id
})

const toSubject = (row: { readonly organization_id: Id<"org">; readonly subject_id: string }) => ({
  organizationId: row.organization_id,
  target: row.subject_id
})

/** A value of an organization with an ID. */
interface OwnRow<P extends Prefix> extends repo.Row {
  readonly organization_id: Id<"org">
  readonly id: Id<P>
}

/** A value in `sealed_values`, and the table that refers to it. */
interface ValueRow extends repo.Row {
  readonly organization_id: Id<"org">
  readonly id: string
  readonly owner: string
}

interface SigningKeyRow extends repo.Row {
  readonly id: string
  readonly public_jwk: SigningJwk
}

interface CredentialRow extends repo.Row {
  readonly organization_id: Id<"org">
  readonly purpose: Purpose
  readonly subject_id: string
  readonly membership_id: Id<"om"> | ""
}

interface StateRow extends repo.Row {
  readonly organization_id: Id<"org">
  readonly state_digest: Uint8Array
  readonly purpose: Purpose
  readonly subject_id: string
  readonly membership_id: Id<"om">
  readonly session_id: Id<"ses"> | null
}

interface ClientRow extends repo.Row {
  readonly organization_id: Id<"org">
  readonly purpose: Purpose
  readonly subject_id: string
  readonly issuer: string
}

interface WebhookSecretRow extends repo.Row {
  readonly organization_id: Id<"org">
  readonly endpoint_id: Id<"whe">
  readonly id: string
}

interface SsoSecretRow extends OwnRow<"sso"> {
  readonly config_json: { readonly issuer: string; readonly clientId: string }
}

const ownKey = ["organization_id", "id"] as const

/** Applies an operation to every type of sealed value, which has its own type of row. */
export const forEachPlace = <A>(apply: <R extends repo.Row>(place: SealedPlace<R>) => A): ReadonlyArray<A> => [
  apply<SigningKeyRow>({
    column: "signing_keys",
    table: "signing_keys",
    key: ["id"],
    others: ["public_jwk"],
    contextOf: (row) => signingKeyContext(row.id),
    // The public half still verifies what the key has signed.
    lostText: (row) => publicHalfOf(row.public_jwk),
    whenLost: { kind: "replace", set: "retired_at = coalesce(retired_at, now())" }
  }),
  apply<CredentialRow>({
    column: "oauth_credentials",
    table: "oauth_credentials",
    key: ["organization_id", "purpose", "subject_id", "membership_id"],
    contextOf: (row) =>
      sealContext({
        organizationId: row.organization_id,
        purpose: row.purpose,
        subjectId: row.subject_id,
        membershipId: row.membership_id === "" ? null : row.membership_id
      }),
    lostText: () => JSON.stringify({ accessToken: "", refreshToken: null, clientSecret: null }),
    belongsTo: toSubject,
    whenLost: { kind: "replace", set: "status = 'reconnect_required'", reason: credentialLost }
  }),
  apply<ClientRow>({
    column: "oauth_clients",
    table: "oauth_clients",
    key: ["organization_id", "purpose", "subject_id", "issuer"],
    contextOf: (row) =>
      clientContext(
        { organizationId: row.organization_id, purpose: row.purpose, subjectId: row.subject_id },
        row.issuer
      ),
    belongsTo: toSubject,
    whenLost: { kind: "delete" }
  }),
  apply<StateRow>({
    column: "oauth_states",
    table: "oauth_states",
    key: ["organization_id", "state_digest"],
    others: ["purpose", "subject_id", "membership_id", "session_id"],
    contextOf: (row) =>
      stateContext(
        { organizationId: row.organization_id, membershipId: row.membership_id, sessionId: row.session_id },
        row.purpose,
        row.subject_id
      ),
    belongsTo: toSubject,
    whenLost: { kind: "delete" }
  }),
  apply<ValueRow>({
    column: "sealed_values of connector_instances",
    table: "sealed_values",
    key: ownKey,
    owner: { table: "connector_instances", reference: "credential_id", column: "remote_id" },
    contextOf: (row) => credentialContext(row.organization_id, row.id, row.owner),
    belongsTo: toRow,
    whenLost: { kind: "delete" }
  }),
  apply<ValueRow>({
    column: "sealed_values of mcp_connections",
    table: "sealed_values",
    key: ownKey,
    owner: { table: "mcp_connections", reference: "oauth_client_secret_id", column: "id" },
    contextOf: (row) => secretContext(row.organization_id, row.owner as Id<"emc">),
    belongsTo: ({ organization_id: organizationId, owner }) => ({ organizationId, target: owner }),
    whenLost: { kind: "delete" }
  }),
  apply<SsoSecretRow>({
    column: "sso_connections",
    table: "sso_connections",
    key: ownKey,
    others: ["config_json"],
    contextOf: ({ config_json: config, id, organization_id: organizationId }) =>
      clientSecretContext(organizationId, id, config.issuer, config.clientId),
    belongsTo: toRow,
    whenLost: { kind: "clear" }
  }),
  apply<OwnRow<"ssi">>({
    column: "sso_sign_ins",
    table: "sso_sign_ins",
    key: ownKey,
    contextOf: (row) => signInContext(row.organization_id, row.id),
    belongsTo: toRow,
    whenLost: { kind: "delete" }
  }),
  apply<OwnRow<"evs">>({
    column: "event_streams",
    table: "event_streams",
    key: ownKey,
    contextOf: (row) => streamSecretContext(row.organization_id, row.id),
    belongsTo: toRow,
    whenLost: { kind: "clear" }
  }),
  apply<WebhookSecretRow>({
    column: "webhook_secrets",
    table: "webhook_secrets",
    key: ["organization_id", "endpoint_id", "id"],
    contextOf: (row) => webhookSecretContext(row.organization_id, row.endpoint_id, row.id),
    belongsTo: (row) => ({ organizationId: row.organization_id, target: row.endpoint_id }),
    whenLost: { kind: "delete" }
  }),
  apply<OwnRow<"wki">>({
    column: "worker_instances",
    table: "worker_instances",
    key: ownKey,
    contextOf: (row) => sealedFor(row.organization_id, row.id),
    belongsTo: toRow,
    whenLost: { kind: "clear" }
  })
]
