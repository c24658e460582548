/** How much one archive may cost. */
export interface ArchiveBounds {
  /** Bytes as they come over the wire. */
  readonly wireBytesMax: number
  /** All that it holds together, also what is not stored. */
  readonly inflatedBytesMax: number
  /** Folders and links too. */
  readonly entriesMax: number
  /** Characters of one name; what is called longer is refused. */
  readonly nameLengthMax: number
  /** Characters of all names together: they are held in memory, and compress to almost nothing. */
  readonly namesLengthMax: number
  /** A larger file is listed, never stored. */
  readonly fileBytesMax: number
  /** Contents answered at once. */
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
