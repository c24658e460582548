/** Limits of one archive. */
export interface ArchiveBounds {
  /** Bytes on the wire. */
  readonly wireBytesMax: number
  /** Total size of all entries, including those that are not stored. */
  readonly inflatedBytesMax: number
  /** Including folders and links. */
  readonly entriesMax: number
  /** Characters of one name; an entry with a longer name is rejected. */
  readonly nameLengthMax: number
  /** Characters of all names together. Names are kept in memory, and a small archive can contain many of them. */
  readonly namesLengthMax: number
  /** A larger file is listed, never stored. */
  readonly fileBytesMax: number
  /** Maximum content bytes returned by one call to `read`. */
  readonly readBytesMax: number
}

const MiB = 1024 * 1024

export const archiveBounds: ArchiveBounds = {
  wireBytesMax: 50 * MiB,
  inflatedBytesMax: 128 * MiB,
  entriesMax: 20_000,
  nameLengthMax: 4096,
  namesLengthMax: 4 * MiB,
  fileBytesMax: 5 * MiB,
  readBytesMax: 64 * MiB
}
