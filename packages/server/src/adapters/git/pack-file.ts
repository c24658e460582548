import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs"
import { failed } from "./failure.ts"

/** A file read piece by piece; small neighbouring reads are answered from one larger one. */
export interface FileBytes {
  readonly size: number
  /** Less than `length` only at the end of the file. Valid until written to, so do not. */
  readonly view: (offset: number, length: number) => Buffer
  readonly close: () => void
}

const windowBytes = 256 * 1024
const windowsMax = 8

interface Window {
  readonly start: number
  readonly bytes: Buffer
}

/** Never follows a link and never opens what is not a plain file: a pipe would wait for ever. */
export const openFileBytes = (path: string): FileBytes => {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  const stat = fstatSync(fd)
  if (!stat.isFile()) {
    closeSync(fd)
    throw failed("not_a_repository", "A file of the repository is not a plain file.")
  }
  let isOpen = true
  let windows: Array<Window> = []

  const load = (start: number, length: number): Window => {
    // Work that was abandoned may still come by; its number may by then be another file's.
    if (!isOpen) throw failed("unreachable", "The snapshot was closed.")
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, stat.size - start)))
    let filled = 0
    while (filled < bytes.length) {
      const count = readSync(fd, bytes, filled, bytes.length - filled, start + filled)
      if (count === 0) break
      filled += count
    }
    return { start, bytes: bytes.subarray(0, filled) }
  }

  const view = (offset: number, length: number): Buffer => {
    const end = Math.min(offset + length, stat.size)
    let found = windows.find(({ start, bytes }) => offset >= start && end <= start + bytes.length)
    if (found === undefined) {
      found = load(offset, Math.max(length, windowBytes))
      // A long read is not kept: it would hold megabytes for the life of the snapshot.
      if (length <= windowBytes) windows = [found, ...windows.slice(0, windowsMax - 1)]
    }
    return found.bytes.subarray(offset - found.start, end - found.start)
  }

  return {
    size: stat.size,
    view,
    close: () => {
      if (isOpen) closeSync(fd)
      isOpen = false
      windows = []
    }
  }
}
