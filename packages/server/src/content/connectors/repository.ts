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
import {
  CodeHost,
  CodeHostFailed,
  type CommitStatus,
  type Repository,
  type Snapshot
} from "../../infra/ports/code-host.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"
import * as accounts from "./accounts-repo.ts"
import * as repo from "./repo.ts"

const purpose = "connector-credential"

/** The origin that a credential may be sent to. */
export const originOf = (cloneUrl: string): string => {
  const url = new URL(cloneUrl)
  return `${url.protocol}//${url.host}`
}

/** The plain Git account for a URL's host. Its name is the host, or `file` for the local machine. */
export const accountAt = (cloneUrl: string): accounts.NewAccount => {
  const url = new URL(cloneUrl)
  const host = url.protocol === "file:" ? "file" : url.host
  return { id: makeId("cac"), adapter: "git", remoteId: `git:${host}`, name: host }
}

/** The context of a sealed credential: it cannot be opened for another organization, purpose or origin. */
export const credentialContext = (organizationId: Id<"org">, id: string, cloneUrl: string) =>
  `${purpose}/${organizationId}/${id}/${originOf(cloneUrl)}`

/** The repository of an instance, regardless of its adapter. */
export interface OpenedRepository {
  /** The repository's current state according to the host; null if the host has no repository API (plain Git). */
  readonly state: Effect.Effect<RepositoryState | null, CodeHostFailed>
  readonly head: (branch: string) => Effect.Effect<string, CodeHostFailed>
  readonly snapshot: (branch: string, revision?: string) => Effect.Effect<Snapshot, CodeHostFailed, Scope.Scope>
  /** False if the host does not support commit statuses. */
  readonly setCommitStatus: (status: CommitStatus) => Effect.Effect<boolean, CodeHostFailed>
}

const credentialLost = () =>
  new CodeHostFailed({
    code: "unauthorized",
    message:
      "The stored credential of this repository cannot be decrypted, because the secret key of the server was lost. Set the credential of the connector again."
  })

type RepositoryAccess = Pick<
  repo.InstanceRow,
  "id" | "organization_id" | "connector_account_id" | "adapter" | "remote_id" | "credential_id"
>

/** Creates the function that reads an instance's credential; null if it has none. */
export const openCredential = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const keys = yield* KeyRing
  return Effect.fnUntraced(function* (instance: RepositoryAccess) {
    const { organization_id: organizationId } = instance
    if (instance.credential_id === null) return null
    let id = instance.credential_id
    let row = yield* Effect.orDie(repo.findSealed(sql, organizationId, id))
    if (row === undefined) {
      // The credential may have been replaced since the instance was read.
      const current = yield* Effect.orDie(repo.findInstance(sql, organizationId, instance.id))
      if (current?.remote_id !== instance.remote_id || current.credential_id === null) return yield* credentialLost()
      id = current.credential_id
      row = yield* Effect.orDie(repo.findSealed(sql, organizationId, id))
    }
    const text =
      row === undefined
        ? undefined
        : keys.tryOpen(credentialContext(organizationId, id, instance.remote_id), {
            keyId: row.key_id,
            nonce: row.nonce,
            ciphertext: row.ciphertext
          })
    if (text === undefined) return yield* credentialLost()
    const separator = text.indexOf("\n")
    return { username: text.slice(0, separator), token: Redacted.make(text.slice(separator + 1)) }
  })
})

/** Creates the function that opens an instance's repository with the adapter it was connected with. */
export const openRepository = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const credentialOf = yield* openCredential
  const codeHost = yield* CodeHost
  const app = yield* CodeHostApp

  const byGit = (instance: RepositoryAccess): Effect.Effect<Repository, CodeHostFailed> =>
    Effect.map(credentialOf(instance), (credential) => ({
      cloneUrl: instance.remote_id,
      organizationId: instance.organization_id,
      credential
    }))

  const byApp = Effect.fnUntraced(function* (instance: RepositoryAccess) {
    // An account that is referenced cannot be removed.
    const account = yield* expectRow(
      yield* accounts.find(sql, instance.organization_id, instance.connector_account_id),
      "connector account"
    )
    return {
      installationId: account.remote_id,
      repositoryId: instance.remote_id,
      organizationId: instance.organization_id
    }
  }, Effect.orDie)

  return (instance: RepositoryAccess): Effect.Effect<OpenedRepository> =>
    instance.adapter === "git"
      ? Effect.map(Effect.result(byGit(instance)), (repository) => ({
          state: Effect.succeed(null),
          head: (branch) => Effect.flatMap(Effect.fromResult(repository), (opened) => codeHost.head(opened, branch)),
          snapshot: (branch, revision) =>
            Effect.flatMap(Effect.fromResult(repository), (opened) => codeHost.snapshot(opened, branch, revision)),
          setCommitStatus: (status) =>
            Effect.flatMap(
              Effect.fromResult(repository),
              (opened) => codeHost.setCommitStatus?.(opened, status) ?? Effect.succeed(false)
            )
        }))
      : Effect.map(byApp(instance), (repository) => ({
          state: app.state(repository),
          head: (branch) => app.head(repository, branch),
          snapshot: (branch, revision) => app.snapshot(repository, branch, revision),
          setCommitStatus: (status) => app.setCommitStatus?.(repository, status) ?? Effect.succeed(false)
        }))
})

/** Converts a code host failure to an API error, for a repository that was connected before. */
export const toApiError = (failure: CodeHostFailed): Connectors.CodehostApiError | Connectors.RepositoryEmpty =>
  failure.code === "empty_repository"
    ? new Connectors.RepositoryEmpty()
    : new Connectors.CodehostApiError({ message: failure.message })

/** Converts a failure of the code host's app to an API error. */
export const toAppError = (failure: CodeHostFailed): Connectors.CodehostApiError | CodehostNotConfigured =>
  failure.code === "not_configured"
    ? new CodehostNotConfigured()
    : new Connectors.CodehostApiError({ message: failure.message })

/**
 * Converts a failure of the first access to a repository to a request error if the request caused it: `place` is the
 * field that identifies the repository, `key` the field with its credential.
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

/** Converts a failure to find another branch of a connected repository. */
export const targetError = (failure: CodeHostFailed) =>
  failure.code === "branch_not_found" ? InvalidRequest.at(["body", "branch"], failure.message) : toApiError(failure)

/** The display name of a repository: its owner and name, or the name of its folder. */
export const fullNameOf = (cloneUrl: string): string => {
  const segments = new URL(cloneUrl).pathname
    .replace(/\.git$/, "")
    .split("/")
    .filter((segment) => segment !== "")
  // The code host's port has validated the URL, so it can be decoded.
  return decodeURIComponent(cloneUrl.startsWith("file:") ? (segments.at(-1) ?? "") : segments.slice(-2).join("/"))
}
