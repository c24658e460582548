import {
  type Anonymous,
  type Caller,
  CurrentCaller,
  type DirectoryCaller,
  type Member,
  type PlatformAdmin,
  type SignedIn,
  type WorkerCaller
} from "@orgplane/schema/shared/caller"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"

const dieOfSql = Effect.catchTag("SqlError" as never, Effect.die)

/**
 * Handlers that receive their caller first. A database failure becomes a defect, which the edge turns into 503 or 500.
 */
const withCaller =
  <C extends Caller>(...kinds: ReadonlyArray<C["kind"]>) =>
  <Request, A, E, R>(handle: (caller: C, request: Request) => Effect.Effect<A, E, R>) =>
  (request: Request): Effect.Effect<A, Exclude<E, SqlError>, R | CurrentCaller> =>
    CurrentCaller.use((caller) =>
      kinds.includes(caller.kind)
        ? handle(caller as C, request)
        : Effect.die(new Error(`An operation declared for a ${kinds.join(" or ")} was called by ${caller.kind}.`))
    ).pipe(dieOfSql) as Effect.Effect<A, Exclude<E, SqlError>, R | CurrentCaller>

export const forAnyone = withCaller<Anonymous>("anonymous")
export const forMember = withCaller<Member>("member")
export const forSignedIn = withCaller<SignedIn>("user")
export const forWorker = withCaller<WorkerCaller>("worker")
export const forDirectory = withCaller<DirectoryCaller>("directory")
export const forMemberOrWorker = withCaller<Member | WorkerCaller>("member", "worker")
export const forPlatform = withCaller<PlatformAdmin>("platform")
export const forMemberOrPlatform = withCaller<Member | PlatformAdmin>("member", "platform")

/** `{ ok: true, item }`, the response of every change in the content and connector groups. */
export const ok = <A>(item: A) => ({ ok: true as const, item })

/** `{ item }` */
export const one = <A>(item: A) => ({ item })

/** `{ ok: true, item }`: 201 for a new item, 200 for an existing one. */
export const createdOrExisting = <A>(caller: Member, isNew: boolean, item: A) => {
  if (!isNew) caller.request.responseHeaders[":status"] = "200"
  return ok(item)
}

/** `{ ok: true, item }`: 201 for a new grant, 200 for an existing one. */
export const granted = <G, E, R>(
  caller: Member,
  grant: Effect.Effect<{ readonly isNew: boolean; readonly grant: G }, E, R>
) => Effect.map(grant, ({ isNew, grant }) => createdOrExisting(caller, isNew, grant))
