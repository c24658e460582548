import type { Member } from "@orgplane/schema/shared/caller"
import { WorkerRuntimeFailed, WorkerRuntimeUnavailable } from "@orgplane/schema/workers"
import type { JsonObject } from "@orgplane/schema/shared/values"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { digestOf } from "../../infra/audit/record.ts"
import { KeyRing } from "../../infra/crypto/key-ring.ts"
import { Mutate } from "../../infra/mutate/index.ts"
import { Outbound, type OutboundResponse } from "../../infra/ports/outbound.ts"
import { Provisioner } from "../../infra/ports/provisioner.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import * as repo from "./repo.ts"
import { sealedFor } from "./runtime-token.ts"
import { WorkersService } from "./service.ts"

const timeoutMillis = 30_000
const bodyBytesMax = 1024 * 1024

/** What is passed on as it is: what was done, and what is wrong with the request. */
const isPassedOn = (status: number) => (status >= 200 && status < 300) || [400, 404, 409, 422].includes(status)
/** The document names three kinds of success; whatever else a runtime says is plain success. */
const statusOf = (status: number) => (status < 300 && status !== 201 && status !== 202 ? 200 : status)

/** Whether it is JSON that does not say this, be it with other signs for the same characters. */
const isJsonWithout = (text: string, secret: string): boolean => {
  try {
    return !text.includes(secret) && !JSON.stringify(JSON.parse(text)).includes(secret)
  } catch {
    return false
  }
}

/** Runtimes of workers are asked here, once each time, with what only they and we know. */
export class WorkerRuntimeService extends Context.Service<WorkerRuntimeService>()(
  "@orgplane/server/workers/RuntimeService",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlDatabase
      const keys = yield* KeyRing
      const outbound = yield* Outbound
      const workers = yield* WorkersService
      const provisioner = yield* Effect.serviceOption(Provisioner)
      const { mutate, recall } = yield* Mutate

      /** Where a worker's runtime answers, and what it knows us by. */
      const reach = Effect.fnUntraced(function* (caller: Member, id: string) {
        yield* workers.own(caller, id)
        const row = yield* repo.latestInstance(sql, caller.organizationId, id)
        const place = Option.getOrUndefined(provisioner)
        if (row === undefined || place === undefined || row.provider !== place.provider || row.status !== "running") {
          return yield* new WorkerRuntimeUnavailable()
        }
        // Of another machine: here its address is whoever's that listens there.
        if (place.destination === "loopback" && row.region !== place.region)
          return yield* new WorkerRuntimeUnavailable()
        const { ciphertext, key_id: keyId, nonce, url } = row
        if (url === null || keyId === null || nonce === null || ciphertext === null) {
          return yield* new WorkerRuntimeUnavailable()
        }
        // What ended a moment ago may have left its address to another.
        const there = yield* place.find(row.id).pipe(Effect.catchTag("ProvisionerFailed", () => Effect.undefined))
        if (there === undefined) return yield* new WorkerRuntimeUnavailable()
        const token = yield* keys.open(sealedFor(caller.organizationId, row.id), { keyId, nonce, ciphertext })
        return { url: there.url, token, destination: place.destination }
      })

      /** The runtime's answer as it gave it, if it is one that may be passed on. */
      const judged = (response: OutboundResponse, token: string) => {
        const text = new TextDecoder("utf-8", { fatal: false }).decode(response.body)
        const type = response.headers["content-type"] ?? ""
        // What a runtime knows us by is nobody else's, should it say it.
        const isGood =
          isPassedOn(response.status) && /^application\/([\w.-]+\+)?json\b/i.test(type) && isJsonWithout(text, token)
        return isGood ? { status: response.status, text } : undefined
      }

      const ask = Effect.fn("workers.askRuntime")(function* (
        caller: Member,
        runtime: Effect.Success<ReturnType<typeof reach>>,
        method: "GET" | "POST",
        path: string,
        body?: JsonObject
      ) {
        const response = yield* outbound
          .request({
            destination: runtime.destination,
            url: `${runtime.url}${path}`,
            method,
            headers: {
              authorization: `Bearer ${runtime.token}`,
              accept: "application/json",
              "x-request-id": caller.request.requestId,
              ...(body === undefined ? {} : { "content-type": "application/json" })
            },
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
            redirectsMax: 0,
            timeoutMillis,
            bodyBytesMax,
            organizationId: caller.organizationId
          })
          .pipe(Effect.catchTag("OutboundFailed", ({ code }) => Effect.succeed(code)))
        const passed = typeof response === "string" ? undefined : judged(response, runtime.token)
        const outcome = typeof response === "string" ? response : passed === undefined ? "not_passed_on" : "passed_on"
        return { outcome, status: typeof response === "string" ? null : response.status, passed }
      })

      const passOn = (passed: ReturnType<typeof judged>) =>
        passed === undefined
          ? Effect.fail(new WorkerRuntimeFailed())
          : Effect.succeed(
              HttpServerResponse.text(passed.text, {
                status: statusOf(passed.status),
                contentType: "application/json"
              })
            )

      const get = Effect.fnUntraced(function* (caller: Member, id: string) {
        const { passed } = yield* ask(caller, yield* reach(caller, id), "GET", "/runtime")
        return yield* passOn(passed)
      })

      /**
       * Forwards an upgrade once. Before anything is sent it is on record, and the idempotency key is taken: nothing is
       * sent twice, whatever becomes of this process.
       */
      const upgrade = Effect.fnUntraced(function* (caller: Member, id: string, body: JsonObject) {
        yield* workers.own(caller, id)
        yield* recall<void>(caller)
        const runtime = yield* reach(caller, id)
        const told = { request: digestOf(JSON.stringify(body)) }
        yield* mutate(caller, "worker.begin_upgrade", Effect.void, () => ({ target: id, after: told }))
        // The key is taken already, by the beginning.
        const ended = (after: Readonly<Record<string, unknown>>) =>
          mutate(
            { ...caller, request: { ...caller.request, idempotency: null } },
            "worker.upgrade_runtime",
            Effect.void,
            () => ({ target: id, after: { ...told, ...after } })
          )
        const { outcome, passed, status } = yield* ask(caller, runtime, "POST", "/runtime/upgrade", body).pipe(
          Effect.onInterrupt(() => ended({ outcome: "interrupted", status: null }))
        )
        yield* ended({ outcome, status })
        return yield* passOn(passed)
      })

      return { get, upgrade } as const
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
