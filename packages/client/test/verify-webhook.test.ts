/** `verifyWebhook`: signatures with shared secrets and key pairs, the age of webhooks, and what it rejects. */
import { createHmac, generateKeyPairSync, randomBytes, sign } from "node:crypto"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { verifyWebhook, WebhookVerificationError } from "../src/index.ts"

/** The example of the libraries of Standard Webhooks. */
const vector = {
  secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  headers: {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
  },
  body: '{"test": 2432232314}'
}
const always = { toleranceSeconds: 10_000_000_000 }
const now = () => Math.floor(Date.now() / 1000)

const secretOf = (bytes: Buffer) => `whsec_${bytes.toString("base64")}`
const key = randomBytes(32)
const secret = secretOf(key)
const content = { type: "plugin.create", timestamp: "2026-01-15T09:30:00.000Z", data: { id: "aud_1", sequence: 7 } }
const signedWith = (bytes: Buffer, body = JSON.stringify(content), seconds = now(), id = "aud_1") => ({
  headers: {
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": `v1,${createHmac("sha256", bytes).update(`${id}.${seconds}.${body}`).digest("base64")}`
  },
  body
})
const refused = (result: Promise<unknown>) =>
  result.then(
    () => "accepted",
    (error: unknown) => (error instanceof WebhookVerificationError ? error.message : `other: ${String(error)}`)
  )

describe("verifyWebhook", () => {
  it("accepts the example of the Standard Webhooks specification", async () => {
    expect(await verifyWebhook(vector, { secret: vector.secret, ...always })).toEqual({
      test: 2432232314,
      id: "msg_p5jXN8AQM9LWM0D4loKWxJek"
    })
  })

  it("returns the ID and the content, from a request, from bytes, and from headers of any form", async () => {
    const webhook = signedWith(key)
    const expected = { id: "aud_1", ...content }
    const request = new Request("https://hooks.example/", { method: "POST", ...webhook })
    const upper = Object.fromEntries(
      Object.entries(webhook.headers).map(([name, value]) => [name.toUpperCase(), [value]])
    )
    for (const received of [
      request,
      webhook,
      { ...webhook, body: new TextEncoder().encode(webhook.body) },
      { ...webhook, headers: new Headers(webhook.headers) },
      { ...webhook, headers: upper }
    ]) {
      expect(await verifyWebhook(received, { secret })).toEqual(expected)
    }
  })

  it("accepts any of several secrets and any of several signatures", async () => {
    const [before, after] = [randomBytes(32), randomBytes(32)]
    const [old, current] = [signedWith(before), signedWith(after)]
    const both = `${current.headers["webhook-signature"]} ${old.headers["webhook-signature"]}`
    const webhook = { ...old, headers: { ...old.headers, "webhook-signature": both } }
    for (const one of [before, after]) {
      expect(await verifyWebhook(webhook, { secret: secretOf(one) })).toMatchObject({ id: "aud_1" })
      expect(await verifyWebhook(signedWith(one), { secret: [before, after].map(secretOf) })).toMatchObject({
        id: "aud_1"
      })
    }
  })

  it("verifies signatures of a key pair with the public key", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("ed25519")
    const point = publicKey.export({ format: "der", type: "spki" }).subarray(12).toString("base64")
    const webhook = signedWith(key)
    const text = `aud_1.${webhook.headers["webhook-timestamp"]}.${webhook.body}`
    const signature = `v1a,${sign(null, Buffer.from(text), privateKey).toString("base64")}`
    const headers = { ...webhook.headers, "webhook-signature": `${webhook.headers["webhook-signature"]} ${signature}` }
    expect(await verifyWebhook({ ...webhook, headers }, { secret: `whpk_${point}` })).toMatchObject({ id: "aud_1" })
    const changed = { headers, body: webhook.body.replace("7", "8") }
    expect(await refused(verifyWebhook(changed, { secret: `whpk_${point}` }))).toContain("No signature")
    // The signature of one kind is never accepted as the other.
    const swapped = { ...webhook.headers, "webhook-signature": signature.replace("v1a,", "v1,") }
    expect(await refused(verifyWebhook({ ...webhook, headers: swapped }, { secret: `whpk_${point}` }))).toContain(
      "No signature"
    )
  })

  it("accepts every body, and rejects it after a change of any part", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary" }), fc.nat(), async (text, at) => {
        const body = JSON.stringify({ data: text })
        const webhook = signedWith(key, body)
        expect(await verifyWebhook(webhook, { secret })).toMatchObject({ data: text })
        const bytes = new TextEncoder().encode(body)
        const index = at % bytes.length
        bytes[index] = (bytes[index] ?? 0) ^ 1
        expect(await refused(verifyWebhook({ ...webhook, body: bytes }, { secret }))).toContain("No signature")
      }),
      { numRuns: 20 }
    )
  })

  it("rejects another ID, another time, another secret, and values that are not signatures", async () => {
    const webhook = signedWith(key)
    const withHeader = (name: string, value: string) => ({ ...webhook, headers: { ...webhook.headers, [name]: value } })
    for (const changed of [
      withHeader("webhook-id", "aud_2"),
      withHeader("webhook-timestamp", String(now() + 1)),
      withHeader("webhook-signature", ""),
      withHeader("webhook-signature", "v1,"),
      withHeader("webhook-signature", "v1,%%%"),
      withHeader("webhook-signature", webhook.headers["webhook-signature"].replace("v1,", "v2,"))
    ]) {
      expect(await refused(verifyWebhook(changed, { secret }))).toContain("No signature")
    }
    expect(await refused(verifyWebhook(webhook, { secret: secretOf(randomBytes(32)) }))).toContain("No signature")
    expect(await refused(verifyWebhook(webhook, { secret: [] }))).toContain("No signature")
  })

  it("rejects a webhook that is too old, too far ahead, or without a time", async () => {
    for (const seconds of [now() - 400, now() + 400]) {
      expect(await refused(verifyWebhook(signedWith(key, "{}", seconds), { secret }))).toBe(
        "webhook-timestamp is not within 300 seconds of the clock."
      )
      expect(await verifyWebhook(signedWith(key, "{}", seconds), { secret, toleranceSeconds: 500 })).toEqual({
        id: "aud_1"
      })
    }
    for (const time of ["", "soon", "1e9", "-1", "NaN"]) {
      const { body, headers } = signedWith(key)
      const changed = { body, headers: { ...headers, "webhook-timestamp": time } }
      expect(await refused(verifyWebhook(changed, { secret, ...always }))).toContain("webhook-timestamp")
    }
  })

  it("names the headers that are required", async () => {
    for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"]) {
      const { body, headers } = signedWith(key)
      const rest = Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name))
      expect(await refused(verifyWebhook({ body, headers: rest }, { secret }))).toContain("are required")
    }
  })

  it("reports an invalid secret as an error of the receiver", async () => {
    for (const wrong of ["", "whsec_", "whsec_%", "secret", "whsk_AAAA"]) {
      expect(await refused(verifyWebhook(signedWith(key), { secret: wrong }))).toContain(
        "other: TypeError: secret must be"
      )
    }
  })

  it("rejects a signed body that is not an object", async () => {
    for (const body of ["", "null", "1", "{"]) {
      expect(await refused(verifyWebhook(signedWith(key, body), { secret }))).toBe("The body is not a JSON object.")
    }
  })
})
