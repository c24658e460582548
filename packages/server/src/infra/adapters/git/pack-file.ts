import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs"
import { failed } from "./failure.ts"

/** A file that is read in pieces; small reads use a cache of pages. */
export interface FileBytes {
  readonly size: number
  /** Shorter than `length` only at the end of the file. The buffer must not be written to. */
  readonly view: (offset: number, length: number) => Buffer
  readonly close: () => void
}

const pageBytes = 64 * 1024
/** 16 MiB per file: objects of one commit are spread over a pack. */
const pagesMax = 256

/** Never follows a link, and opens only regular files: a pipe would block forever. */
export const openFileBytes = (path: string): FileBytes => {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  const stat = fstatSync(fd)
  if (!stat.isFile()) {
    closeSync(fd)
    throw failed("not_a_repository", "A file of the repository is not a regular file.")
  }
  let isOpen = true
  const pages = new Map<number, Buffer>()

  const load = (start: number, length: number): Buffer => {
    // Canceled work may still read from the file, when its descriptor may already belong to another file.
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
    // Move the page to the end: the least recently used one is dropped first.
    pages.delete(number)
    pages.set(number, bytes)
    if (pages.size > pagesMax) pages.delete(pages.keys().next().value ?? number)
    return bytes
  }

  const view = (offset: number, length: number): Buffer => {
    const number = Math.floor(offset / pageBytes)
    const start = offset - number * pageBytes
    // A read across pages bypasses the cache, and a long read is not cached: it would use megabytes until the file
    // closes.
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
