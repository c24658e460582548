import * as Connectors from "@orgplane/schema/connectors"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
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

/** A failure of the first look at a repository, as the fault of the request that it is where it is one. */
export const setupError = (failure: CodeHostFailed) => {
  switch (failure.code) {
    case "blocked":
    case "not_a_repository":
      return InvalidRequest.at(["body", "cloneUrl"], failure.message)
    case "branch_not_found":
      return InvalidRequest.at(["body", "branch"], failure.message)
    case "unauthorized":
      return InvalidRequest.at(["body", "credential"], failure.message)
    case "empty_repository":
      return new Connectors.RepositoryEmpty()
    default:
      return new Connectors.CodehostApiError({ message: failure.message })
  }
}

/** A failure to find another branch of a repository that was read before. */
export const targetError = (failure: CodeHostFailed) =>
  failure.code === "branch_not_found" ? InvalidRequest.at(["body", "branch"], failure.message) : toApiError(failure)

/** What people call a repository: its owner and name, or its folder's name. */
export const fullNameOf = (cloneUrl: string): string => {
  const segments = new URL(cloneUrl).pathname
    .replace(/\.git$/, "")
    .split("/")
    .filter((segment) => segment !== "")
  // A code host's port has judged the address: it decodes.
  return decodeURIComponent(cloneUrl.startsWith("file:") ? (segments.at(-1) ?? "") : segments.slice(-2).join("/"))
}
