import type { Member } from "@orgplane/schema/shared/caller"
import { WorkerRuntimeFailed, WorkerRuntimeUnavailable } from "@orgplane/schema/workers"
import type { JsonObject } from "@orgplane/schema/shared/values"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
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

/** Responses forwarded unchanged: success, and errors in the caller's request. */
const isPassedOn = (status: number) => (status >= 200 && status < 300) || [400, 404, 409, 422].includes(status)

/** Whether the text is JSON that does not contain the secret, not even in escaped form. */
const isJsonWithout = (text: string, secret: string): boolean => {
  try {
    return !text.includes(secret) && !JSON.stringify(JSON.parse(text)).includes(secret)
  } catch {
    return false
  }
}

/**
 * Requests to the runtimes of workers. Each is sent once, authenticated with a secret that only this server and the
 * runtime have.
 */
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

      /** The URL of a worker's runtime and the token that authenticates this server to it. */
      const reachRuntime = Effect.fnUntraced(function* (caller: Member, id: string) {
        yield* workers.findManaged(caller, id)
        const row = yield* repo.findLatestInstance(sql, caller.organizationId, id)
        const activeProvisioner = Option.getOrUndefined(provisioner)
        if (
          row === undefined ||
          activeProvisioner === undefined ||
          row.provider !== activeProvisioner.provider ||
          row.status !== "running"
        ) {
          return yield* new WorkerRuntimeUnavailable()
        }
        // The runtime is on another machine. On this machine, another program may be listening at its loopback address.
        if (activeProvisioner.destination === "loopback" && row.region !== activeProvisioner.region)
          return yield* new WorkerRuntimeUnavailable()
        const { ciphertext, key_id: keyId, nonce, url } = row
        if (url === null || keyId === null || nonce === null || ciphertext === null) {
          return yield* new WorkerRuntimeUnavailable()
        }
        // After a runtime has exited, another program may be listening at its address.
        const runtime = yield* activeProvisioner
          .find(row.id)
          .pipe(Effect.catchTag("ProvisionerFailed", () => Effect.undefined))
        if (runtime === undefined) return yield* new WorkerRuntimeUnavailable()
        const token = keys.tryOpen(sealedFor(caller.organizationId, row.id), { keyId, nonce, ciphertext })
        if (token === undefined) return yield* new WorkerRuntimeUnavailable()
        return { url: runtime.url, token, destination: activeProvisioner.destination }
      })

      /** The runtime's response, if it may be forwarded. */
      const acceptedResponse = (response: OutboundResponse, token: string) => {
        const text = new TextDecoder("utf-8", { fatal: false }).decode(response.body)
        const type = response.headers["content-type"] ?? ""
        // A response that contains the runtime's token is not forwarded.
        const isAccepted =
          isPassedOn(response.status) && /^application\/([\w.-]+\+)?json\b/i.test(type) && isJsonWithout(text, token)
        return isAccepted ? { status: response.status, text } : undefined
      }

      const requestRuntime = Effect.fn("workers.askRuntime")(function* (
        caller: Member,
        runtime: Effect.Success<ReturnType<typeof reachRuntime>>,
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
        const accepted = typeof response === "string" ? undefined : acceptedResponse(response, runtime.token)
        const outcome = typeof response === "string" ? response : accepted === undefined ? "not_passed_on" : "passed_on"
        return { outcome, status: typeof response === "string" ? null : response.status, accepted }
      })

      const forward = (accepted: ReturnType<typeof acceptedResponse>) =>
        accepted === undefined ? Effect.fail(new WorkerRuntimeFailed()) : Effect.succeed(accepted)

      const get = Effect.fnUntraced(function* (caller: Member, id: string) {
        const { accepted } = yield* requestRuntime(caller, yield* reachRuntime(caller, id), "GET", "/runtime")
        return yield* forward(accepted)
      })

      /**
       * Forwards an upgrade once. The audit event and the idempotency key are stored before the request is sent, so
       * nothing is sent twice even if this process crashes.
       */
      const upgrade = Effect.fnUntraced(function* (caller: Member, id: string, body: JsonObject) {
        yield* workers.findManaged(caller, id)
        yield* recall<void>(caller)
        const runtime = yield* reachRuntime(caller, id)
        const upgradeRequest = { request: digestOf(JSON.stringify(body)) }
        yield* mutate(caller, "worker.begin_upgrade", Effect.void, () => ({ target: id, after: upgradeRequest }))
        // The first event has already claimed the idempotency key.
        const auditEnd = (after: Readonly<Record<string, unknown>>) =>
          mutate(
            { ...caller, request: { ...caller.request, idempotency: null } },
            "worker.upgrade_runtime",
            Effect.void,
            () => ({ target: id, after: { ...upgradeRequest, ...after } })
          )
        const { outcome, accepted, status } = yield* requestRuntime(
          caller,
          runtime,
          "POST",
          "/runtime/upgrade",
          body
        ).pipe(Effect.onInterrupt(() => auditEnd({ outcome: "interrupted", status: null })))
        yield* auditEnd({ outcome, status })
        return yield* forward(accepted)
      })

      return { get, upgrade } as const
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
