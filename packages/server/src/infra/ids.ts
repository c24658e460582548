import type { Id, Prefix } from "@orgplane/schema/shared/ids"
import { randomFillSync, randomInt } from "node:crypto"
import { fromUUIDBytes } from "typeid-js"

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

/** Random bytes for many identifiers, because each call of the random generator is expensive. */
const pool = new Uint8Array(4096)
let poolOffset = pool.length
const randomByte = (): number => {
  if (poolOffset === pool.length) {
    randomFillSync(pool)
    poolOffset = 0
  }
  const byte = pool[poolOffset] ?? 0
  poolOffset += 1
  return byte
}

const uuidBytes = new Uint8Array(16)
let lastMillis = 0
/** The 32 bits after the time. They start at a random number in each millisecond and are incremented within it. */
let sequence = 0

/** Fills `uuidBytes` with a UUIDv7 that is larger than the previous one, even if the clock was set back. */
const fillUuid = (): void => {
  const now = Date.now()
  if (now > lastMillis) {
    lastMillis = now
    sequence = randomInt(2 ** 31)
  } else if (sequence === 2 ** 32 - 1) {
    lastMillis += 1
    sequence = 0
  } else sequence += 1
  let left = lastMillis
  for (let index = 5; index >= 0; index--) {
    uuidBytes[index] = left % 256
    left = Math.floor(left / 256)
  }
  // Bytes 6 and 7: version 7 and the upper 12 bits of the sequence. Bytes 8 to 10: the variant and the lower 20 bits.
  uuidBytes[6] = 0x70 | (sequence >>> 28)
  uuidBytes[7] = (sequence >>> 20) & 0xff
  uuidBytes[8] = 0x80 | ((sequence >>> 14) & 0x3f)
  uuidBytes[9] = (sequence >>> 6) & 0xff
  uuidBytes[10] = ((sequence << 2) & 0xff) | (randomByte() & 0x03)
  for (let index = 11; index < 16; index++) uuidBytes[index] = randomByte()
}

/** A new identifier: a UUIDv7, so later ones sort later, even within one millisecond of one process. */
export const makeId = <P extends Prefix>(prefix: P): Id<P> => {
  fillUuid()
  let text = `${prefix}_`
  // Base32: 26 characters encode 130 bits, so the 128 bits are preceded by two zero bits.
  let pending = 0
  let pendingBits = 2
  for (const byte of uuidBytes) {
    pending = (pending << 8) | byte
    pendingBits += 8
    while (pendingBits >= 5) {
      pendingBits -= 5
      text += alphabet[(pending >>> pendingBits) & 31]
    }
    pending &= 31
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
