import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs"
import { failed } from "./failure.ts"

/** A file read piece by piece; small reads are answered from pages that are kept as long as they are asked for. */
export interface FileBytes {
  readonly size: number
  /** Less than `length` only at the end of the file. Valid until written to, so do not. */
  readonly view: (offset: number, length: number) => Buffer
  readonly close: () => void
}

const pageBytes = 64 * 1024
/** 16 MiB a file: objects of one commit lie anywhere in a pack. */
const pagesMax = 256

/** Never follows a link and never opens what is not a plain file: a pipe would wait for ever. */
export const openFileBytes = (path: string): FileBytes => {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  const stat = fstatSync(fd)
  if (!stat.isFile()) {
    closeSync(fd)
    throw failed("not_a_repository", "A file of the repository is not a plain file.")
  }
  let isOpen = true
  const pages = new Map<number, Buffer>()

  const load = (start: number, length: number): Buffer => {
    // Work that was abandoned may still come by; its number may by then be another file's.
    if (!isOpen) throw failed("unreachable", "The snapshot was closed.")
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, stat.size - start)))
    let filled = 0
    while (filled < bytes.length) {
      const count = readSync(fd, bytes, filled, bytes.length - filled, start + filled)
      if (count === 0) break
      filled += count
    }
    return bytes.subarray(0, filled)
  }

  const page = (number: number): Buffer => {
    const bytes = pages.get(number) ?? load(number * pageBytes, pageBytes)
    // Asked for last, thrown out last.
    pages.delete(number)
    pages.set(number, bytes)
    if (pages.size > pagesMax) pages.delete(pages.keys().next().value ?? number)
    return bytes
  }

  const view = (offset: number, length: number): Buffer => {
    const number = Math.floor(offset / pageBytes)
    const start = offset - number * pageBytes
    // What lies in two pages is read alone, and a long read is not kept: it would hold megabytes for the snapshot's life.
    return start + length > pageBytes ? load(offset, length) : page(number).subarray(start, start + length)
  }

  return {
    size: stat.size,
    view,
    close: () => {
      if (isOpen) closeSync(fd)
      isOpen = false
      pages.clear()
    }
  }
}
