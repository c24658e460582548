import { createHmac, createSecretKey } from "node:crypto"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { equalBytes, hmacsOf, hmacWith } from "./digest.ts"

it("compares every byte of an HMAC", () => {
  const bytes = Buffer.from("a webhook body")
  const right = createHmac("sha256", "second secret").update(bytes).digest()
  const matches = (mac: Uint8Array) => {
    const macs = hmacsOf(["first secret", "second secret"])
    macs.update(bytes.subarray(0, 4))
    macs.update(bytes.subarray(4))
    return macs.matches(mac)
  }
  expect(matches(right)).toBe(true)
  for (let index = 0; index < right.length; index++) {
    const wrong = Buffer.from(right)
    wrong[index] = (wrong[index] ?? 0) ^ 1
    expect([index, matches(wrong)]).toEqual([index, false])
  }
  for (const length of [0, 8, 31]) expect([length, matches(right.subarray(0, length))]).toEqual([length, false])
  expect(equalBytes(right, Buffer.concat([right, Buffer.alloc(1)]))).toBe(false)
})

it("computes the same HMAC as Node for keys and texts of any length", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 200 }),
      fc.string({ unit: "grapheme", maxLength: 300 }),
      (bytes, text) => {
        const key = createSecretKey(bytes)
        expect(hmacWith(key)(text)).toEqual(createHmac("sha256", key).update(text).digest())
      }
    )
  )
})
