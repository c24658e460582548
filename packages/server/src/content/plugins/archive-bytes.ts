import { Gzip } from "fflate"
import { packTar } from "modern-tar"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

export interface ArchiveFile {
  readonly path: string
  readonly isExecutable: boolean
  readonly content: Uint8Array
}

const blockBytes = 512
/** A tar file ends with two empty blocks. If several are concatenated, only the last one has them. */
const endBytes = 2 * blockBytes
/** Bytes compressed before the fiber yields. */
const sliceBytes = 65_536
const compression = 6

const tarOf = async ({ content, isExecutable, path }: ArchiveFile): Promise<Uint8Array> => {
  const tarBytes = await packTar([
    {
      header: {
        name: path,
        size: content.length,
        type: "file",
        mode: isExecutable ? 0o755 : 0o644,
        uid: 0,
        gid: 0,
        // Some programs treat the first second of 1970 as a clock error.
        mtime: new Date(86_400_000)
      },
      body: content
    }
  ])
  return tarBytes.subarray(0, tarBytes.length - endBytes)
}

/**
 * Packs files as a tar.gz, in the given order. The same files produce the same bytes on every machine, so compression
 * uses JavaScript instead of the machine's zlib.
 */
export const archiveOf = <E, R>(files: Stream.Stream<ArchiveFile, E, R>): Stream.Stream<Uint8Array, E, R> =>
  Stream.suspend(() => {
    let chunks: Array<Uint8Array> = []
    const gzip = new Gzip({ level: compression, mtime: 0 }, (bytes) => {
      if (bytes.length > 0) chunks.push(bytes)
    })
    const compress = Effect.fnUntraced(function* (bytes: Uint8Array, isLast: boolean) {
      for (let at = 0; at < bytes.length; at += sliceBytes) {
        const slice = bytes.subarray(at, at + sliceBytes)
        gzip.push(slice, isLast && at + sliceBytes >= bytes.length)
        yield* Effect.yieldNow
      }
      const out = chunks
      chunks = []
      return out
    })
    return files.pipe(
      Stream.mapEffect((file) =>
        Effect.flatMap(
          Effect.promise(() => tarOf(file)),
          (bytes) => compress(bytes, false)
        )
      ),
      Stream.concat(Stream.fromEffect(Effect.suspend(() => compress(new Uint8Array(endBytes), true)))),
      Stream.flatMap((parts) => Stream.fromIterable(parts))
    )
  })
