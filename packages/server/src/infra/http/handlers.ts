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
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"
import type { Scope } from "effect/Scope"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { retryDelayOf } from "./retry-after.ts"

/**
 * Fails again: with a defect for a database failure, otherwise with the same error and its delay in the `retry-after`
 * header.
 */
const failAgain = <E>(caller: Caller, cause: Cause.Cause<E>): Effect.Effect<never, Exclude<E, SqlError>> => {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (isSqlError(error)) return Effect.die(error)
  const seconds = retryDelayOf(error)
  if (seconds !== undefined) caller.request.responseState.headers["retry-after"] = String(seconds)
  return Effect.failCause(cause as Cause.Cause<Exclude<E, SqlError>>)
}

/**
 * What a handler may take from the context of its request. It receives everything else when its group is built, so that
 * no request merges the services of its group into its context.
 */
type RequestServices = HttpServerRequest | Scope

/** A handler whose caller is already known, so that it need not be looked up in the context. */
export interface DirectHandle {
  readonly accepts: (caller: Caller) => boolean
  readonly handle: (caller: Caller, request: unknown) => Effect.Effect<unknown, unknown, unknown>
  /** The failure of `handle` as it leaves the handler. */
  readonly fail: (caller: Caller, cause: Cause.Cause<unknown>) => Effect.Effect<never, unknown>
}

const directHandles = new WeakMap<object, DirectHandle>()

/** The direct form of a handler that was made by one of the functions below. */
export const directHandleOf = (handler: object): DirectHandle | undefined => directHandles.get(handler)

/**
 * Handlers that receive their caller first. A database failure becomes a defect, which the edge turns into 503 or 500.
 */
const withCaller =
  <C extends Caller>(...kinds: ReadonlyArray<C["kind"]>) =>
  <Request, A, E, R extends RequestServices>(handle: (caller: C, request: Request) => Effect.Effect<A, E, R>) => {
    const accepts = (caller: Caller): caller is C => (kinds as ReadonlyArray<Caller["kind"]>).includes(caller.kind)
    const handler = (request: Request): Effect.Effect<A, Exclude<E, SqlError>, R | CurrentCaller> =>
      CurrentCaller.use((caller) =>
        accepts(caller)
          ? Effect.catchCause(handle(caller, request), (cause) => failAgain(caller, cause))
          : Effect.die(new Error(`An operation declared for a ${kinds.join(" or ")} was called by ${caller.kind}.`))
      )
    directHandles.set(handler, {
      accepts,
      // The endpoint passes what it decoded for this handler, and only callers that it accepts.
      handle: (caller, request) => handle(caller as C, request as Request),
      fail: failAgain
    })
    return handler
  }

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

/** A resource and its version, which is its row version or a digest of its content. */
export interface Versioned<A> {
  readonly item: A
  readonly version: number | string
}

/** The resource, with its version in the `etag` header. */
export const withEtag = <A>(caller: Caller, { item, version }: Versioned<A>): A => {
  caller.request.responseState.headers["etag"] = `"${version}"`
  return item
}

/** Like `withEtag`, for a response that also contains unversioned data: the version is only for `If-Match`. */
export const withVersion = <A>(caller: Caller, versioned: Versioned<A>): A => {
  caller.request.responseState.isEtagPartial = true
  return withEtag(caller, versioned)
}

/** Like `withEtag`, for a document that only its caller may see. Caches must not share it and must revalidate it. */
export const privateDocument = <A>(caller: Caller, document: Versioned<A>): A => {
  caller.request.responseState.headers["cache-control"] = "private, no-cache"
  return withEtag(caller, document)
}

/** The body, with status 201 for a new item and 200 for an existing one. */
export const withCreatedStatus = <A>(caller: Caller, isNew: boolean, body: A): A => {
  if (!isNew) caller.request.responseState.status = 200
  return body
}

/** `{ ok: true, item }`: 201 for a new item, 200 for an existing one. */
export const createdOrExisting = <A>(caller: Member, isNew: boolean, item: A) =>
  withCreatedStatus(caller, isNew, ok(item))

/** `{ ok: true, item }`: 201 for a new grant, 200 for an existing one. */
export const granted = <G, E, R>(
  caller: Member,
  grant: Effect.Effect<{ readonly isNew: boolean; readonly grant: G }, E, R>
) => Effect.map(grant, ({ isNew, grant }) => createdOrExisting(caller, isNew, grant))
