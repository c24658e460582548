import type { EventType, OrganizationEvent, WebhookEndpointId } from "./generated/types.ts"

/** A webhook as a server received it: its headers and its exact body. */
export interface ReceivedWebhook {
  readonly headers: Pick<Headers, "get"> | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** The body as it was received. A body that was parsed and serialized again does not match the signature. */
  readonly body: string | Uint8Array
}

export interface VerifyWebhookOptions {
  /** The secret (`whsec_…`) of the endpoint, or its public key (`whpk_…`). Pass both during a rotation. */
  readonly secret: string | ReadonlyArray<string>
  /** Maximum difference between the time of the attempt and the clock. Default: 300. */
  readonly toleranceSeconds?: number
}

/** The content of a webhook. `type` distinguishes events from tests. */
export type VerifiedWebhook = {
  /** The ID of the event. It is the same in every attempt: store it to ignore duplicates. */
  readonly id: string
  readonly timestamp: string
} & (
  | { readonly type: EventType; readonly data: OrganizationEvent }
  | { readonly type: "webhook.test"; readonly data: { readonly webhookEndpointId: WebhookEndpointId } }
)

/** The webhook was not sent by orgplane, was changed, or is too old. Respond with 400. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError"
}

const toleranceDefault = 300
const signaturesMax = 20
const kinds = [
  { prefix: "whsec_", version: "v1,", algorithm: { name: "HMAC", hash: "SHA-256" } },
  { prefix: "whpk_", version: "v1a,", algorithm: { name: "Ed25519" } }
] as const

/** Undefined if the text is not base64. */
const bytesOf = (base64: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

const headerOf = (headers: ReceivedWebhook["headers"], name: string): string | undefined => {
  if ("get" in headers && typeof headers.get === "function") return headers.get(name) ?? undefined
  const value: unknown = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  const first: unknown = Array.isArray(value) ? value[0] : value
  return typeof first === "string" ? first : undefined
}

/** The key of a secret. An invalid one is an error of the receiver, not of the webhook. */
const keyOf = async (secret: string) => {
  const kind = kinds.find(({ prefix }) => secret.startsWith(prefix))
  const bytes = kind === undefined ? undefined : bytesOf(secret.slice(kind.prefix.length))
  if (kind === undefined || bytes === undefined || bytes.length === 0) {
    throw new TypeError("secret must be whsec_ or whpk_, and base64, as the endpoint's response contains it.")
  }
  return { kind, key: await crypto.subtle.importKey("raw", bytes, kind.algorithm, false, ["verify"]) }
}

const contentOf = (id: string, body: Uint8Array): VerifiedWebhook => {
  try {
    const content: unknown = JSON.parse(new TextDecoder().decode(body))
    if (typeof content === "object" && content !== null) return { ...(content as VerifiedWebhook), id }
  } catch {
    // Reported below.
  }
  throw new WebhookVerificationError("The body is not a JSON object.")
}

/**
 * Verifies the signature and the age of a webhook, and returns its content. Accepts a `Request`, or the headers and the
 * exact body. Works in every runtime with WebCrypto.
 *
 * ```ts
 * const { data, id, type } = await verifyWebhook(request, { secret: process.env.WEBHOOK_SECRET ?? "" })
 * ```
 */
export const verifyWebhook = async (
  webhook: Request | ReceivedWebhook,
  { secret, toleranceSeconds = toleranceDefault }: VerifyWebhookOptions
): Promise<VerifiedWebhook> => {
  const { headers } = webhook
  const id = headerOf(headers, "webhook-id")
  const timestamp = headerOf(headers, "webhook-timestamp")
  const signatures = headerOf(headers, "webhook-signature")?.split(" ").slice(0, signaturesMax)
  const keys = await Promise.all((typeof secret === "string" ? [secret] : secret).map(keyOf))
  if (id === undefined || timestamp === undefined || signatures === undefined) {
    throw new WebhookVerificationError("The headers webhook-id, webhook-timestamp and webhook-signature are required.")
  }
  const isInTime = Math.abs(Date.now() / 1000 - Number(timestamp)) <= toleranceSeconds
  if (!/^\d{1,15}$/u.test(timestamp) || !isInTime) {
    throw new WebhookVerificationError(`webhook-timestamp is not within ${toleranceSeconds} seconds of the clock.`)
  }
  const received = "arrayBuffer" in webhook ? new Uint8Array(await webhook.arrayBuffer()) : webhook.body
  const body = typeof received === "string" ? new TextEncoder().encode(received) : received
  const start = new TextEncoder().encode(`${id}.${timestamp}.`)
  const signed = new Uint8Array(start.length + body.length)
  signed.set(start)
  signed.set(body, start.length)
  for (const { key, kind } of keys) {
    for (const signature of signatures) {
      const bytes = signature.startsWith(kind.version) ? bytesOf(signature.slice(kind.version.length)) : undefined
      // `verify` compares in constant time.
      if (bytes !== undefined && (await crypto.subtle.verify(kind.algorithm.name, key, bytes, signed))) {
        return contentOf(id, body)
      }
    }
  }
  throw new WebhookVerificationError("No signature in webhook-signature matches the secret.")
}
