import * as Configuration from "@orgplane/schema/configuration"
import { type Document, kinds as kindNames } from "@orgplane/schema/shared/configuration-document"
import type { Member } from "@orgplane/schema/shared/caller"
import { Forbidden, InvalidRequest, PlanRequired, PreconditionFailed } from "@orgplane/schema/shared/errors"
import type { Permission } from "@orgplane/schema/shared/permissions"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { isSqlError } from "effect/sql/SqlError"
import { DesktopPoliciesService } from "../../enterprise/desktop-policies/service.ts"
import { OrganizationsService } from "../../identity/organizations/service.ts"
import { RolesService } from "../../identity/roles/service.ts"
import { TeamsService } from "../../identity/teams/service.ts"
import { canonicalJson } from "../../infra/canonical-json.ts"
import { sha256 } from "../../infra/crypto/digest.ts"
import { Mutate } from "../../infra/mutate/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { concerns, diff, normalized, type Step } from "./diff.ts"
import type { ChangedKind, Kind } from "./kind.ts"
import * as keysRepo from "./keys-repo.ts"
import { desktopPoliciesKind } from "./kinds/desktop-policies.ts"
import { organizationKind } from "./kinds/organization.ts"
import { rolesKind } from "./kinds/roles.ts"
import { teamsKind } from "./kinds/teams.ts"
import { readState, type State } from "./state.ts"

type Adoption = typeof Configuration.Adoption.Type

const keysMax = 50_000

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

const permissionOf = ({ change, kind }: Step): Permission =>
  change.action === "delete" ? kind.permissions.remove : kind.permissions.write

/** The problems of a step, in the words of the error of its service. */
const problemsOf = ({ error, step }: StepFailed): ReadonlyArray<Configuration.Problem> => {
  if (error instanceof InvalidRequest) {
    return error.details.map(({ message, path }) => ({
      path: [...step.path, ...path.filter((part) => part !== "body")],
      message
    }))
  }
  const text = error instanceof Error ? error.message : ""
  const action = { create: "created", update: "updated", delete: "removed", move: "moved", adopt: "adopted" }
  return [{ path: step.path, message: `cannot be ${action[step.change.action]}: ${text}` }]
}

