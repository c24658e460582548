import { createHmac } from "node:crypto"
import fc from "fast-check"
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

it("makes the HMAC that Node makes, for every key of up to a block and every text", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 64 }),
      fc.array(fc.string({ unit: "grapheme", maxLength: 200 }), { minLength: 1, maxLength: 3 }),
      (key, texts) => {
        const mac = hmacWith(key)
        for (const text of texts) {
          expect(mac(text).toString("hex")).toBe(createHmac("sha256", key).update(text).digest("hex"))
        }
      }
    )
  )
  expect(() => hmacWith(new Uint8Array(65))).toThrow("longer than a block")
})
