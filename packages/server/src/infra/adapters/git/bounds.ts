/** Limits of one repository. Exceeding one fails with `limit_exceeded` (or `timeout`) instead of exhausting memory. */
export interface Bounds {
  /** Bytes of a pack on the wire. */
  readonly packBytesMax: number
  /** Objects of a pack, and rows (including directories) of a recursive listing. */
  readonly objectsMax: number
  /** Bytes of all objects of a fetch, including deltas and their results, and of all trees read for one snapshot. */
  readonly inflatedBytesMax: number
  /** A larger blob is listed, never read. */
  readonly blobBytesMax: number
  /** Entries of a snapshot; a longer listing is truncated and marked as such. */
  readonly entriesMax: number
  /** Maximum content bytes returned by one call to `read`. */
  readonly readBytesMax: number
  /** Maximum duration of one call to the port, from the first request to the last byte. */
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

/** Limits of the format, which are not configurable: no legitimate repository comes near them. */
export const formatBounds = {
  /** A commit, a tag or one directory. */
  metaBytesMax: 32 * MiB,
  /** The result or the base of a delta: three of these may be in memory at once. */
  deltaBytesMax: 64 * MiB,
  /** The maximum of `git pack-objects`. */
  deltaDepthMax: 4095,
  /** All paths of a listing together: in deep trees their size grows with the square of the depth. */
  pathBytesMax: 64 * MiB,
  /** A response that lists refs. */
  refBytesMax: 32 * MiB,
  refsMax: 200_000,
  /** Tags that point to tags. */
  peelMax: 5
} as const
