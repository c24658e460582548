import * as Connectors from "@orgplane/schema/connectors"
import type { Member } from "@orgplane/schema/shared/caller"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import type { CreateGrant } from "@orgplane/schema/shared/grants"
import type { Id } from "@orgplane/schema/shared/ids"
import type { PageQuery } from "@orgplane/schema/shared/page"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { AccessService, demandLevel } from "../access/index.ts"
import { digestOf } from "../audit/record.ts"
import { KeyRing } from "../crypto/key-ring.ts"
import type { levels } from "../grants/index.ts"
import { makeId } from "../ids.ts"
import { limits, RateLimiter } from "../limits/index.ts"
import { membershipOf, Mutate, stale } from "../mutate/index.ts"
import { Pages } from "../pages/index.ts"
import { CodeHost } from "../ports/code-host.ts"
import { SqlDatabase } from "../sql/client.ts"
import { removeInstance } from "./remove.ts"
import { credentialContext, fullNameOf, originOf, setupError } from "./repository.ts"
import * as repo from "./repo.ts"
import { SyncService } from "./sync.ts"
import * as events from "./sync-repo.ts"
import * as targets from "./targets-repo.ts"

const provisionalInstancesMax = 1

/** What the audit keeps of an instance when it is changed: texts as digests. */
const auditOf = (row: repo.InstanceRow) => ({
  name: digestOf(row.name),
  remoteId: digestOf(row.remote_id),
  config: digestOf(JSON.stringify(row.config_json)),
  version: row.version
})

/** What an account is called: the host, or `file` for this machine. */
const hostOf = (cloneUrl: string) => {
  const url = new URL(cloneUrl)
  return url.protocol === "file:" ? "file" : url.host
}

const accountOf = (cloneUrl: string) => {
  const host = hostOf(cloneUrl)
  return { id: makeId("cac"), remoteId: `git:${host}`, name: host }
}

/** The first answer that is one. */
const firstOf = <A, B, E, R>(
  options: ReadonlyArray<A>,
  ask: (option: A) => Effect.Effect<B | undefined, E, R>
): Effect.Effect<B | undefined, E, R> =>
  Effect.gen(function* () {
    for (const option of options) {
      const answer = yield* ask(option)
      if (answer !== undefined) return answer
    }
    return undefined
  })

