import type { Id, Prefix } from "@orgplane/schema/shared/ids"
import { fromUUIDBytes, typeidUnboxed } from "typeid-js"

/** A new identifier: a UUIDv7, so later ones sort later, even within one millisecond of one process. */
export const makeId = <P extends Prefix>(prefix: P): Id<P> => typeidUnboxed(prefix) as `${P}_${string}`

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
const perPrefixMax = alphabet.length ** 2

/**
 * Makes identifiers faster, for one per request: all of a millisecond share one that `makeId` made, except for the last
 * two characters, which count. They are as unique and sort the same way, but the next one can be guessed.
 */
export const makeCountedIds = <P extends Prefix>(prefix: P) => {
  let madeAt = Number.NaN
  let shared = ""
  let count = perPrefixMax
  return (nowMillis: number): Id<P> => {
    if (nowMillis !== madeAt || count === perPrefixMax) {
      madeAt = nowMillis
      shared = makeId(prefix).slice(0, -2)
      count = 0
    }
    const id = `${shared}${alphabet[count >> 5]}${alphabet[count & 31]}`
    count += 1
    return id as Id<P>
  }
}

/** The smallest identifier that can be made at a time: turns a time into a bound of a list that is ordered by id. */
export const firstId = <P extends Prefix>(prefix: P, millis: number): Id<P> => {
  const bytes = new Uint8Array(16)
  // A UUIDv7 begins with 48 bits of milliseconds.
  new DataView(bytes.buffer).setBigUint64(0, BigInt(Math.max(0, Math.floor(millis))) << 16n)
  return fromUUIDBytes(prefix, bytes) as `${P}_${string}`
}
