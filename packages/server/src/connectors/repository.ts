import * as Connectors from "@orgplane/schema/connectors"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { KeyRing } from "../crypto/key-ring.ts"
import type { CodeHostFailed, Repository } from "../ports/code-host.ts"
import { SqlDatabase } from "../sql/client.ts"
import * as repo from "./repo.ts"

const purpose = "connector-credential"

/** Whom a credential may be sent to. */
export const originOf = (cloneUrl: string): string => {
  const url = new URL(cloneUrl)
  return `${url.protocol}//${url.host}`
}

/** What a sealed credential is bound to: for another organization, use or origin it does not open. */
export const credentialContext = (organizationId: Id<"org">, id: string, cloneUrl: string) =>
  `${purpose}/${organizationId}/${id}/${originOf(cloneUrl)}`

/** Makes the function that turns an instance into a repository the code host can read. */
export const openRepository = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const keys = yield* KeyRing
  return (instance: {
    readonly organization_id: Id<"org">
    readonly remote_id: string
    readonly credential_id: string | null
  }): Effect.Effect<Repository> =>
    Effect.gen(function* () {
      const { credential_id: id, organization_id: organizationId } = instance
      const base = { cloneUrl: instance.remote_id, organizationId }
      if (id === null) return { ...base, credential: null }
      const row = yield* repo.getSealed(sql, organizationId, id)
      if (row === undefined) return { ...base, credential: null }
      const text = yield* keys.open(credentialContext(organizationId, id, instance.remote_id), {
        keyId: row.key_id,
        nonce: row.nonce,
        ciphertext: row.ciphertext
      })
      const separator = text.indexOf("\n")
      return {
        ...base,
        credential: { username: text.slice(0, separator), token: Redacted.make(text.slice(separator + 1)) }
      }
    }).pipe(Effect.orDie)
})

/** A code host's failure as a caller is told it, when the repository is one it has set up before. */
export const toApiError = (failure: CodeHostFailed): Connectors.CodehostApiError | Connectors.RepositoryEmpty =>
  failure.code === "empty_repository"
    ? new Connectors.RepositoryEmpty()
    : new Connectors.CodehostApiError({ message: failure.message })
