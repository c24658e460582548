import type { Id, Prefix } from "@orgplane/schema/shared/ids"
import { randomFillSync, randomInt } from "node:crypto"
import { fromUUIDBytes } from "typeid-js"

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

/** Random bytes for many identifiers, because filling them costs much more per call than per byte. */
const pool = new Uint8Array(4096)
let poolAt = pool.length
const randomByte = (): number => {
  if (poolAt === pool.length) {
    randomFillSync(pool)
    poolAt = 0
  }
  const byte = pool[poolAt] ?? 0
  poolAt += 1
  return byte
}

const bytes = new Uint8Array(16)
let madeAt = 0
/** The 32 bits after the time: random in a new millisecond, and counted up within it. */
let sequence = 0

/** Fills `bytes` with a UUIDv7. A clock that was set back does not make it smaller than the one before. */
const fillUuid = (): void => {
  const now = Date.now()
  if (now > madeAt) {
    madeAt = now
    sequence = randomInt(2 ** 31)
  } else if (sequence === 2 ** 32 - 1) {
    madeAt += 1
    sequence = 0
  } else sequence += 1
  let left = madeAt
  for (let index = 5; index >= 0; index--) {
    bytes[index] = left % 256
    left = Math.floor(left / 256)
  }
  // Version 7 and twelve bits of the sequence; variant 2 and the other twenty, with six and fourteen bits in between.
  bytes[6] = 0x70 | (sequence >>> 28)
  bytes[7] = (sequence >>> 20) & 0xff
  bytes[8] = 0x80 | ((sequence >>> 14) & 0x3f)
  bytes[9] = (sequence >>> 6) & 0xff
  bytes[10] = ((sequence << 2) & 0xff) | (randomByte() & 0x03)
  for (let index = 11; index < 16; index++) bytes[index] = randomByte()
}

/** A new identifier: a UUIDv7, so later ones sort later, even within one millisecond of one process. */
export const makeId = <P extends Prefix>(prefix: P): Id<P> => {
  fillUuid()
  let text = `${prefix}_`
  // 130 bits in 26 characters; the first two bits are 0.
  let held = 0
  let heldBits = 2
  for (const byte of bytes) {
    held = (held << 8) | byte
    heldBits += 8
    while (heldBits >= 5) {
      heldBits -= 5
      text += alphabet[(held >>> heldBits) & 31]
    }
    held &= 31
  }
  return text as Id<P>
}

const perPrefixMax = alphabet.length ** 2

/** The first ten characters of the part after the prefix are the milliseconds of a UUIDv7. */
const timeCharacters = 10

/**
 * Creates identifiers faster, for use once per request. All identifiers of one process share the random part of one from
 * `makeId`, except for the last two characters, which are a counter within a millisecond. They are equally unique and
 * sort the same way, but are predictable.
 */
export const makeCountedIds = <P extends Prefix>(prefix: P) => {
  let madeAt = Number.NaN
  let shared = ""
  let random = ""
  let count = perPrefixMax
  return (nowMillis: number): Id<P> => {
    if (nowMillis !== madeAt || count === perPrefixMax) {
      // A random part is used once in each millisecond.
      if (random === "" || nowMillis <= madeAt) random = makeId(prefix).slice(prefix.length + 1 + timeCharacters, -2)
      madeAt = nowMillis
      let time = ""
      for (let left = nowMillis, place = 0; place < timeCharacters; place++) {
        time = (alphabet[left % 32] ?? "") + time
        left = Math.floor(left / 32)
      }
      shared = `${prefix}_${time}${random}`
      count = 0
    }
    const id = `${shared}${alphabet[count >> 5]}${alphabet[count & 31]}`
    count += 1
    return id as Id<P>
  }
}

/**
 * The smallest identifier that can be created at a time. It converts a time to a bound of a list that is sorted by ID.
 */
export const firstId = <P extends Prefix>(prefix: P, millis: number): Id<P> => {
  const bytes = new Uint8Array(16)
  // A UUIDv7 begins with 48 bits of milliseconds.
  new DataView(bytes.buffer).setBigUint64(0, BigInt(Math.max(0, Math.floor(millis))) << 16n)
  return fromUUIDBytes(prefix, bytes) as `${P}_${string}`
}
