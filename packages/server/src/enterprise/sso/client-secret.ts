import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { KeyRing } from "../../infra/crypto/key-ring.ts"
import { clientSecretContext, type OidcRow } from "./repo.ts"

/** The client secret cannot be decrypted, because its key was lost. */
export class ClientSecretLost extends Data.TaggedError("ClientSecretLost") {}

/** The decrypted client secret for the provider; null if there is none. */
export const clientSecretOf = (keys: KeyRing["Service"], row: OidcRow) => {
  const { ciphertext, config_json: config, id, key_id: keyId, nonce, organization_id: organizationId } = row
  return keyId === null || nonce === null || ciphertext === null
    ? Effect.succeed(null)
    : Effect.suspend(() => {
        const context = clientSecretContext(organizationId, id, config.issuer, config.clientId)
        const secret = keys.tryOpen(context, { keyId, nonce, ciphertext })
        return secret === undefined ? Effect.fail(new ClientSecretLost()) : Effect.succeed(Redacted.make(secret))
      })
}
