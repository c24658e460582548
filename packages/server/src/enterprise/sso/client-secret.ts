import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { KeyRing } from "../../infra/crypto/key-ring.ts"
import { clientSecretContext, type OidcRow } from "./repo.ts"

/** The decrypted client secret for the provider; null if there is none. */
export const clientSecretOf = (keys: KeyRing["Service"], row: OidcRow) => {
  const { ciphertext, config_json: config, id, key_id: keyId, nonce, organization_id: organizationId } = row
  return keyId === null || nonce === null || ciphertext === null
    ? Effect.succeed(null)
    : Effect.map(
        keys.open(clientSecretContext(organizationId, id, config.issuer, config.clientId), {
          keyId,
          nonce,
          ciphertext
        }),
        (secret) => Redacted.make(secret)
      )
}