const invalid = (problems: ReadonlyArray<Configuration.Problem>) =>
  new InvalidRequest({
    details: problems.map(({ message, path }) => ({ message, path: ["body", "document", ...path] }))
  })

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
      const { joined, mutate, rehearse } = yield* Mutate
      const kinds: ReadonlyArray<Kind> = [
        organizationKind(sql, yield* OrganizationsService),
        rolesKind(sql, yield* RolesService),
        teamsKind(sql, yield* TeamsService),
        desktopPoliciesKind(sql, yield* DesktopPoliciesService)
      ]

      const demandRead = (caller: Member, of: ReadonlyArray<Kind>) =>
        Effect.forEach(
          of.flatMap(({ permissions }) => permissions.read),
          (permission) => demand(caller, permission),
          { discard: true }
        )

      /** These kinds and those that they refer to, in the order of all kinds. */
      const withReferenced = (used: ReadonlyArray<Kind>) => {
        const names = new Set(used.flatMap(({ kind, refersTo = [] }) => [kind, ...refersTo]))
        return kinds.filter(({ kind }) => names.has(kind))
      }

      const prepare = Effect.fnUntraced(function* (caller: Member, document: Document) {
        const used = kinds.filter((kind) => concerns(document, kind))
        const read = withReferenced(used)
        yield* demandRead(caller, read)
        const state = yield* readState(sql, caller, read)
        const { problems, steps } = diff(document, used, state)
        yield* Effect.forEach(steps, (step) => demand(caller, permissionOf(step)), { discard: true })
        const planDigest = sha256(
          canonicalJson({
            organizationId: caller.organizationId,
            document: normalized(document, used),
            state: [...state.objects].map(([kind, objects]) => [
              kind,
              objects.map(({ id, isStored, item, key, version }) => [id, key, isStored, version, item])
            ])
          })
        )
        const isOver = state.keyCount + steps.filter(({ change }) => change.action === "create").length > keysMax
        const all = isOver ? [...problems, { path: [], message: `needs more than ${keysMax} keys` }] : problems
        return { state, steps, problems: all, planDigest }
      })

      const make = Effect.fnUntraced(function* (caller: Member, step: Step, state: State) {
        const { change, current, item, key, kind } = step
        const { organizationId } = caller
        if (kind.feature !== undefined && caller.plan !== "enterprise" && change.action !== "delete") {
          return yield* new PlanRequired({ feature: kind.feature })
        }
        switch (change.action) {
          case "create": {
            if (kind.create === undefined || key === null) return
            const id = yield* kind.create(caller, item, state.names)
            state.add(kind.kind, key, id)
            yield* keysRepo.store(sql, organizationId, kind.kind, key, id)
            return
          }
          case "update": {
            if (current === undefined) return
            // Removing an object that others refer to changes their versions.
            const isVersionChanged = kind.refersTo?.some((name) => state.removedKinds.has(name)) === true
            yield* kind.update(caller, isVersionChanged ? { ...current, version: null } : current, item, state.names)
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
      const makeAll = (caller: Member, steps: ReadonlyArray<Step>, state: State) =>
        Effect.forEach(
          steps,
          (step) =>
            Effect.mapError(make(innerOf(caller), step, state), (error) =>
              isSqlError(error) ? error : new StepFailed(step, error)
            ),
          { discard: true }
        )

      const planOf = (
        planDigest: string,
        steps: ReadonlyArray<Step>,
        problems: ReadonlyArray<Configuration.Problem>
      ): Configuration.Plan => ({
        planDigest,
        hasChanges: steps.some(({ change }) => change.action !== "adopt"),
        changes: steps.map(({ change }) => change),
        problems
      })

      const exportDocument = Effect.fnUntraced(function* (caller: Member, query: { readonly kinds?: string }) {
        const wanted = query.kinds?.split(",").map((name) => name.trim())
        const unknown = wanted?.find((name) => !kinds.some(({ kind }) => kind === name))
        if (unknown !== undefined) {
          return yield* InvalidRequest.at(
            ["query", "kinds"],
            `must be a list of: ${["organization", ...kindNames].join(", ")}`
          )
        }
        const used = kinds.filter(({ kind }) => wanted === undefined || wanted.includes(kind))
        const read = withReferenced(used)
        yield* demandRead(caller, read)
        const { objects } = yield* readState(sql, caller, read)
        const listOf = (kind: ChangedKind) =>
          (objects.get(kind) ?? [])
            .map(({ item, key }) => ({ key: key ?? "", ...item }))
            .toSorted((one, other) => (one.key < other.key ? -1 : 1))
        const parts = used.map(({ kind }) => [
          kind,
          kind === "organization" ? (objects.get(kind)?.[0]?.item ?? {}) : listOf(kind)
        ])
        return { document: { version: 1, ...Object.fromEntries(parts) } as Document }
      })

      const plan = Effect.fnUntraced(function* (caller: Member, { document }: { readonly document: Document }) {
        return yield* rehearse(
          caller,
          Effect.gen(function* () {
            yield* keysRepo.lock(sql, caller.organizationId)
            const { planDigest, problems, state, steps } = yield* prepare(caller, document)
            if (problems.length > 0 || steps.length === 0) return { plan: planOf(planDigest, steps, problems) }
            yield* makeAll(caller, steps, state).pipe(
              Effect.mapError((error) => (error instanceof StepFailed ? { error, planDigest, steps } : error))
            )
            return { plan: planOf(planDigest, steps, []) }
          })
        ).pipe(
          Effect.catch((failure) =>
            "planDigest" in failure
              ? Effect.succeed({ plan: planOf(failure.planDigest, failure.steps, problemsOf(failure.error)) })
              : Effect.fail(failure)
          )
        )
      })

      const apply = Effect.fnUntraced(function* (
        caller: Member,
        { document, planDigest: expected }: typeof Configuration.ApplyConfiguration.Type
      ) {
        return yield* mutate(
          caller,
          "configuration.apply",
          joined(
            Effect.gen(function* () {
              yield* keysRepo.lock(sql, caller.organizationId)
              const { planDigest, problems, state, steps } = yield* prepare(caller, document)
              if (expected !== undefined && expected !== planDigest) {
                return yield* new Configuration.PlanDigestMismatch()
              }
              if (problems.length > 0) return yield* invalid(problems)
              if (expected === undefined && steps.some(({ change }) => change.action === "delete")) {
                return yield* new Configuration.PlanDigestRequired()
              }
              yield* makeAll(caller, steps, state).pipe(
                Effect.mapError((error) => {
                  if (!(error instanceof StepFailed)) return error
                  if (error.error instanceof PreconditionFailed) return new Configuration.PlanDigestMismatch()
                  return error.error instanceof Forbidden ? error.error : invalid(problemsOf(error))
                })
              )
              return { plan: planOf(planDigest, steps, []) }
            })
          ),
          ({ plan: { changes, planDigest } }) => ({
            target: caller.organizationId,
            after: {
              planDigest,
              ...Object.fromEntries(
                (["create", "update", "delete", "move", "adopt"] as const).map((action) => [
                  action,
                  changes.filter((change) => change.action === action).length
                ])
              )
            }
          })
        )
      })

      const adopt = Effect.fnUntraced(function* (
        caller: Member,
        { adoptions }: typeof Configuration.AdoptConfiguration.Type
      ) {
        return yield* mutate(
          caller,
          "configuration.adopt",
          Effect.gen(function* () {
            yield* keysRepo.lock(sql, caller.organizationId)
            const used = kinds.filter(
              ({ kind }) =>
                kind !== "organization" && (adoptions === undefined || adoptions.some((one) => one.kind === kind))
            )
            const read = withReferenced(used)
            yield* demandRead(caller, read)
            yield* Effect.forEach(used, ({ permissions }) => demand(caller, permissions.write), { discard: true })
            const { keyCount, objects, retired } = yield* readState(sql, caller, read)
            const all = used.flatMap(({ kind }) =>
              kind === "organization" ? [] : (objects.get(kind) ?? []).map((object) => ({ kind, object }))
            )
            const wanted: ReadonlyArray<Adoption> =
              adoptions ?? all.map(({ kind, object }) => ({ kind, id: object.id, key: object.key ?? "" }))
            const adopted: Array<Adoption> = []
            const taken = new Set(
              all.flatMap(({ kind, object }) => (object.isStored ? [`${kind}/${object.key ?? ""}`] : []))
            )
            for (const [index, one] of wanted.entries()) {
              const object = all.find(({ kind, object }) => kind === one.kind && object.id === one.id)?.object
              if (object === undefined) {
                return yield* InvalidRequest.at(
                  ["body", "adoptions", index, "id"],
                  "does not exist in the organization"
                )
              }
              if (object.isStored && object.key === one.key) continue
              const name = `${one.kind}/${one.key}`
              if (object.isStored || taken.has(name) || retired.get(one.kind)?.has(one.key) === true) {
                return yield* new Configuration.ConfigurationKeyTaken()
              }
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

      return { exported: exportDocument, plan, apply, adopt } as const
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
