/** How much one repository may cost. What goes past one fails with `limit_exceeded` (or `timeout`), never with memory. */
export interface Bounds {
  /** Bytes of a pack as it comes over the wire. */
  readonly packBytesMax: number
  /** Objects of a pack, and rows (directories too) of a recursive listing. */
  readonly objectsMax: number
  /** Bytes of all objects of a fetch, deltas and what they make both counted; and of all that is read from one snapshot's trees. */
  readonly inflatedBytesMax: number
  /** A larger blob is listed, never read. */
  readonly blobBytesMax: number
  /** Entries of a snapshot; what comes after is cut and said to be. */
  readonly entriesMax: number
  /** Bytes of the contents in one answer of `read`. */
  readonly readBytesMax: number
  /** One call of the port, from the first byte asked to the last. */
  readonly timeoutMillis: number
}

const MiB = 1024 * 1024

export const boundsDefault: Bounds = {
  packBytesMax: 500_000_000,
  objectsMax: 200_000,
  inflatedBytesMax: 1024 * MiB,
  blobBytesMax: 5 * MiB,
  entriesMax: 100_000,
  readBytesMax: 256 * MiB,
  timeoutMillis: 120_000
}

/** Bounds of the format rather than of a tenant: no honest repository comes near them, and none is worth a setting. */
export const formatBounds = {
  /** A commit, a tag or one directory. */
  metaBytesMax: 32 * MiB,
  /** An object made by a delta, or one that a delta builds on: three of these may be in memory at once. */
  deltaBytesMax: 64 * MiB,
  /** What `git pack-objects` itself allows. */
  deltaDepthMax: 4095,
  /** All paths of a listing together: deep trees make paths grow with the square of their depth. */
  pathBytesMax: 64 * MiB,
  /** An answer that lists refs. */
  refBytesMax: 32 * MiB,
  refsMax: 200_000,
  /** A tag of a tag of a tag. */
  peelMax: 5
} as const
