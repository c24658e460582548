import type { Id, Prefix } from "@orgplane/schema/shared/ids"
import { typeidUnboxed } from "typeid-js"

/** A new identifier: a UUIDv7, so later ones sort later, also within one millisecond of one process. */
export const makeId = <P extends Prefix>(prefix: P): Id<P> => typeidUnboxed(prefix) as `${P}_${string}`

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
const perPrefixMax = alphabet.length ** 2

/**
 * Makes identifiers faster, for what every request needs one of: all of a millisecond share one that `makeId` made, but
 * for the last two characters, which count. They are as unique and sort as well, but the next one can be guessed.
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
