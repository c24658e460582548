import * as Configuration from "@orgplane/schema/configuration"
import {
  builtInRoles,
  type Document,
  kinds as kindNames,
  singletons
} from "@orgplane/schema/shared/configuration-document"
import type { Member } from "@orgplane/schema/shared/caller"
import { Forbidden, InvalidRequest, PlanRequired, PreconditionFailed } from "@orgplane/schema/shared/errors"
import type { Permission } from "@orgplane/schema/shared/permissions"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { isSqlError } from "effect/sql/SqlError"
import { Principals } from "../../identity/auth/principals.ts"
import { managePermissions, managesAll } from "../../identity/grants/index.ts"
import { KeyRing } from "../../infra/crypto/key-ring.ts"
import { limits, RateLimiter } from "../../infra/limits/index.ts"
import { Mutate } from "../../infra/mutate/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { inTimeSlices } from "../../infra/time-slices.ts"
import { concerns, diff, readEntries, type Step } from "./diff.ts"
import { documentPath } from "./document-path.ts"
import { isSingleton, type Kind, withoutContent } from "./kind.ts"
import * as keysRepo from "./keys-repo.ts"
import { makeKinds } from "./kinds/all.ts"
import { makeEffects } from "./effects.ts"
import { changedModes, permissionsOfModes, storedModes } from "./modes.ts"
import { findModes, putModes } from "./modes-repo.ts"
import { planDigestOf } from "./plan-digest.ts"
import { kindsOfSecrets, readSecrets, type SecretValues, withReferences, withSecrets } from "./secrets.ts"
import { readState, type State, withReferred } from "./state.ts"
import { summaryOf } from "./summary.ts"
import { busy, makeTurns } from "./turns.ts"

type Input = typeof Configuration.PlanConfiguration.Type
type Adoption = typeof Configuration.Adoption.Type

const keysMax = 50_000

interface Options {
  /** Whether the effects on members are computed. Default: true. */
  readonly hasEffects?: boolean
}
interface ApplyOptions<E> extends Options {
  /** Runs in the transaction of the changes. If it fails, nothing is changed. */
  readonly afterwards?: Effect.Effect<unknown, E>
}

/** A change that could not be made. */
class StepFailed {
  readonly step: Step
  readonly error: unknown
  constructor(step: Step, error: unknown) {
    this.step = step
    this.error = error
  }
}

const demand = (caller: Member, permission: Permission) =>
  caller.permissions.has(permission)
    ? Effect.void
    : Effect.fail(
        new Forbidden({ reason: "permission_required", message: `This requires the permission ${permission}.` })
      )

const demandAll = (caller: Member, permissions: ReadonlyArray<Permission>) =>
  Effect.forEach(permissions, (permission) => demand(caller, permission), { discard: true })

const permissionsOf = ({ change, item, kind: { permissions } }: Step): ReadonlyArray<Permission> => {
  if (change.action === "delete") return [permissions.remove]
  const changed = change.action === "create" || change.action === "update" ? Object.keys(item) : []
  const fields = changed.flatMap((field) => permissions.fields?.[field] ?? [])
  return change.action === "update" && fields.length === changed.length ? fields : [permissions.write, ...fields]
}

/** The problems of a step, with the messages of its service's error. */
const problemsOf = ({ error, step }: StepFailed): ReadonlyArray<Configuration.Problem> => {
  if (error instanceof InvalidRequest) {
    return error.details.map(({ message, path }) => ({
      path: [...step.path, ...documentPath(step.kind, path)],
      message
    }))
  }
  const text = error instanceof Error ? error.message : ""
  const action = { create: "created", update: "updated", delete: "removed", move: "moved", adopt: "adopted" }
  return [{ path: step.path, message: `cannot be ${action[step.change.action]}: ${text}` }]
}

