import type { CreateInstance } from "@orgplane/schema/connector-accounts"
import * as Connectors from "@orgplane/schema/connectors"
import type { Member } from "@orgplane/schema/shared/caller"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { JsonObject } from "@orgplane/schema/shared/values"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { AccessService } from "../../identity/access/service.ts"
import { digestOf } from "../../infra/audit/record.ts"
import { Settings } from "../../infra/config/settings.ts"
import { KeyRing } from "../../infra/crypto/key-ring.ts"
import { makeId } from "../../infra/ids.ts"
import { isJoined, membershipOf, Mutate } from "../../infra/mutate/index.ts"
import { CodeHostApp } from "../../infra/ports/code-host-app.ts"
import { CodeHost, CodeHostFailed } from "../../infra/ports/code-host.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"
import * as accounts from "./accounts-repo.ts"
import { lockInstance } from "./lock-instance.ts"
import { accountAt, credentialContext, fullNameOf, setupError } from "./repository.ts"
import * as repo from "./repo.ts"
import { ConnectorsService } from "./service.ts"

const provisionalInstancesMax = 1

/** A branch that exists on the code host. */
interface InspectedRepository {
  readonly adapter: Connectors.Instance["adapter"]
  /**
   * The account whose access is used to read it; null for the host's default account, which is created if necessary.
   */
  readonly accountId: Id<"cac"> | null
  readonly remoteId: string
  readonly fullName: string
  readonly branch: string
}

/** A created connection. Responses omit members that they do not declare. */
type CreatedConnection = typeof Connectors.SetupResult.Type & { readonly hasCredential: boolean }

interface Credential {
  readonly username?: string
  readonly token: string
}

/** The credential that is sent to the host. */
const sentCredential = ({ token, username = "git" }: Credential) => ({ username, token: Redacted.make(token) })

interface ConnectionSettings {
  readonly branch?: string
  readonly name?: string
  readonly config?: JsonObject
  readonly credential?: Credential
}

/** The first result that is not undefined. */
const firstOf = <A, B, E, R>(
  options: ReadonlyArray<A>,
  ask: (option: A) => Effect.Effect<B | undefined, E, R>
): Effect.Effect<B | undefined, E, R> =>
  Effect.gen(function* () {
    for (const option of options) {
      const response = yield* ask(option)
      if (response !== undefined) return response
    }
    return undefined
  })

const noAccount = () => InvalidRequest.at(["body", "connectorAccountId"], "does not exist in the organization")

