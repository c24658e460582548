import { type Anonymous, CurrentCaller } from "@orgplane/schema/shared/caller"
import { Unavailable } from "@orgplane/schema/shared/errors"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import { describe, expect, it } from "vitest"
import { forAnyone, forSignedIn, withCreatedStatus, withEtag } from "./handlers.ts"
import { retryAfter } from "./retry-after.ts"

const makeCaller = (): Anonymous => ({
  kind: "anonymous",
  request: {
    requestId: "req_test",
    address: "10.0.0.1",
    userAgent: null,
    operation: "system.health",
    idempotency: null,
    digests: [],
    ifMatch: null,
    responseState: { headers: {}, status: undefined, isEtagPartial: false }
  }
})

/** The outcome of a handler, and the response headers that it set. */
const handled = async <A, E>(work: Effect.Effect<A, E>) => {
  const caller = makeCaller()
  const handler = forAnyone((_caller, _request: null) => work)
  const exit = await Effect.runPromiseExit(Effect.provideService(handler(null), CurrentCaller, caller))
  return { exit, ...caller.request.responseState }
}

describe("a handler", () => {
  it("sends the delay of an error as retry-after, and passes the error on unchanged", async () => {
    const error = new Unavailable()
    const { exit, headers } = await handled(Effect.fail(retryAfter(error, 5)))
    expect(headers).toEqual({ "retry-after": "5" })
    expect(Exit.isFailure(exit) && Cause.squash(exit.cause)).toBe(error)
    const encode = Schema.encodeSync(Unavailable)
    expect(encode(error)).toEqual(encode(new Unavailable()))
  })

  it("sends no retry-after with another error of the same class, or with an error that was handled", async () => {
    expect((await handled(Effect.fail(new Unavailable()))).headers).toEqual({})
    const recovered = Effect.catch(Effect.fail(retryAfter(new Unavailable(), 5)), () => Effect.succeed("done"))
    const { exit, headers } = await handled(recovered)
    expect([exit, headers]).toEqual([Exit.succeed("done"), {}])
  })

  it("turns a database failure into a defect", async () => {
    const error = new SqlError({ reason: new UnknownError({ cause: new Error("unavailable") }) })
    const { exit } = await handled(Effect.fail(error))
    expect(Exit.isFailure(exit) && Cause.hasDies(exit.cause) && Cause.squash(exit.cause)).toBe(error)
  })

  it("fails with a defect for a caller of another kind", async () => {
    const handler = forSignedIn((_caller, _request: null) => Effect.succeed("done"))
    const exit = await Effect.runPromiseExit(Effect.provideService(handler(null), CurrentCaller, makeCaller()))
    expect(Exit.isFailure(exit) && Cause.hasDies(exit.cause)).toBe(true)
  })
})

describe("a response", () => {
  it("has the version of its resource as the ETag", () => {
    const caller = makeCaller()
    expect(withEtag(caller, { item: "team", version: 3 })).toBe("team")
    expect(caller.request.responseState).toEqual({ headers: { etag: '"3"' }, status: undefined, isEtagPartial: false })
  })

  it("has status 200 only for an item that already existed", () => {
    const [created, existing] = [makeCaller(), makeCaller()]
    withCreatedStatus(created, true, {})
    withCreatedStatus(existing, false, {})
    expect([created, existing].map(({ request }) => request.responseState.status)).toEqual([undefined, 200])
  })
})
