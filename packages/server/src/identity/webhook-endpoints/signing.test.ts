import { createHmac, createPublicKey, verify } from "node:crypto"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeSecret, publicKeyOf, signedHeaders as headersOf, signerOf } from "./signing.ts"

const signedHeaders = (id: string, seconds: number, body: string, secrets: ReadonlyArray<string>) =>
  headersOf(id, seconds, body, secrets.map(signerOf))

const id = "aud_01kf0x5me8e6razepq180mhf01"

describe("signedHeaders", () => {
  it("signs the ID, the time and the body with a shared secret", () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 0, max: 4_000_000_000 }), (body, seconds) => {
        const { publicKey, secret } = makeSecret("hmac")
        expect(publicKey).toBe(null)
        const headers = signedHeaders(id, seconds, body, [secret])
        const key = Buffer.from(secret.replace(/^whsec_/u, ""), "base64")
        const expected = createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64")
        expect(headers).toEqual({
          "webhook-id": id,
          "webhook-timestamp": String(seconds),
          "webhook-signature": `v1,${expected}`
        })
      }),
      { numRuns: 50 }
    )
  })

  it("signs with a key pair, whose public key verifies the signature", () => {
    const { publicKey, secret } = makeSecret("ed25519")
    expect(publicKeyOf(secret)).toBe(publicKey)
    const [, signature = ""] = signedHeaders(id, 1, "{}", [secret])["webhook-signature"]?.split("v1a,") ?? []
    const point = Buffer.from((publicKey ?? "").replace(/^whpk_/u, ""), "base64")
    const key = createPublicKey({
      key: Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), point]),
      format: "der",
      type: "spki"
    })
    expect(verify(null, Buffer.from(`${id}.1.{}`), key, Buffer.from(signature, "base64"))).toBe(true)
    expect(verify(null, Buffer.from(`${id}.2.{}`), key, Buffer.from(signature, "base64"))).toBe(false)
  })

  it("contains one signature for each secret during an overlap", () => {
    const secrets = [makeSecret("hmac").secret, makeSecret("hmac").secret]
    expect(signedHeaders(id, 1, "{}", secrets)["webhook-signature"]?.split(" ")).toHaveLength(2)
  })
})
