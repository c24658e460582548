import type { Id, Prefix } from "@orgplane/schema/shared/ids"
import { fromUUIDBytes, typeidUnboxed } from "typeid-js"

/** A new identifier: a UUIDv7, so later ones sort later, also within one millisecond of one process. */
export const makeId = <P extends Prefix>(prefix: P): Id<P> => typeidUnboxed(prefix) as `${P}_${string}`

/** The smallest identifier that can be made at a moment: bounds a list that is ordered by id to a time. */
export const firstId = <P extends Prefix>(prefix: P, millis: number): Id<P> => {
  const bytes = new Uint8Array(16)
  // A UUIDv7 begins with 48 bits of milliseconds.
  new DataView(bytes.buffer).setBigUint64(0, BigInt(Math.max(0, Math.floor(millis))) << 16n)
  return fromUUIDBytes(prefix, bytes) as `${P}_${string}`
}
