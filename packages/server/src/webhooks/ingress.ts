import { limits, RateLimiter } from "../limits/index.ts"
import type { RateLimited } from "@orgplane/schema/shared/errors"
import type { Anonymous } from "@orgplane/schema/shared/caller"
import * as Webhooks from "@orgplane/schema/webhooks"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { Settings } from "../config/settings.ts"
import { hmacsOf } from "../crypto/digest.ts"

/** A body over this is a large one, and few of those are held at once. */
const largeBytes = 1_048_576
const largeMax = 2
const readingMax = 64
/** Of one address: whoever sends slowly, or signs wrongly, leaves room for others. */
const readingPerAddressMax = 16
/** A sender that is slower than this is no code host. */
const patience = Duration.seconds(30)
const retryAfterSeconds = "5"

/** What a 401 says would have been good. */
const challenge = 'Signature algorithm="hmac-sha256", header="x-hub-signature-256"'
const signaturePattern = /^sha256=([0-9a-f]{64})$/

/** A delivery whose sender has proved to know a live secret. */
export interface Verified {
  readonly event: string
  readonly deliveryId: string
  readonly body: Uint8Array
}

const named = /^[\x21-\x7e]{1,128}$/

/** Takes deliveries in: what they are is nobody's business until their signature is good. */
export class WebhookIngress extends Context.Service<WebhookIngress>()("@orgplane/server/webhooks/Ingress", {
  make: Effect.gen(function* () {
    const { webhookSecrets } = yield* Settings
    const limiter = yield* RateLimiter
    let reading = 0
    const readers = new Map<string, number>()
    let large = 0

    const busy = (caller: Anonymous) =>
      Effect.suspend(() => {
        caller.request.head["retry-after"] = retryAfterSeconds
        return Effect.fail(new Webhooks.Busy())
      })

    const unsigned = (caller: Anonymous) => {
      const { address, head } = caller.request
      head["www-authenticate"] = challenge
      return Effect.andThen(
        limiter.take({ head }, limits.failedAuthentication, address ?? ""),
        Effect.fail(new Webhooks.SignatureInvalid())
      )
    }

    /** The body in memory, its code taken while it comes; a large one has one of few places. */
    const bodyOf = Effect.fnUntraced(function* (
      caller: Anonymous,
      request: HttpServerRequest,
      macs: ReturnType<typeof hmacsOf>,
      onLarge: () => boolean
    ) {
      const declared = Number(request.headers["content-length"] ?? 0)
      if (declared > Webhooks.payloadBytesMax) return yield* new Webhooks.PayloadTooLarge()
      if (declared > largeBytes && !onLarge()) return yield* busy(caller)
      const parts: Array<Uint8Array> = []
      let size = 0
      yield* request.stream.pipe(
        Stream.catchCause(() => Stream.fail(new Webhooks.PayloadInvalid())),
        Stream.runForEach((part): Effect.Effect<void, Webhooks.PayloadTooLarge | Webhooks.Busy> => {
          size += part.length
          if (size > Webhooks.payloadBytesMax) return Effect.fail(new Webhooks.PayloadTooLarge())
          if (size > largeBytes && !onLarge()) return busy(caller)
          macs.update(part)
          parts.push(part)
          return Effect.void
        }),
        Effect.timeoutOrElse({ duration: patience, orElse: () => busy(caller) })
      )
      return Buffer.concat(parts, size)
    })

    /**
     * Reads and verifies a delivery, and hands it to `use` while its place is held. Refused are, in this order: more wrong
     * signatures from an address than anybody makes, no configured secret, no signature, a body that is too large or for
     * which there is no room, a signature that is not of these bytes, more deliveries in a second than there is room for.
     */
    const receive = <A, E, R>(
      caller: Anonymous,
      request: HttpServerRequest,
      use: (verified: Verified) => Effect.Effect<A, E, R>
    ) => {
      let holdsLarge = false
      const onLarge = () => {
        if (holdsLarge) return true
        if (large >= largeMax) return false
        large += 1
        holdsLarge = true
        return true
      }
      const read = Effect.gen(function* () {
        const told = signaturePattern.exec(request.headers["x-hub-signature-256"] ?? "")?.[1]
        if (told === undefined) return yield* unsigned(caller)
        const macs = hmacsOf(webhookSecrets)
        const body = yield* bodyOf(caller, request, macs, onLarge)
        if (!macs.matches(Buffer.from(told, "hex"))) return yield* unsigned(caller)
        const [event, deliveryId] = [request.headers["x-github-event"], request.headers["x-github-delivery"]]
        if (event === undefined || deliveryId === undefined || !named.test(event) || !named.test(deliveryId)) {
          return yield* new Webhooks.PayloadInvalid()
        }
        return yield* use({ event, deliveryId, body })
      })
      return Effect.suspend(
        (): Effect.Effect<
          A,
          | E
          | RateLimited
          | Webhooks.Busy
          | Webhooks.PayloadInvalid
          | Webhooks.PayloadTooLarge
          | Webhooks.SecretMissing
          | Webhooks.SignatureInvalid,
          R
        > => {
          if (webhookSecrets.length === 0) {
            caller.request.head["retry-after"] = "3600"
            return Effect.fail(new Webhooks.SecretMissing())
          }
          const address = caller.request.address ?? ""
          const own = readers.get(address) ?? 0
          if (reading >= readingMax || own >= readingPerAddressMax) return busy(caller)
          reading += 1
          readers.set(address, own + 1)
          return Effect.ensuring(
            read,
            Effect.sync(() => {
              reading -= 1
              const left = (readers.get(address) ?? 1) - 1
              if (left === 0) readers.delete(address)
              else readers.set(address, left)
              if (holdsLarge) large -= 1
            })
          )
        }
      )
    }

    return { receive } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
