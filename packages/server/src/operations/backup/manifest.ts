/** The contents of a backup, which are the first entry of its archive. */
import * as Schema from "effect/Schema"
import { keyFileName } from "../../infra/key-file.ts"

/** The version of the archive's layout. */
export const format = 1

export const manifestName = "manifest.json"
/** The digest of the manifest, in the format of `sha256sum`. */
export const manifestDigestName = `${manifestName}.sha256`
export const secretKeyName = keyFileName
export const databaseName = "database"

const segment = /^[A-Za-z0-9._-]+$/
/** Relative names without `.` and `..`, so that a restore writes only below its target. */
const isPartName = (name: string) => {
  const [first, ...others] = name.split("/")
  return (
    name === secretKeyName ||
    (first === databaseName && others.every((part) => segment.test(part) && part !== "." && part !== ".."))
  )
}

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const PartName = Schema.String.check(Schema.makeFilter(isPartName))

export const Part = Schema.Struct({ name: PartName, bytes: Count, sha256: Schema.String })
export type Part = typeof Part.Type

/** What the database contains at the moment of the snapshot. */
export const Facts = Schema.Struct({
  schemaVersion: Count,
  /** The number of rows of each table, except unlogged tables, which are empty after a restore. */
  rows: Schema.Record(Schema.String, Count),
  /** The last sealed event of each audit chain. */
  auditChains: Schema.Array(Schema.Struct({ organizationId: Schema.String, sequence: Count, hash: Schema.String }))
})
export type Facts = typeof Facts.Type

export const Manifest = Schema.Struct({
  format: Schema.Literal(format),
  orgplane: Schema.String,
  createdAt: Schema.String,
  /** The PostgreSQL schema of the tables; null if an earlier release created them in a schema of the search path. */
  schema: Schema.NullOr(Schema.String),
  ...Facts.fields,
  /** Every directory, and every file in the order of the archive. */
  directories: Schema.Array(PartName),
  parts: Schema.Array(Part)
})
export type Manifest = typeof Manifest.Type

export const decodeFacts = Schema.decodeUnknownSync(Facts)
const decodeManifest = Schema.decodeUnknownSync(Manifest)

/** Parses a manifest; undefined if it is malformed. */
export const parseManifest = (text: string): Manifest | { readonly otherFormat: number } | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    const given = typeof value === "object" && value !== null && "format" in value ? value.format : undefined
    if (typeof given === "number" && given !== format) return { otherFormat: given }
    return decodeManifest(value)
  } catch {
    return undefined
  }
}

/** What the commands report about a backup. */
export interface Summary {
  readonly schemaVersion: number
  readonly tables: number
  readonly rows: number
  readonly auditChains: number
  readonly hasSecretKey: boolean
  /** The size of the unencrypted archive. */
  readonly bytes: number
}

const blockBytes = 512
const paddedBytes = (bytes: number) => Math.ceil(bytes / blockBytes) * blockBytes

export const textOf = (manifest: Manifest): string => `${JSON.stringify(manifest, null, 2)}\n`

/** The size of the archive: a header and padded content for each entry, and two blocks at the end. */
const archiveBytes = (manifest: Manifest): number => {
  const manifestBytes = Buffer.byteLength(textOf(manifest))
  // The digest takes one block.
  const files = [manifestBytes, blockBytes, ...manifest.parts.map(({ bytes }) => bytes)]
  return (
    files.reduce((sum, bytes) => sum + blockBytes + paddedBytes(bytes), 0) +
    manifest.directories.length * blockBytes +
    2 * blockBytes
  )
}

export const summaryOf = (manifest: Manifest): Summary => ({
  schemaVersion: manifest.schemaVersion,
  tables: Object.keys(manifest.rows).length,
  rows: Object.values(manifest.rows).reduce((sum, count) => sum + count, 0),
  auditChains: manifest.auditChains.length,
  hasSecretKey: manifest.parts.some(({ name }) => name === secretKeyName),
  bytes: archiveBytes(manifest)
})
