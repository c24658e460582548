import { CodehostNotConfigured } from "@orgplane/schema/connector-accounts"
import * as Connectors from "@orgplane/schema/connectors"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { KeyRing } from "../../infra/crypto/key-ring.ts"
import { makeId } from "../../infra/ids.ts"
import { CodeHostApp, type RepositoryState } from "../../infra/ports/code-host-app.ts"
import { CodeHost, type CodeHostFailed, type Repository, type Snapshot } from "../../infra/ports/code-host.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import * as accounts from "./accounts-repo.ts"
import * as repo from "./repo.ts"

const purpose = "connector-credential"

/** Whom a credential may be sent to. */
export const originOf = (cloneUrl: string): string => {
  const url = new URL(cloneUrl)
  return `${url.protocol}//${url.host}`
}

/** The account of plain git at an address's host: what it is called is the host, or `file` for this machine. */
export const accountAt = (cloneUrl: string): accounts.NewAccount => {
  const url = new URL(cloneUrl)
  const host = url.protocol === "file:" ? "file" : url.host
  return { id: makeId("cac"), adapter: "git", remoteId: `git:${host}`, name: host }
}

/** What a sealed credential is bound to: for another organization, use or origin it does not open. */
export const credentialContext = (organizationId: Id<"org">, id: string, cloneUrl: string) =>
  `${purpose}/${organizationId}/${id}/${originOf(cloneUrl)}`

/** A repository as its instance names it, whichever way it is read. */
export interface OpenedRepository {
  /** The host's current state of it; null when the host has no repository API (plain git). */
  readonly state: Effect.Effect<RepositoryState | null, CodeHostFailed>
  readonly head: (branch: string) => Effect.Effect<string, CodeHostFailed>
  readonly snapshot: (branch: string, revision?: string) => Effect.Effect<Snapshot, CodeHostFailed, Scope.Scope>
}

type Opened = Pick<
  repo.InstanceRow,
  "organization_id" | "connector_account_id" | "adapter" | "remote_id" | "credential_id"
>

/** Makes the function that opens what an instance reads, by the adapter it was connected with. */
export const openRepository = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const keys = yield* KeyRing
  const codeHost = yield* CodeHost
  const app = yield* CodeHostApp

  const byGit = (instance: Opened): Effect.Effect<Repository> =>
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

  const byApp = Effect.fnUntraced(function* (instance: Opened) {
    const account = yield* accounts.find(sql, instance.organization_id, instance.connector_account_id)
    // Whatever refers to an account keeps it.
    if (account === undefined) return yield* Effect.die(new Error("A connector instance has no account."))
    return {
      installationId: account.remote_id,
      repositoryId: instance.remote_id,
      organizationId: instance.organization_id
    }
  }, Effect.orDie)

  return (instance: Opened): Effect.Effect<OpenedRepository> =>
    instance.adapter === "git"
      ? Effect.map(byGit(instance), (repository) => ({
          state: Effect.succeed(null),
          head: (branch) => codeHost.head(repository, branch),
          snapshot: (branch, revision) => codeHost.snapshot(repository, branch, revision)
        }))
      : Effect.map(byApp(instance), (repository) => ({
          state: app.state(repository),
          head: (branch) => app.head(repository, branch),
          snapshot: (branch, revision) => app.snapshot(repository, branch, revision)
        }))
})

/** A code host's failure as a caller is told it, when the repository is one it has set up before. */
export const toApiError = (failure: CodeHostFailed): Connectors.CodehostApiError | Connectors.RepositoryEmpty =>
  failure.code === "empty_repository"
    ? new Connectors.RepositoryEmpty()
    : new Connectors.CodehostApiError({ message: failure.message })

/** A failure of a code host's app, as a caller is told it. */
export const toAppError = (failure: CodeHostFailed): Connectors.CodehostApiError | CodehostNotConfigured =>
  failure.code === "not_configured"
    ? new CodehostNotConfigured()
    : new Connectors.CodehostApiError({ message: failure.message })

/**
 * A failure of the first look at a repository, as the fault of the request that it is where it is one: `place` names
 * the repository, `key` what opens it.
 */
export const setupError = (failure: CodeHostFailed, place: string, key: string) => {
  switch (failure.code) {
    case "blocked":
    case "not_a_repository":
      return InvalidRequest.at(["body", place], failure.message)
    case "branch_not_found":
      return InvalidRequest.at(["body", "branch"], failure.message)
    case "unauthorized":
      return InvalidRequest.at(["body", key], failure.message)
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
