/** Writes the archive of a backup. */
import { createTarPacker, type TarHeader } from "modern-tar"
import { createReadStream } from "node:fs"
import { join } from "node:path"
import { Readable } from "node:stream"
import type { ReadableStream } from "node:stream/web"
import { sha256 } from "../../infra/crypto/digest.ts"
import { type Manifest, manifestDigestName, manifestName, textOf } from "./manifest.ts"

const modes = { file: 0o600, directory: 0o700 }

/**
 * The archive as a stream that reads the files of the directory as fast as it is consumed. It ends with an error if a file
 * no longer has the size in the manifest.
 */
export const archiveOf = (directory: string, manifest: Manifest, signal: AbortSignal): Readable => {
  const { controller, readable } = createTarPacker()
  const mtime = new Date(manifest.createdAt)
  const header = (name: string, type: "file" | "directory", size: number): TarHeader => ({
    name,
    type,
    size,
    mode: modes[type],
    uid: 0,
    gid: 0,
    mtime
  })
  const add = async (name: string, size: number, content: AsyncIterable<Uint8Array> | ReadonlyArray<Uint8Array>) => {
    const writer = controller.add(header(name, "file", size)).getWriter()
    for await (const chunk of content) {
      signal.throwIfAborted()
      await writer.ready
      // A view, because the packer accepts no subclass.
      await writer.write(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength))
    }
    await writer.close()
  }
  const pack = async () => {
    const text = Buffer.from(textOf(manifest))
    const digest = Buffer.from(`${sha256(text)}  ${manifestName}\n`)
    await add(manifestName, text.length, [text])
    await add(manifestDigestName, digest.length, [digest])
    for (const name of manifest.directories) {
      await controller.add(header(`${name}/`, "directory", 0)).close()
    }
    for (const { bytes, name } of manifest.parts) {
      await add(name, bytes, createReadStream(join(directory, name), { highWaterMark: 256 * 1024 }))
    }
    controller.finalize()
  }
  pack().catch((cause: unknown) => controller.error(cause))
  return Readable.fromWeb(readable as ReadableStream<Uint8Array>)
}
