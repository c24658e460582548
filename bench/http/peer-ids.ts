import { randomFillSync } from "node:crypto"

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
const pool = Buffer.alloc(16_000)
let used = pool.length

/** A new identifier: a UUIDv7 in the server's base 32. Random bytes are drawn for a thousand at once. */
export const makeId = (prefix: string): string => {
  if (used + 16 > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  let id = ""
  let millis = Date.now()
  for (let i = 0; i < 10; i++) {
    id = (alphabet[millis % 32] as string) + id
    millis = Math.floor(millis / 32)
  }
  const random = (i: number) => pool[used + i] as number
  // The version is the upper four bits of the first character, and the variant two bits in the middle of the fourth.
  id += alphabet[14 + (random(0) & 1)]
  id += (alphabet[random(1) & 31] as string) + (alphabet[random(2) & 31] as string)
  id += alphabet[(random(3) & 19) | 8]
  for (let i = 4; i < 16; i++) id += alphabet[random(i) & 31]
  used += 16
  return `${prefix}_${id}`
}