/** The first problems. The last one has the number of the others. */
const firstOf = (problems: ReadonlyArray<Configuration.Problem>): ReadonlyArray<Configuration.Problem> => {
  const { problemsMax } = Configuration
  if (problems.length <= problemsMax) return problems
  const shown = problems.slice(0, problemsMax - 1)
  return [...shown, { path: [], message: `has ${problems.length - shown.length} more problems` }]
}

const invalid = (problems: ReadonlyArray<Configuration.Problem>) =>
  new InvalidRequest({
    details: firstOf(problems).map(({ message, path }) => ({ message, path: ["body", "document", ...path] }))
  })

/** What a plan consists of, before its changes are made. */
interface Prepared {
  readonly planDigest: string
  readonly steps: ReadonlyArray<Step>
  readonly modes: ReturnType<typeof changedModes>
  readonly problems: ReadonlyArray<Configuration.Problem>
}

/** Services see the caller without the request's own idempotency key and precondition. */
const innerOf = (caller: Member): Member => ({
  ...caller,
  request: { ...caller.request, idempotency: null, ifMatch: null }
})

/** Exports, plans and applies the configuration of an organization as a document. */
export class ConfigurationService extends Context.Service<ConfigurationService>()(
  "@orgplane/server/configuration/Service",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlDatabase
      const principals = yield* Principals
      const effects = yield* makeEffects
      const { joined, mutate, rehearse } = yield* Mutate
      const limiter = yield* RateLimiter
      const keys = yield* KeyRing
      const kinds = yield* makeKinds
      const turns = makeTurns()

      /** Fails if another process plans or applies a document of the organization. */
      const lock = ({ organizationId }: Member) =>
        Effect.flatMap(keysRepo.tryLock(sql, organizationId), (isLocked) =>
          isLocked ? Effect.void : Effect.fail(busy())
        )

      /** Binds a plan to the values of its secrets. */
      const digestOfSecret = ({ organizationId }: Member, name: string, value: string) =>
        keys.sign("configuration secret", `${organizationId}\n${name}\n${value}`).toString("hex")

      /** Fails unless the caller can read all objects of the kinds, and of those that they refer to. */
      const demandRead = Effect.fnUntraced(function* (caller: Member, of: ReadonlyArray<Kind>) {
        for (const { grantedAs = [], permissions } of withReferred(kinds, of)) {
          yield* demandAll(caller, permissions.read)
          const hidden = grantedAs.find((granted) => !managesAll(caller, granted))
          if (hidden !== undefined) {
            return yield* new Forbidden({
              reason: "permission_required",
              message: `This requires access to all objects: an owner, an admin, or an API key with the permission ${managePermissions[hidden]}.`
            })
          }
        }
      })

      const prepare = Effect.fnUntraced(function* (caller: Member, { document, secrets = {} }: Input) {
        const used = kinds.filter((kind) => concerns(document, kind))
        const managed = kinds.filter(({ kind }) => Object.hasOwn(document.managed ?? {}, kind))
        yield* demandRead(caller, [...used, ...managed])
        const state = yield* readState(sql, caller, kinds, used, document)
        const entries = yield* inTimeSlices(readEntries(document, used), 1)
        // The plan shows whether a secret is the current one, which only callers who can replace it may learn.
        yield* demandAll(
          caller,
          kindsOfSecrets(entries, secrets).map(({ permissions }) => permissions.write)
        )
        const values = yield* readSecrets(caller, document, entries, state, secrets)
        const { problems: differenceProblems, steps } = yield* inTimeSlices(diff(document, entries, state, values), 1)
        const problems = [...values.problems, ...differenceProblems]
        yield* Effect.forEach(steps, (step) => demandAll(caller, permissionsOf(step)), { discard: true })
        const before = yield* findModes(sql, caller.organizationId)
        const modes = changedModes(before, document)
        yield* demandAll(caller, permissionsOfModes(kinds, before, modes.after))
        const planDigest = yield* inTimeSlices(
          planDigestOf({
            organizationId: caller.organizationId,
            document,
            entries,
            state,
            changes: [...steps.map(({ change }) => change), ...modes.changes],
            secrets: Object.entries(secrets)
              .map(([name, value]) => [name, digestOfSecret(caller, name, value)] as const)
              .toSorted(([one], [other]) => (one < other ? -1 : 1))
          }),
          1
        )
        const newKeys = steps.filter(({ change }) => ["adopt", "create", "move"].includes(change.action)).length
        const isOver = state.keyCount + newKeys > keysMax
        const all = isOver ? [...problems, { path: [], message: `needs more than ${keysMax} keys` }] : problems
        return { state, steps, modes, problems: all, planDigest, values }
      })

      const make = Effect.fnUntraced(function* (caller: Member, step: Step, state: State, values: SecretValues) {
        const { change, current, key, kind, stated } = step
        const item = withSecrets(kind, step.item, values)
        const { organizationId } = caller
        const making = { names: state.names, stated }
        if (kind.feature !== undefined && caller.plan !== "enterprise" && change.action !== "delete") {
          return yield* new PlanRequired({ feature: kind.feature })
        }
        switch (change.action) {
          case "create": {
            if (kind.create === undefined || key === null) return
            const id = yield* kind.create(caller, item, making)
            state.add(kind.kind, key, id)
            yield* keysRepo.add(sql, organizationId, kind.kind, key, id)
            return
          }
          case "update": {
            if (current === undefined) return
            // Removing an object that others refer to changes their versions.
            const isVersionChanged = kind.refersTo?.some((name) => state.removedKinds.has(name)) === true
            const existing = isVersionChanged ? { ...current, version: null } : current
            yield* kind.update(caller, existing, item, making)
            return
          }
          case "delete":
            if (kind.remove === undefined || current === undefined) return
            yield* kind.remove(caller, current)
            state.removedKinds.add(kind.kind)
            // The key stays reserved, even if it was only derived.
            if (!current.isStored && key !== null) {
              yield* keysRepo.store(sql, organizationId, kind.kind, key, current.id)
            }
            yield* keysRepo.retire(sql, organizationId, kind.kind, current.id)
            return
          default:
            if (current !== undefined && key !== null) {
              // The earlier key stays reserved, even if it was only derived.
              if (change.action === "move" && !current.isStored && current.key !== null) {
                yield* keysRepo.store(sql, organizationId, kind.kind, current.key, current.id)
              }
              yield* keysRepo.store(sql, organizationId, kind.kind, key, current.id)
            }
        }
      })

      /** Makes the changes in order. Database failures stay what they are, so that a deadlock is retried. */
      const makeAll = (caller: Member, steps: ReadonlyArray<Step>, state: State, values: SecretValues) =>
        Effect.forEach(
          steps,
          (step) =>
            Effect.mapError(make(innerOf(caller), step, state, values), (error) =>
              isSqlError(error) ? error : new StepFailed(step, error)
            ),
          { discard: true }
        )

      /** Makes the changes, and reads their effects on members. */
      const makeWithReadings = Effect.fnUntraced(function* (
        caller: Member,
        steps: ReadonlyArray<Step>,
        state: State,
        values: SecretValues
      ) {
        const before = yield* effects.readBefore(caller, steps)
        yield* makeAll(caller, steps, state, values)
        return yield* effects.readAfter(caller, before, state)
      })

      /** Like `makeWithReadings`, which takes long, but only if the effects are shown. */
      const makeChanges = Effect.fnUntraced(function* (
        { hasEffects = true }: Options,
        ...[caller, steps, state, values]: Parameters<typeof makeAll>
      ) {
        if (hasEffects) return yield* makeWithReadings(caller, steps, state, values)
        yield* makeAll(caller, steps, state, values)
        return undefined
      })

      const compared = (readings: Effect.Success<ReturnType<typeof makeWithReadings>> | undefined) =>
        readings === undefined ? Effect.succeed(null) : effects.compare(readings)

      const planOf = (
        { modes, planDigest, steps }: Prepared,
        problems: ReadonlyArray<Configuration.Problem>,
        effects: Configuration.Effects | null
      ): Configuration.Plan => {
        const changes = [...steps.map(({ change }) => change), ...modes.changes]
        const hasChanges = changes.some(({ action }) => action !== "adopt")
        return { planDigest, hasChanges, changes, effects, problems: firstOf(problems) }
      }

      const exportDocument = Effect.fnUntraced(function* (caller: Member, query: { readonly kinds?: string }) {
        const wanted = query.kinds?.split(",").map((name) => name.trim())
        const unknown = wanted?.find((name) => !kinds.some(({ kind }) => kind === name))
        if (unknown !== undefined) {
          return yield* InvalidRequest.at(
            ["query", "kinds"],
            `must be a list of: ${[...singletons, ...kindNames].join(", ")}`
          )
        }
        const used = kinds.filter(({ kind }) => wanted === undefined || wanted.includes(kind))
        yield* demandRead(caller, used)
        const { objects } = yield* readState(sql, caller, kinds, used)
        const listOf = (kind: Kind) =>
          withReferences(
            kind,
            (objects.get(kind.kind) ?? [])
              .map(({ item, key }) => ({ key: key ?? "", ...item }))
              .toSorted((one, other) => (one.key < other.key ? -1 : 1))
          )
        const parts = used.map((kind) => [
          kind.kind,
          isSingleton(kind.kind) ? (objects.get(kind.kind)?.[0]?.item ?? {}) : listOf(kind)
        ])
        const modes = Object.entries(yield* findModes(sql, caller.organizationId)).filter(([kind]) =>
          used.some((one) => one.kind === kind)
        )
        const managed = modes.length === 0 ? {} : { managed: Object.fromEntries(modes) }
        return { document: { version: 1, ...Object.fromEntries(parts), ...managed } as Document }
      })

      const plan = Effect.fnUntraced(function* (caller: Member, input: Input, options: Options) {
        const { prepared, problems, readings } = yield* rehearse(
          caller,
          Effect.gen(function* () {
            yield* lock(caller)
            const prepared = yield* prepare(caller, input)
            const { problems, state, steps, values } = prepared
            if (problems.length > 0) return { prepared, problems, readings: undefined }
            return yield* makeChanges(options, caller, steps, state, values).pipe(
              Effect.map((readings) => ({ prepared, problems, readings })),
              Effect.catch((error) =>
                error instanceof StepFailed
                  ? Effect.succeed({ prepared, problems: problemsOf(error), readings: undefined })
                  : Effect.fail(error)
              )
            )
          })
        )
        // The transaction has ended, so the comparison holds no locks.
        return { plan: planOf(prepared, problems, yield* compared(readings)) }
      })

      const apply = Effect.fnUntraced(function* <E>(
        caller: Member,
        { planDigest: expected, ...input }: typeof Configuration.ApplyConfiguration.Type,
        { afterwards = Effect.void, ...options }: ApplyOptions<E>
      ) {
        const { organizationId } = caller
        const applied = yield* mutate(
          caller,
          "configuration.apply",
          joined(
            Effect.gen(function* () {
              yield* lock(caller)
              const prepared = yield* prepare(caller, input)
              const { modes, planDigest, problems, state, steps, values } = prepared
              const removes = steps.some(({ change }) => change.action === "delete")
              if (expected !== undefined && expected !== planDigest) {
                // A program could repeat the apply with the new digest, without the removals being seen.
                return yield* new Configuration.PlanDigestMismatch(removes ? {} : { planDigest })
              }
              if (problems.length > 0) return yield* invalid(problems)
              if (expected === undefined && removes) {
                return yield* new Configuration.PlanDigestRequired()
              }
              const readings = yield* makeChanges(options, caller, steps, state, values).pipe(
                Effect.mapError((error) => {
                  if (!(error instanceof StepFailed)) return error
                  if (error.error instanceof PreconditionFailed) return new Configuration.PlanDigestMismatch({})
                  return error.error instanceof Forbidden ? error.error : invalid(problemsOf(error))
                })
              )
              if (modes.changes.length > 0) {
                yield* putModes(sql, organizationId, storedModes(modes.after))
                yield* principals.announce(organizationId)
              }
              yield* afterwards
              // The response is stored for an idempotency key in the transaction.
              return { plan: planOf(prepared, [], yield* compared(readings)) }
            })
          ),
          ({ plan: { changes, planDigest } }) => ({
            target: organizationId,
            after: { planDigest, ...summaryOf(changes) }
          })
        )
        principals.forget(organizationId)
        return applied
      })

      const adopt = Effect.fnUntraced(function* (
        caller: Member,
        { adoptions }: typeof Configuration.AdoptConfiguration.Type
      ) {
        return yield* mutate(
          caller,
          "configuration.adopt",
          Effect.gen(function* () {
            yield* lock(caller)
            const bare = kinds.map(withoutContent)
            const used = bare.filter(
              ({ kind }) =>
                !isSingleton(kind) && (adoptions === undefined || adoptions.some((one) => one.kind === kind))
            )
            yield* demandRead(caller, used)
            yield* Effect.forEach(used, ({ permissions }) => demand(caller, permissions.write), { discard: true })
            const { keyCount, objects, retired } = yield* readState(sql, caller, bare, used)
            const all = kindNames.flatMap((kind) => (objects.get(kind) ?? []).map((object) => ({ kind, object })))
            const wanted: ReadonlyArray<Adoption> =
              adoptions ?? all.map(({ kind, object }) => ({ kind, id: object.id, key: object.key ?? "" }))
            const existing = new Set(all.map(({ kind, object }) => `${kind}/${object.id}`))
            const keyById = new Map<string, string>()
            const taken = new Set<string>(builtInRoles.map((role) => `roles/${role}`))
            for (const { kind, object } of all) {
              if (!object.isStored || object.key === null) continue
              keyById.set(`${kind}/${object.id}`, object.key)
              taken.add(`${kind}/${object.key}`)
            }
            const adopted: Array<Adoption> = []
            for (const [index, one] of wanted.entries()) {
              const [object, name] = [`${one.kind}/${one.id}`, `${one.kind}/${one.key}`]
              if (!existing.has(object)) {
                return yield* InvalidRequest.at(
                  ["body", "adoptions", index, "id"],
                  "does not exist in the organization"
                )
              }
              if (keyById.get(object) === one.key) continue
              if (keyById.has(object) || taken.has(name) || retired.get(one.kind)?.has(one.key) === true) {
                return yield* new Configuration.ConfigurationKeyTaken()
              }
              keyById.set(object, one.key)
              taken.add(name)
              adopted.push(one)
            }
            if (keyCount + adopted.length > keysMax) {
              return yield* InvalidRequest.at(["body", "adoptions"], `would exceed the limit of ${keysMax} keys`)
            }
            for (const { id, key, kind } of adopted) yield* keysRepo.store(sql, caller.organizationId, kind, key, id)
            return { adopted }
          }),
          ({ adopted }) => ({ target: caller.organizationId, after: { adopted: adopted.length } })
        )
      })

      return {
        exported: (caller: Member, query: { readonly kinds?: string }) => turns.read(exportDocument(caller, query)),
        plan: Effect.fnUntraced(function* (caller: Member, input: Input, options: Options = {}) {
          if (Object.keys(input.secrets ?? {}).length > 0) {
            yield* limiter.take(caller.request, limits.configurationSecrets, caller.organizationId)
          }
          return yield* turns.change(caller.organizationId, plan(caller, input, options))
        }),
        apply: <E = never>(
          caller: Member,
          input: typeof Configuration.ApplyConfiguration.Type,
          options: ApplyOptions<E> = {}
        ) => turns.change(caller.organizationId, apply(caller, input, options)),
        adopt: (caller: Member, input: typeof Configuration.AdoptConfiguration.Type) =>
          turns.change(caller.organizationId, adopt(caller, input))
      } as const
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
