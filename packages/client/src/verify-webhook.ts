import type { OrganizationEvent } from "./generated/types.ts"

/** A webhook: its headers and its exact body. */
export interface ReceivedWebhook {
  readonly headers: Headers | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** The body as it was received. A body that was parsed and serialized again does not match the signature. */
  readonly body: string | Uint8Array
}

export interface VerifyWebhookOptions {
  /** The secret (`whsec_…`), or the public key (`whpk_…`), of the endpoint. Several during a rotation. */
  readonly secret: string | ReadonlyArray<string>
  /** How old a webhook may be, and how far ahead its clock. Default: 300 seconds. */
  readonly toleranceSeconds?: number
}

/** What a webhook contains. */
export interface VerifiedWebhook {
  /** The ID of the event. Store it to ignore repetitions. */
  readonly id: string
  readonly type: string
  readonly timestamp: string
  readonly data: OrganizationEvent
}

/** The webhook is not from orgplane, was changed, or is too old. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError"
}

const toleranceDefault = 300
const secretPrefix = "whsec_"
const publicPrefix = "whpk_"

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))

const headerOf = ({ headers }: ReceivedWebhook, name: string): string | undefined => {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return typeof value === "string" ? value : value?.[0]
}

const isSigned = async (secret: string, signed: Uint8Array<ArrayBuffer>, signatures: ReadonlyArray<string>) => {
  const isPublic = secret.startsWith(publicPrefix)
  const version = isPublic ? "v1a," : "v1,"
  const bytes = bytesOf(
    secret.slice(isPublic ? publicPrefix.length : secret.startsWith(secretPrefix) ? secretPrefix.length : 0)
  )
  const algorithm = isPublic ? { name: "Ed25519" } : { name: "HMAC", hash: "SHA-256" }
  const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["verify"])
  for (const signature of signatures.filter((one) => one.startsWith(version))) {
    // `verify` compares in constant time.
    if (await crypto.subtle.verify(algorithm.name, key, bytesOf(signature.slice(version.length)), signed)) return true
  }
  return false
}

/**
 * Verifies the signature and the age of a webhook, and returns its content. Works in every runtime with WebCrypto.
 *
 * ```ts
 * const { id, data } = await verifyWebhook(
 *   { headers: request.headers, body: await request.text() },
 *   { secret: process.env.WEBHOOK_SECRET ?? "" }
 * )
 * ```
 */
export const verifyWebhook = async (
  webhook: ReceivedWebhook,
  { secret, toleranceSeconds = toleranceDefault }: VerifyWebhookOptions
): Promise<VerifiedWebhook> => {
  const id = headerOf(webhook, "webhook-id")
  const timestamp = headerOf(webhook, "webhook-timestamp")
  const signature = headerOf(webhook, "webhook-signature")
  if (id === undefined || timestamp === undefined || signature === undefined) {
    throw new WebhookVerificationError("The headers webhook-id, webhook-timestamp and webhook-signature are required.")
  }
  const age = Math.abs(Date.now() / 1000 - Number(timestamp))
  if (!/^\d{1,15}$/u.test(timestamp) || age > toleranceSeconds) {
    throw new WebhookVerificationError(`The webhook is not from the last ${toleranceSeconds} seconds.`)
  }
  const body = typeof webhook.body === "string" ? webhook.body : new TextDecoder().decode(webhook.body)
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  const secrets = typeof secret === "string" ? [secret] : secret
  for (const one of secrets) {
    if (await isSigned(one, signed, signature.split(" ")))
      return { id, ...(JSON.parse(body) as Omit<VerifiedWebhook, "id">) }
  }
  throw new WebhookVerificationError("The signature does not match the secret.")
}
