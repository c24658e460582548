import { open } from "node:fs/promises"
import { RemoteFailed } from "../../ports/remote-content.ts"
import type { ArchiveBounds } from "./bounds.ts"
import { damaged, failed } from "./failure.ts"
import { spool, type Unpacked } from "./spool.ts"
import { tarEntries } from "./tar.ts"
import { zipEntries } from "./zip.ts"

export { type ArchiveBounds, archiveBounds } from "./bounds.ts"
export { type ExpectedDigest, expectedSha256, makeVerifier, readIntegrity } from "./integrity.ts"
export type { Unpacked } from "./spool.ts"

const formatOf = async (path: string): Promise<"tar.gz" | "zip" | undefined> => {
  const file = await open(path, "r")
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0)
    const magic = buffer.toString("hex", 0, bytesRead)
    if (magic.startsWith("1f8b")) return "tar.gz"
    // The second is a zip without entries.
    return magic === "504b0304" || magic === "504b0506" ? "zip" : undefined
  } finally {
    await file.close()
  }
}

/** Whether a failure comes from the operating system and not from the archive. */
const isOfSystem = (cause: unknown): boolean => cause instanceof Error && "syscall" in cause

/** Unpacks a gzipped tar or a zip, recognized by its first bytes, into the new file `into`. */
export const unpack = async (
  path: string,
  into: string,
  bounds: ArchiveBounds,
  signal: AbortSignal
): Promise<Unpacked> => {
  const format = await formatOf(path)
  if (format === undefined) throw failed("damaged", "it is neither a gzipped tar nor a zip archive")
  const entries = format === "zip" ? zipEntries : tarEntries
  try {
    return await spool(into, entries(path, bounds, signal), bounds, signal)
  } catch (cause) {
    if (cause instanceof RemoteFailed || signal.aborted || isOfSystem(cause)) throw cause
    // The parser's message is dropped, because it quotes the archive.
    throw damaged()
  }
}
