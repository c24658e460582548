import type { Id, Prefix } from "@orgplane/schema/shared/ids"
import { fromUUIDBytes, typeidUnboxed } from "typeid-js"

/** A new identifier: a UUIDv7, so later ones sort later, even within one millisecond of one process. */
export const makeId = <P extends Prefix>(prefix: P): Id<P> => typeidUnboxed(prefix) as `${P}_${string}`

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
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
