/** The files of a plugin's archive and their contents, from the database or from a commit that is not imported yet. */
import { PluginArchiveRefused, PluginArchiveTooLarge } from "@orgplane/schema/plugin-archives"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import * as Stream from "effect/Stream"
import type { Sql } from "../../infra/sql/client.ts"
import { layFolder, manifestToRead } from "./archive-folder.ts"
import {
  bytesMax,
  contentOf,
  filesMax,
  inlineBytesMax,
  isInline,
  isObject,
  type LaidFile,
  layOut,
  type ObjectRow
} from "./archive-layout.ts"
import * as repo from "./archive-repo.ts"

/** Maximum contents in memory at once while an archive is created. */
const batchBytesMax = 2 * 1_048_576
const batchFilesMax = 200

const encoder = new TextEncoder()

/** Reads contents in batches of at most 200 files. */
export interface ContentReader<E> {
  readonly versions: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, repo.Content>, E>
  readonly blobs: (digests: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, Uint8Array>, E>
}

/** Reads contents that are stored. */
export const storedReader = (sql: Sql, organizationId: Id<"org">): ContentReader<SqlError> => ({
  versions: (ids) =>
    ids.length === 0
      ? Effect.succeed(new Map())
      : Effect.map(
          repo.readContents(sql, organizationId, ids),
          (rows) => new Map(rows.map((row) => [row.version_id, row]))
        ),
  blobs: (digests) =>
    digests.length === 0
      ? Effect.succeed(new Map())
      : Effect.map(
          repo.readBlobs(sql, organizationId, digests),
          (rows) => new Map(rows.map(({ bytes, digest }) => [digest, bytes]))
        )
})

/** Why a plugin from a repository has no archive; undefined if it has one. */
const problemOf = ({ manifest_json }: repo.Listing): string | undefined => {
  const setup = manifest_json?.setup
  const files = isObject(setup) ? setup["files"] : undefined
  const problem = isObject(files) ? files["problem"] : undefined
  return typeof problem === "string" ? problem : undefined
}

/** The layout of an archive. */
export interface ArchiveFiles {
  readonly name: string
  readonly files: ReadonlyArray<LaidFile>
  /** By version. */
  readonly rows: ReadonlyMap<string, ObjectRow>
}

/** Lays out the archive of a plugin. */
export const archiveFiles = Effect.fnUntraced(function* <E>(listing: repo.Listing, reader: ContentReader<E>) {
  const { archived, files, objects } = listing
  const problem = problemOf(listing)
  if (problem !== undefined) return yield* new PluginArchiveRefused({ message: problem })
  // The manifest is a file too.
  if (objects.length >= filesMax) return yield* new PluginArchiveTooLarge()
  const inlineRows = objects.filter(isInline)
  if (inlineRows.reduce((sum, row) => sum + row.bytes, 0) > inlineBytesMax) return yield* new PluginArchiveTooLarge()
  const contents = yield* reader.versions(inlineRows.map((row) => row.version_id))
  const inline = inlineRows.flatMap((row) => {
    const content = contents.get(row.version_id)
    return content === undefined ? [] : [{ row, text: content.text, payload: content.payload }]
  })
  const folder = files === null ? undefined : { files, archived }
  const digest = folder === undefined ? undefined : manifestToRead(listing, folder, inline)
  const manifest = digest === undefined ? undefined : (yield* reader.blobs([digest])).get(digest)
  const layout =
    folder === undefined
      ? layOut(listing, objects, inline)
      : layFolder(
          listing,
          folder,
          objects,
          inline,
          manifest === undefined ? undefined : new TextDecoder().decode(manifest)
        )
  const isLarge = layout.ok && layout.files.reduce((sum, file) => sum + file.bytes, 0) > bytesMax
  if (isLarge || (layout.ok && layout.files.length > filesMax)) return yield* new PluginArchiveTooLarge()
  if (!layout.ok) return yield* new PluginArchiveRefused({ message: layout.message })
  return {
    name: layout.name,
    files: layout.files,
    rows: new Map(objects.map((row) => [row.version_id, row]))
  } satisfies ArchiveFiles
})

/** Files whose contents are read together. */
const batchesOf = (files: ReadonlyArray<LaidFile>): ReadonlyArray<ReadonlyArray<LaidFile>> => {
  const batches: Array<Array<LaidFile>> = []
  let bytes = 0
  for (const file of files) {
    const last = batches.at(-1)
    const size = file.bytes
    bytes += size
    if (last === undefined || last.length === batchFilesMax || bytes > batchBytesMax) {
      batches.push([file])
      bytes = size
    } else last.push(file)
  }
  return batches
}

/** The files of an archive, read as fast as the receiver accepts them. */
export const contentsOf = <E>({ files, rows }: Pick<ArchiveFiles, "files" | "rows">, reader: ContentReader<E>) =>
  Stream.fromIterable(batchesOf(files)).pipe(
    Stream.mapEffect((batch) =>
      Effect.gen(function* () {
        const texts = yield* reader.versions(
          batch.flatMap(({ source }) => (source.kind === "version" ? source.versionId : []))
        )
        const bytes = yield* reader.blobs([
          ...new Set(batch.flatMap(({ source }) => (source.kind === "blob" ? source.digest : [])))
        ])
        const contentAt = ({ source }: LaidFile): Uint8Array | undefined => {
          if (source.kind === "text") return encoder.encode(source.text)
          if (source.kind === "blob") return bytes.get(source.digest)
          const [content, row] = [texts.get(source.versionId), rows.get(source.versionId)]
          return content === undefined || row === undefined
            ? undefined
            : encoder.encode(content.text ?? contentOf(row, content.payload))
        }
        return yield* Effect.forEach(batch, (file) => {
          const content = contentAt(file)
          return content === undefined
            ? Effect.die(new Error("The content of a file was purged while its archive was being created."))
            : Effect.succeed({ path: file.path, isExecutable: file.isExecutable, content })
        })
      })
    ),
    Stream.flatMap((batch) => Stream.fromIterable(batch))
  )

/** A change to a plugin that is not imported yet. */
export interface ArchiveChange<E> {
  /** The plugin as it would be stored. Undefined: as it is, without the files of its repository. */
  readonly plugin: Pick<repo.Listing, "name" | "description" | "manifest_json"> | undefined
  /** The files of its folder. Their digests are those of stored contents, or keys for `read`. */
  readonly files: repo.Listing["files"]
  /** Objects that are removed or replaced. */
  readonly droppedObjectIds: ReadonlySet<string>
  /** New and replacing objects with their texts. */
  readonly objects: ReadonlyArray<{ readonly row: ObjectRow; readonly text: string }>
  /** Contents that are not stored, by key. Fails if one cannot be read. */
  readonly isUnstored: (key: string) => boolean
  readonly read: (keys: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, Uint8Array>, E>
}

/** The listing that a plugin would have after a change; undefined if there is no plugin before and after. */
export const listingAfter = <E>(
  before: repo.Listing | undefined,
  { droppedObjectIds, files, objects, plugin }: ArchiveChange<E>
): repo.Listing | undefined => {
  const described = plugin ?? before
  return described === undefined
    ? undefined
    : {
        name: described.name,
        description: described.description,
        manifest_json: described.manifest_json,
        fingerprint: "",
        release_id: null,
        objects: [
          ...(before?.objects ?? []).filter(({ object_id: id }) => !droppedObjectIds.has(id)),
          ...objects.map(({ row }) => row)
        ],
        files,
        archived: before?.archived ?? []
      }
}

/** Reads contents that are stored and those of a change. */
export const readerAfter = <E, S>(stored: ContentReader<S>, change: ArchiveChange<E>): ContentReader<E | S> => {
  const texts = new Map(
    change.objects.map(({ row, text }) => [row.version_id, { version_id: row.version_id, text, payload: null }])
  )
  return {
    versions: (ids) =>
      Effect.map(
        stored.versions(ids.filter((id) => !texts.has(id))),
        (rows) => new Map<string, repo.Content>([...rows, ...texts])
      ),
    blobs: (digests) =>
      Effect.gen(function* () {
        const unstored = digests.filter(change.isUnstored)
        const rows = yield* stored.blobs(digests.filter((digest) => !change.isUnstored(digest)))
        return unstored.length === 0 ? rows : new Map([...rows, ...(yield* change.read(unstored))])
      })
  }
}

/** The paths and contents of an archive. Files for which `isFirst` is true come first. */
export const contentsInOrder = <E>(
  plan: ArchiveFiles,
  reader: ContentReader<E>,
  isFirst: (path: string) => boolean
) => {
  const files = plan.files.toSorted((a, b) => Number(isFirst(b.path)) - Number(isFirst(a.path)))
  return {
    paths: files.map(({ path }) => path),
    bytes: files.reduce((sum, file) => sum + file.bytes, 0),
    files: contentsOf({ files, rows: plan.rows }, reader)
  }
}