export class ConnectorsService extends Context.Service<ConnectorsService>()("@orgplane/server/connectors/Service", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const limiter = yield* RateLimiter
    const pages = yield* Pages
    const access = yield* AccessService
    const keys = yield* KeyRing
    const codeHost = yield* CodeHost
    const sync = yield* SyncService
    const { mutate, recall } = yield* Mutate

    /** An instance on which the caller has the level. */
    const demand = Effect.fnUntraced(function* (caller: Member, id: Id<"cin">, needed: keyof typeof levels) {
      const row = yield* repo.getInstance(sql, caller, id)
      if (row === undefined || row.level === 0) return yield* new Connectors.InstanceNotFound()
      yield* demandLevel(row.level, needed)
      return row
    })

    /** The branch that a request names, or the first one. */
    const targetOf = Effect.fnUntraced(function* (
      instance: repo.InstanceRow,
      named: Id<"ctg"> | undefined,
      slot: "query" | "body"
    ) {
      if (named !== undefined) {
        const target = yield* targets.find(sql, instance.organization_id, named)
        if (target?.connector_instance_id === instance.id) return target
        return yield* InvalidRequest.at([slot, "connectorTargetId"], "is not a branch of the connector instance")
      }
      const target = yield* repo.firstTarget(sql, instance.organization_id, instance.id)
      return target ?? (yield* Effect.die(new Error("A connector instance has no branch.")))
    })

    /** A workspace that nobody has claimed is no way to have other hosts asked without end. */
    const demandReadable = (caller: Member) =>
      caller.provisional ? limiter.take(caller.request, limits.provisionalOutbound, caller.organizationId) : Effect.void

    /** Connects a branch; the repository is read once, so that a mistake is told at once. */
    const setup = Effect.fnUntraced(function* (caller: Member, input: typeof Connectors.Setup.Type) {
      const known = yield* recall<typeof Connectors.SetupResult.Type>(caller)
      if (known !== undefined) return known
      const { organizationId } = caller
      const checkQuota = Effect.gen(function* () {
        if (caller.provisional && (yield* repo.countInstances(sql, organizationId)) >= provisionalInstancesMax) {
          return yield* new Connectors.QuotaExceeded({ message: "A provisional workspace has one connector instance." })
        }
      })
      yield* checkQuota
      yield* demandReadable(caller)
      const looked = yield* Effect.gen(function* () {
        const cloneUrl = yield* codeHost.normalise(input.cloneUrl)
        const repository = {
          cloneUrl,
          organizationId,
          credential:
            input.credential === undefined
              ? null
              : { username: input.credential.username ?? "git", token: Redacted.make(input.credential.token) }
        }
        const info = yield* codeHost.inspect(repository)
        const branch = input.branch ?? info.defaultBranch
        if (branch === null) return yield* new Connectors.RepositoryEmpty()
        yield* codeHost.head(repository, branch)
        return { info, branch }
      }).pipe(Effect.catchTag("CodeHostFailed", (failure) => Effect.fail(setupError(failure))))
      const { branch, info } = looked
      const createdBy = membershipOf(caller)
      return yield* mutate(
        caller,
        "connector.setup",
        Effect.gen(function* () {
          if (caller.provisional) yield* repo.lockSetups(sql, organizationId)
          yield* checkQuota
          const account = yield* repo.putAccount(sql, organizationId, accountOf(info.cloneUrl), createdBy)
          const credentialId = input.credential === undefined ? null : `connector/${makeId("req")}`
          if (input.credential !== undefined && credentialId !== null) {
            const sealed = keys.seal(
              credentialContext(organizationId, credentialId, info.cloneUrl),
              `${input.credential.username ?? "git"}\n${input.credential.token}`
            )
            yield* repo.putSealed(sql, organizationId, credentialId, "connector-credential", {
              key_id: sealed.keyId,
              nonce: sealed.nonce,
              ciphertext: sealed.ciphertext
            })
          }
          if (account === undefined)
            return yield* Effect.die(new Error("An account that was just written is not there."))
          const id = makeId("cin")
          const label = `${info.fullName}#${branch}`.slice(0, 240).toWellFormed()
          const names =
            input.name === undefined
              ? [info.fullName.slice(0, 255).toWellFormed(), label, `${label} ${id.slice(-8)}`]
              : [input.name]
          // The database knows which names are free, also of two that are asked for at once.
          const instance = yield* firstOf(names, (name) =>
            repo.createInstance(
              sql,
              organizationId,
              {
                id,
                accountId: account.id,
                remoteId: info.cloneUrl,
                name,
                credentialId,
                repositoryFullName: info.fullName
              },
              createdBy
            )
          )
          if (instance === undefined) return yield* new Connectors.InstanceExists()
          const target = yield* repo.createTarget(sql, organizationId, {
            id: makeId("ctg"),
            instanceId: instance.id,
            remoteId: `${info.cloneUrl}#${branch}`,
            branch
          })
          if (target === undefined) return yield* Effect.die(new Error("A target that was just written is not there."))
          yield* access.grantCreator(caller, "connectorInstance", instance.id)
          return {
            connectorAccount: repo.accountToWire(account),
            connectorInstance: repo.instanceToWire(caller, instance),
            connectorTarget: repo.targetToWire(caller, target)
          }
        }),
        (made) => ({
          target: made.connectorInstance.id,
          after: {
            connectorTargetId: made.connectorTarget.id,
            connectorAccountId: made.connectorAccount.id,
            remoteId: digestOf(made.connectorInstance.remoteId),
            hasCredential: input.credential !== undefined
          }
        })
      )
    })

    const listInstances = (caller: Member, query: PageQuery & { readonly q?: string; readonly archived?: string }) => {
      const { cursor: _cursor, limit: _limit, ...filters } = query
      return pages.read(
        { operation: "connectors.listInstances", organizationId: caller.organizationId, filters },
        query,
        (after, limit) => repo.listInstances(sql, caller, filters, after, limit),
        (row) => row.id,
        (row) => repo.instanceToWire(caller, row)
      )
    }

    const getInstance = Effect.fnUntraced(function* (caller: Member, id: Id<"cin">) {
      const row = yield* demand(caller, id, "viewer")
      caller.request.head["etag"] = `"${row.version}"`
      return repo.instanceToWire(caller, row)
    })

    const accountIdOf = (caller: Member, cloneUrl: string) =>
      repo
        .putAccount(sql, caller.organizationId, accountOf(cloneUrl), membershipOf(caller))
        .pipe(
          Effect.flatMap((account) =>
            account === undefined
              ? Effect.die(new Error("An account that was just written is not there."))
              : Effect.succeed(account.id)
          )
        )

    const updateInstance = Effect.fnUntraced(function* (
      caller: Member,
      id: Id<"cin">,
      input: typeof Connectors.UpdateInstance.Type
    ) {
      // Another repository is read with the credential that was given for this one: more than a change of content.
      yield* demand(caller, id, input.remoteId === undefined ? "editor" : "manager")
      const remoteId =
        input.remoteId === undefined
          ? undefined
          : yield* codeHost
              .normalise(input.remoteId)
              .pipe(
                Effect.catchTag("CodeHostFailed", ({ message }) =>
                  Effect.fail(InvalidRequest.at(["body", "remoteId"], message))
                )
              )
      return yield* mutate(
        caller,
        "connector.update",
        Effect.gen(function* () {
          const before = yield* repo.lockInstance(sql, caller.organizationId, id)
          if (before === undefined) return yield* new Connectors.InstanceNotFound()
          yield* stale(caller, before.version)
          // A credential was given for one origin and never goes to another, whoever moves the instance there.
          const isElsewhere = remoteId !== undefined && originOf(remoteId) !== originOf(before.remote_id)
          if (isElsewhere && before.credential_id !== null) {
            yield* repo.deleteSealed(sql, caller.organizationId, before.credential_id)
          }
          if (remoteId !== undefined) yield* repo.moveTargets(sql, caller.organizationId, id, remoteId)
          const row = yield* repo
            .updateInstance(sql, caller.organizationId, id, {
              ...(remoteId === undefined ? {} : { remoteId, repositoryFullName: fullNameOf(remoteId) }),
              ...(isElsewhere ? { accountId: yield* accountIdOf(caller, remoteId) } : {}),
              ...(input.name === undefined ? {} : { name: input.name }),
              ...(input.config === undefined ? {} : { config: input.config })
            })
            .pipe(
              Effect.catchIf(
                (error) => error.reason._tag === "UniqueViolation",
                () => Effect.fail(new Connectors.InstanceExists())
              )
            )
          if (row === undefined) return yield* new Connectors.InstanceNotFound()
          caller.request.head["etag"] = `"${row.version}"`
          return { before, after: row }
        }),
        ({ after, before }) => ({ target: id, before: auditOf(before), after: auditOf(after) })
      ).pipe(Effect.map(({ after }) => repo.instanceToWire(caller, after)))
    })

    /** Activates an instance and queues a sync; enabling twice changes nothing. */
    const enable = Effect.fnUntraced(function* (caller: Member, id: Id<"cin">) {
      yield* demand(caller, id, "editor")
      return yield* mutate(
        caller,
        "connector.enable",
        Effect.gen(function* () {
          const row = yield* repo.lockInstance(sql, caller.organizationId, id)
          if (row === undefined) return yield* new Connectors.InstanceNotFound()
          if (row.status === "active") return repo.instanceToWire(caller, row)
          yield* repo.setStatus(sql, caller.organizationId, id, "active", null)
          for (const target of yield* targets.ofInstance(sql, caller.organizationId, id)) {
            yield* sync.queue(row, target.id, "enable")
          }
          const after = yield* repo.findInstance(sql, caller.organizationId, id)
          return repo.instanceToWire(caller, after ?? row)
        }),
        (instance) => ({ target: id, after: { status: instance.status } })
      )
    })

    const disable = Effect.fnUntraced(function* (caller: Member, id: Id<"cin">) {
      yield* demand(caller, id, "editor")
      return yield* mutate(
        caller,
        "connector.disable",
        Effect.gen(function* () {
          const row = yield* repo.lockInstance(sql, caller.organizationId, id)
          if (row === undefined) return yield* new Connectors.InstanceNotFound()
          // What is archived does nothing already, and would be taken out of the archive.
          if (row.status === "disabled" || row.status === "archived") return repo.instanceToWire(caller, row)
          yield* repo.setStatus(sql, caller.organizationId, id, "disabled", null)
          const after = yield* repo.findInstance(sql, caller.organizationId, id)
          return repo.instanceToWire(caller, after ?? row)
        }),
        (instance) => ({ target: id, after: { status: instance.status } })
      )
    })

    /** Removes an instance and all that only it feeds; versions stay, because the audit must be able to show them. */
    const removeNow = Effect.fnUntraced(function* (caller: Member, id: Id<"cin">) {
      yield* demand(caller, id, "manager")
      return yield* mutate(
        caller,
        "connector.remove",
        Effect.gen(function* () {
          const row = yield* repo.lockInstance(sql, caller.organizationId, id)
          if (row === undefined) return yield* new Connectors.InstanceNotFound()
          const counts = yield* removeInstance(sql, row, membershipOf(caller))
          return { ...counts, removedConnectorInstanceId: id }
        }),
        (counts) => ({ target: id, before: counts })
      )
    })

    /** As `removeNow`; who asks again with the same key because no answer came gets it, though the thing is gone. */
    const remove = (caller: Member, id: Id<"cin">) =>
      removeNow(caller, id).pipe(
        Effect.catchTag("ConnectorInstanceNotFound", (gone) =>
          Effect.flatMap(recall<typeof Connectors.RemoveResult.Type>(caller), (known) =>
            known === undefined ? Effect.fail(gone) : Effect.succeed(known)
          )
        )
      )

    const queueSync = Effect.fnUntraced(function* (
      caller: Member,
      id: Id<"cin">,
      query: { readonly connectorTargetId?: Id<"ctg"> }
    ) {
      const seen = yield* demand(caller, id, "editor")
      const target = yield* targetOf(seen, query.connectorTargetId, "query")
      yield* demandReadable(caller)
      return yield* mutate(
        caller,
        "connector.sync",
        Effect.gen(function* () {
          const row = yield* repo.lockInstance(sql, caller.organizationId, id)
          if (row === undefined) return yield* new Connectors.InstanceNotFound()
          if (row.status === "disabled" || row.status === "archived") return yield* new Connectors.InstanceDisabled()
          return events.toWire(yield* sync.queue(row, target.id, "manual"))
        }),
        (event) => ({ target: id, after: { syncEventId: event.id } })
      )
    })

    /** Decides about a sync that is held because it would remove much. */
    const decide = Effect.fnUntraced(function* (caller: Member, id: Id<"cse">, decision: "approve" | "reject") {
      const { organizationId } = caller
      const seen = yield* events.getVisibleEvent(sql, caller, id)
      const row = seen === undefined ? undefined : yield* repo.getInstance(sql, caller, seen.connector_instance_id)
      if (row === undefined) return yield* new Connectors.SyncEventNotFound()
      yield* demandLevel(row.level, "manager")
      return yield* mutate(
        caller,
        `connector.${decision}_sync`,
        Effect.gen(function* () {
          const instance = yield* repo.lockInstance(sql, organizationId, row.id)
          if (instance === undefined) return yield* new Connectors.SyncEventNotFound()
          if (instance.status === "disabled" || instance.status === "archived") {
            return yield* new Connectors.InstanceDisabled()
          }
          const held = yield* events.getEvent(sql, organizationId, id)
          if (held?.status !== "review_required") return yield* new Connectors.SyncNotHeld()
          const decided = yield* decision === "approve"
            ? sync.approve(organizationId, held)
            : events.reject(sql, organizationId, id)
          return decided === undefined ? yield* new Connectors.SyncNotHeld() : events.toWire(decided)
        }),
        (event) => ({ target: row.id, after: { syncEventId: id, revision: event.revision } })
      )
    })

    const approveSync = (caller: Member, id: Id<"cse">) => decide(caller, id, "approve")
    const rejectSync = (caller: Member, id: Id<"cse">) => decide(caller, id, "reject")

    const listSyncEvents = Effect.fnUntraced(function* (
      caller: Member,
      id: Id<"cin">,
      query: PageQuery & { readonly status?: string }
    ) {
      yield* demand(caller, id, "viewer")
      const { cursor: _cursor, limit: _limit, ...filters } = query
      return yield* pages.read(
        { operation: "connectors.listSyncEvents", organizationId: caller.organizationId, filters: [id, filters] },
        query,
        (after, limit) => events.listEvents(sql, caller.organizationId, id, filters, after, limit),
        (row) => row.id,
        events.toWire
      )
    })

    const getSyncEvent = Effect.fnUntraced(function* (caller: Member, id: Id<"cse">) {
      const row = yield* events.getVisibleEvent(sql, caller, id)
      return row === undefined ? yield* new Connectors.SyncEventNotFound() : events.toWire(row)
    })

    const getTarget = Effect.fnUntraced(function* (caller: Member, id: Id<"ctg">) {
      const row = yield* repo.getTarget(sql, caller, id)
      return row === undefined ? yield* new Connectors.TargetNotFound() : repo.targetToWire(caller, row)
    })

    const listTargets = Effect.fnUntraced(function* (caller: Member, id: Id<"cin">, query: PageQuery) {
      yield* demand(caller, id, "viewer")
      return yield* pages.read(
        { operation: "connectors.listTargets", organizationId: caller.organizationId, filters: id },
        query,
        (after, limit) => repo.listTargets(sql, caller.organizationId, id, after, limit),
        (row) => row.id,
        (row) => repo.targetToWire(caller, row)
      )
    })

    const listMappings = Effect.fnUntraced(function* (
      caller: Member,
      id: Id<"ctg">,
      query: PageQuery & repo.MappingFilters
    ) {
      const { cursor: _cursor, limit: _limit, ...filters } = query
      const page = yield* pages.read(
        { operation: "connectors.listMappings", organizationId: caller.organizationId, filters: [id, filters] },
        query,
        (after, limit) => repo.listMappings(sql, caller, id, filters, after, limit),
        (row) => row.id,
        repo.mappingToWire
      )
      // An empty page says nothing of whether there is such a target.
      if (page.items.length > 0 || (yield* repo.getTarget(sql, caller, id)) !== undefined) return page
      return yield* new Connectors.TargetNotFound()
    })

    const listAccess = Effect.fnUntraced(function* (caller: Member, id: Id<"cin">, query: PageQuery) {
      yield* demand(caller, id, "viewer")
      return yield* access.list(caller, "connectorInstance", id, query)
    })

    const grantAccess = Effect.fnUntraced(function* (caller: Member, id: Id<"cin">, input: CreateGrant) {
      yield* demand(caller, id, "manager")
      return yield* access.grant(caller, "connector.grant", "connectorInstance", id, input)
    })

    const revokeAccess = Effect.fnUntraced(function* (caller: Member, id: Id<"cin">, grantId: string) {
      yield* demand(caller, id, "manager")
      const found = yield* access.revoke(caller, "connector.revoke", "connectorInstance", id, grantId)
      if (!found) return yield* new Connectors.InstanceGrantNotFound()
    })

    return {
      demand,
      demandReadable,
      targetOf,
      setup,
      listInstances,
      getInstance,
      updateInstance,
      enable,
      disable,
      remove,
      queueSync,
      approveSync,
      rejectSync,
      listSyncEvents,
      getSyncEvent,
      getTarget,
      listTargets,
      listMappings,
      listAccess,
      grantAccess,
      revokeAccess
    } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
