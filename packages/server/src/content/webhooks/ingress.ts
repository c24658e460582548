import { AddressBudget } from "../../infra/limits/address-budget.ts"
import { limits, RateLimiter } from "../../infra/limits/index.ts"
import type { RateLimited } from "@orgplane/schema/shared/errors"
import type { Anonymous } from "@orgplane/schema/shared/caller"
import * as Webhooks from "@orgplane/schema/webhooks"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Settings } from "../../infra/config/settings.ts"
import { hmacsOf } from "../../infra/crypto/digest.ts"
import { retryAfter } from "../../infra/http/retry-after.ts"
import { makeAdmissionQueue } from "../../infra/limits/admission-queue.ts"

const KiB = 1024
const MiB = 1024 * KiB
/** A body above this size counts as large, and only a few of those are in memory at once. */
const largeBytes = MiB
/** Minimum charge of a delivery, and the assumed size without a `content-length`. */
const smallestBytes = 4 * KiB
const undeclaredBytes = 64 * KiB
/**
 * Memory for bodies that are being read or stored: in total, and per source IP address, so that memory remains for
 * other addresses.
 */
const bodies = { max: 32 * MiB, perKeyMax: 24 * MiB, waitersMax: 16_384 }
const largeBodies = { max: 2, perKeyMax: 1, waitersMax: 1024 }
/** Verification budget, in bytes and bytes per second, for an address with too many wrong signatures. */
const unverifiedBytes = { burst: 64 * MiB, perSecond: 4 * MiB }
/** How long a delivery waits for memory, and how long it may take to arrive. */
const patience = Duration.seconds(30)
const retryAfterSeconds = 5

const signaturePattern = /^sha256=([0-9a-f]{64})$/

/** A delivery with a valid signature of a current secret. */
export interface Verified {
  readonly event: string
  readonly deliveryId: string
  readonly body: Uint8Array
}

const named = /^[\x21-\x7e]{1,128}$/
const length = /^\d{1,15}$/

/** Receives deliveries. Nothing in a body is used before its signature is verified. */
export class WebhookIngress extends Context.Service<WebhookIngress>()("@orgplane/server/webhooks/Ingress", {
  make: Effect.gen(function* () {
    const { webhookSecrets } = yield* Settings
    const limiter = yield* RateLimiter
    const memory = makeAdmissionQueue(bodies)
    const largeMemory = makeAdmissionQueue(largeBodies)
    const unverified = new AddressBudget(unverifiedBytes.burst, unverifiedBytes.perSecond)

    const unsigned = ({ request }: Anonymous) =>
      Effect.andThen(
        limiter.take(request, limits.failedAuthentication, request.address),
        Effect.fail(new Webhooks.SignatureInvalid())
      )

    /** Reserves memory until the scope ends. */
    const reserve = ({ enter: reserve }: typeof memory, address: string, amount: number) =>
      reserve(address, amount).pipe(
        Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.succeed(false) }),
        Effect.flatMap((isIn) => (isIn ? Effect.void : Effect.fail(new Webhooks.Busy())))
      )

    /** Reads the body and computes its signature while it arrives; `grow` reserves more memory. */
    const bodyOf = Effect.fnUntraced(function* (
      request: HttpServerRequest,
      macs: ReturnType<typeof hmacsOf>,
      heldBytes: number,
      grow: Effect.Effect<void, Webhooks.Busy | RateLimited, Scope.Scope>
    ) {
      const parts: Array<Uint8Array> = []
      let size = 0
      let held = heldBytes
      yield* request.stream.pipe(
        Stream.catchCause(() => Stream.fail(new Webhooks.PayloadInvalid())),
        Stream.runForEach((part) =>
          Effect.gen(function* () {
            size += part.length
            if (size > Webhooks.payloadBytesMax) return yield* new Webhooks.PayloadTooLarge()
            if (size > held) {
              held = Webhooks.payloadBytesMax
              yield* grow
            }
            macs.update(part)
            parts.push(part)
          })
        ),
        Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.fail(new Webhooks.Busy()) })
      )
      return Buffer.concat(parts, size)
    })

    /** Reads a delivery and verifies its signature; its memory is reserved until the scope ends. */
    const read = Effect.fnUntraced(function* (caller: Anonymous, request: HttpServerRequest) {
      const { address } = caller.request
      const signature = signaturePattern.exec(request.headers["x-hub-signature-256"] ?? "")?.[1]
      if (signature === undefined) return yield* unsigned(caller)
      const contentLength = request.headers["content-length"]
      const declared = contentLength !== undefined && length.test(contentLength) ? Number(contentLength) : undefined
      if (declared !== undefined && declared > Webhooks.payloadBytesMax) return yield* new Webhooks.PayloadTooLarge()
      let charged = 0
      /** Only wrong signatures are limited: a valid signature refunds the budget. */
      const charge = Effect.fnUntraced(function* (bytes: number) {
        const now = yield* Clock.currentTimeMillis
        const fullUntil = limiter.fullUntil(limits.failedAuthentication, address, now)
        if (fullUntil === undefined) return
        if (!unverified.take(address, now, bytes)) {
          return yield* limiter.refuse(caller.request, limits.failedAuthentication, fullUntil, now)
        }
        charged += bytes
      })
      const becomeLarge = Effect.andThen(charge(Webhooks.payloadBytesMax), reserve(largeMemory, address, 1))
      const bytes = Math.max(declared ?? undeclaredBytes, smallestBytes)
      if (bytes > largeBytes) yield* becomeLarge
      else yield* Effect.andThen(charge(bytes), reserve(memory, address, bytes))
      const macs = hmacsOf(webhookSecrets)
      const held = bytes > largeBytes ? Webhooks.payloadBytesMax : bytes
      const body = yield* bodyOf(request, macs, held, becomeLarge)
      if (!macs.matches(Buffer.from(signature, "hex"))) return yield* unsigned(caller)
      if (charged > 0) unverified.refund(address, charged)
      return body
    })

    /**
     * Reads and verifies a delivery, and passes it to `use` while its memory is reserved. Deliveries wait for memory.
     * Checks in this order: secret configured, signature present, body size, memory available in time, signature valid.
     */
    const receive = <A, E, R>(
      caller: Anonymous,
      request: HttpServerRequest,
      use: (verified: Verified) => Effect.Effect<A, E | Webhooks.Busy, R>
    ) =>
      Effect.gen(function* () {
        if (webhookSecrets.length === 0) {
          return yield* retryAfter(new Webhooks.SecretMissing(), 3600)
        }
        const body = yield* read(caller, request)
        const [event, deliveryId] = [request.headers["x-github-event"], request.headers["x-github-delivery"]]
        if (event === undefined || deliveryId === undefined || !named.test(event) || !named.test(deliveryId)) {
          return yield* new Webhooks.PayloadInvalid()
        }
        return yield* use({ event, deliveryId, body })
      }).pipe(
        Effect.scoped,
        Effect.mapError((error) => (error instanceof Webhooks.Busy ? retryAfter(error, retryAfterSeconds) : error))
      )

    return { receive } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
