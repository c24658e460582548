import type { Id, Prefix } from "@orgplane/schema/shared/ids"
import { typeidUnboxed } from "typeid-js"

/** A new identifier: a UUIDv7, so later ones sort later, also within one millisecond of one process. */
export const makeId = <P extends Prefix>(prefix: P): Id<P> => typeidUnboxed(prefix) as `${P}_${string}`