/** Connects repositories, by URL or through an existing account. */
export class ConnectService extends Context.Service<ConnectService>()("@orgplane/server/connectors/ConnectService", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const access = yield* AccessService
    const keys = yield* KeyRing
    const codeHost = yield* CodeHost
    const app = yield* CodeHostApp
    const connectors = yield* ConnectorsService
    const { mutate, recall } = yield* Mutate
    const { reconcileSeconds } = yield* Settings

    const demandQuota = Effect.fnUntraced(function* (caller: Member) {
      if (caller.provisional && (yield* repo.countInstances(sql, caller.organizationId)) >= provisionalInstancesMax) {
        return yield* new Connectors.QuotaExceeded({
          message: "An unclaimed workspace can have one connector instance."
        })
      }
    })

    /** Checks limits before a request to another host. */
    const demandConnectable = Effect.fnUntraced(function* (caller: Member) {
      yield* demandQuota(caller)
      yield* connectors.demandReadable(caller)
    })

    const accountOf = Effect.fnUntraced(function* (caller: Member, id: Id<"cac">) {
      const row = yield* accounts.get(sql, caller, id)
      return row === undefined || row.level === 0 ? yield* noAccount() : row
    })

    const inspectByGit = Effect.fnUntraced(function* (
      caller: Member,
      address: string,
      { branch: branchName, credential }: ConnectionSettings,
      account: accounts.AccountRow | undefined
    ) {
      const { organizationId } = caller
      const cloneUrl = yield* codeHost.normalize(address)
      if (yield* isJoined) {
        // The repository is read when its plugins are discovered.
        if (branchName === undefined) return yield* InvalidRequest.at(["body", "branch"], "is required")
        return {
          adapter: "git",
          accountId: account?.id ?? null,
          remoteId: cloneUrl,
          fullName: fullNameOf(cloneUrl),
          branch: branchName
        } satisfies InspectedRepository
      }
      if (account !== undefined && accountAt(cloneUrl).remoteId !== account.remote_id) {
        return yield* InvalidRequest.at(["body", "connectorAccountId"], "must be an account for the repository's host")
      }
      const repository = {
        cloneUrl,
        organizationId,
        credential: credential === undefined ? null : sentCredential(credential)
      }
      const info = yield* codeHost.inspect(repository)
      const branch = branchName ?? info.defaultBranch
      if (branch === null) return yield* new Connectors.RepositoryEmpty()
      yield* codeHost.head(repository, branch)
      const { cloneUrl: remoteId, fullName } = info
      const inspected: InspectedRepository = {
        adapter: "git",
        accountId: account?.id ?? null,
        remoteId,
        fullName,
        branch
      }
      return inspected
    })

    const inspectByApp = Effect.fnUntraced(function* (
      caller: Member,
      account: accounts.AccountRow,
      place: { readonly fullName: string } | { readonly repositoryId: string },
      { branch: branchName }: ConnectionSettings
    ) {
      const ref = { installationId: account.remote_id, organizationId: caller.organizationId }
      const info = yield* "fullName" in place ? app.find(ref, place.fullName) : app.inspect({ ...ref, ...place })
      const branch = branchName ?? info.defaultBranch
      if (branch === null) return yield* new Connectors.RepositoryEmpty()
      yield* app.head({ ...ref, repositoryId: info.repositoryId }, branch)
      const { fullName, repositoryId: remoteId } = info
      const inspected: InspectedRepository = { adapter: "rest", accountId: account.id, remoteId, fullName, branch }
      return inspected
    })

    /** Stores a credential, in the current transaction, and returns its ID. */
    const putCredential = Effect.fnUntraced(function* (
      organizationId: Id<"org">,
      cloneUrl: string,
      { token, username = "git" }: Credential
    ) {
      const id = `connector/${makeId("req")}`
      const sealed = keys.seal(credentialContext(organizationId, id, cloneUrl), `${username}\n${token}`)
      yield* repo.putSealed(sql, organizationId, id, "connector-credential", {
        key_id: sealed.keyId,
        nonce: sealed.nonce,
        ciphertext: sealed.ciphertext
      })
      return id
    })

    /** Replaces the credential of a repository. It is used from the next request to the repository. */
    const setCredential = Effect.fnUntraced(function* (caller: Member, id: Id<"cin">, credential: Credential) {
      const { organizationId } = caller
      const instance = yield* connectors.demand(caller, id, "manager")
      if (instance.adapter !== "git")
        return yield* InvalidRequest.at(["body", "token"], "can be set only for instances with the adapter git")
      if (!(yield* isJoined)) {
        yield* connectors.demandReadable(caller)
        yield* codeHost
          .inspect({ cloneUrl: instance.remote_id, organizationId, credential: sentCredential(credential) })
          .pipe(Effect.mapError((failure) => setupError(failure, "token", "token")))
      }
      return yield* mutate(
        caller,
        "connector.update",
        Effect.gen(function* () {
          // The access may have been revoked while the repository was read.
          yield* connectors.demand(caller, id, "manager")
          const before = yield* lockInstance(sql, caller, id, () => new Connectors.InstanceNotFound())
          // A credential is sent only to the repository that it was checked against.
          if (before.remote_id !== instance.remote_id) {
            return yield* InvalidRequest.at(
              ["body", "token"],
              "was checked against another repository, because the repository of the instance changed during the request. Try again"
            )
          }
          if (before.credential_id !== null) yield* repo.deleteSealed(sql, organizationId, before.credential_id)
          const credentialId = yield* putCredential(organizationId, before.remote_id, credential)
          const after = yield* repo.setCredential(sql, organizationId, id, credentialId)
          return repo.instanceToWire(caller, yield* expectRow(after, "connector instance"))
        }),
        () => ({ target: id, after: { hasCredential: true } })
      )
    })

    /** Stores an inspected repository, in the current transaction. */
    const connect = Effect.fnUntraced(function* (
      caller: Member,
      inspected: InspectedRepository,
      settings: ConnectionSettings
    ) {
      const { organizationId } = caller
      const { adapter, branch, fullName, remoteId } = inspected
      const createdBy = membershipOf(caller)
      if (caller.provisional) yield* repo.lockSetups(sql, organizationId)
      yield* demandQuota(caller)
      // An account that is being disconnected no longer exists, and an account in use cannot be disconnected.
      const account =
        inspected.accountId === null
          ? yield* accounts.put(sql, organizationId, accountAt(remoteId), createdBy)
          : yield* accounts.hold(sql, organizationId, inspected.accountId)
      if (account === undefined) return yield* noAccount()
      const credentialId =
        settings.credential === undefined ? null : yield* putCredential(organizationId, remoteId, settings.credential)
      const id = makeId("cin")
      const label = `${fullName}#${branch}`.slice(0, 240).toWellFormed()
      const names =
        settings.name === undefined
          ? [fullName.slice(0, 255).toWellFormed(), label, `${label} ${id.slice(-8)}`]
          : [settings.name]
      // The database decides which names are free, also for concurrent requests.
      const instance = yield* firstOf(names, (name) =>
        repo.createInstance(
          sql,
          organizationId,
          {
            id,
            accountId: account.id,
            adapter,
            remoteId,
            name,
            credentialId,
            repositoryFullName: fullName,
            config: settings.config ?? {}
          },
          createdBy
        )
      )
      if (instance === undefined) return yield* new Connectors.InstanceExists()
      const target = yield* repo.createTarget(sql, organizationId, {
        id: makeId("ctg"),
        instanceId: instance.id,
        remoteId: `${remoteId}#${branch}`,
        branch,
        reconcileSeconds
      })
      yield* access.grantCreator(caller, "connectorInstance", instance.id)
      return {
        connectorAccount: accounts.toWire(account),
        connectorInstance: repo.instanceToWire(caller, instance),
        connectorTarget: repo.targetToWire(caller, target),
        hasCredential: settings.credential !== undefined
      } satisfies CreatedConnection
    })

    const described = ({ connectorAccount, connectorInstance, connectorTarget, hasCredential }: CreatedConnection) => ({
      target: connectorInstance.id,
      after: {
        connectorTargetId: connectorTarget.id,
        connectorAccountId: connectorAccount.id,
        remoteId: digestOf(connectorInstance.remoteId),
        hasCredential
      }
    })

    /** Maps code host failures to request errors if the request caused them. */
    const inspectOrFail = <E, R>(
      inspect: Effect.Effect<InspectedRepository, E | CodeHostFailed, R>,
      place: string,
      key: string
    ) =>
      Effect.catchIf(
        inspect,
        (error): error is Extract<E | CodeHostFailed, CodeHostFailed> => error instanceof CodeHostFailed,
        (failure) => Effect.fail(setupError(failure, place, key))
      )

    /** Connects a branch. The repository is read first, so that errors are reported immediately. */
    const setup = Effect.fnUntraced(function* (caller: Member, input: typeof Connectors.Setup.Type) {
      const storedResponse = yield* recall<CreatedConnection>(caller)
      if (storedResponse !== undefined) return storedResponse
      yield* demandConnectable(caller)
      const account =
        input.connectorAccountId === undefined ? undefined : yield* accountOf(caller, input.connectorAccountId)
      if (account !== undefined && account.adapter !== input.adapter) {
        return yield* InvalidRequest.at(
          ["body", "connectorAccountId"],
          `must be an account for the adapter ${input.adapter}`
        )
      }
      const inspected = yield* account === undefined || input.adapter === "git"
        ? inspectOrFail(inspectByGit(caller, input.cloneUrl ?? "", input, account), "cloneUrl", "credential")
        : inspectOrFail(
            inspectByApp(caller, account, { fullName: input.repositoryFullName ?? "" }, input),
            "repositoryFullName",
            "connectorAccountId"
          )
      return yield* mutate(caller, "connector.setup", connect(caller, inspected, input), described)
    })

    /** Connects a repository through an account, by the repository's identifier on the code host. */
    const createInstance = Effect.fnUntraced(function* (caller: Member, input: typeof CreateInstance.Type) {
      const storedResponse = yield* recall<CreatedConnection>(caller)
      if (storedResponse !== undefined) return storedResponse.connectorInstance
      yield* demandConnectable(caller)
      const account = yield* accountOf(caller, input.connectorAccountId)
      const inspected = yield* account.adapter === "git"
        ? inspectOrFail(inspectByGit(caller, input.remoteId, input, account), "remoteId", "connectorAccountId")
        : inspectOrFail(
            inspectByApp(caller, account, { repositoryId: input.remoteId }, input),
            "remoteId",
            "connectorAccountId"
          )
      const created = yield* mutate(caller, "connector.create", connect(caller, inspected, input), described)
      return created.connectorInstance
    })

    return { setup, createInstance, setCredential } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
