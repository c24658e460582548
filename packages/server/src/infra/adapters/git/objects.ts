import { createHash } from "node:crypto"
import { corrupt } from "./failure.ts"
import type { Pace } from "./pace.ts"

export type ObjectType = "commit" | "tree" | "blob" | "tag"

export interface GitObject {
  readonly type: ObjectType
  readonly data: Buffer
}

/** Objects by SHA from any storage. A missing object is undefined; a damaged or too large one throws. */
export interface ObjectStore {
  readonly sizeOf: (sha: string) => Promise<number | undefined>
  /** The content is verified against the SHA. */
  readonly read: (sha: string, bytesMax: number, pace: Pace) => Promise<GitObject | undefined>
}

const shaPattern = /^[0-9a-f]{40}$/

export const isSha = (text: string): boolean => shaPattern.test(text)

export const isObjectType = (text: string): text is ObjectType =>
  text === "commit" || text === "tree" || text === "blob" || text === "tag"

export const hashObject = (type: ObjectType, size: number) => createHash("sha1").update(`${type} ${size}\0`)

export const shaOf = ({ type, data }: GitObject): string => hashObject(type, data.length).update(data).digest("hex")

export const checked = (sha: string, object: GitObject): GitObject => {
  if (shaOf(object) !== sha) throw corrupt("an object's content does not match its SHA")
  return object
}

const field = (object: GitObject, pattern: RegExp): string => {
  const value = pattern.exec(object.data.toString("latin1", 0, 200))?.[1]
  if (value === undefined) throw corrupt(`a ${object.type} cannot be read`)
  return value
}

export const treeOf = (commit: GitObject): string => field(commit, /^tree ([0-9a-f]{40})\n/)

/** The object that an annotated tag points to. */
export const taggedBy = (tag: GitObject): string => field(tag, /^object ([0-9a-f]{40})\n/)

export interface TreeItem {
  readonly mode: number
  /** The raw bytes, which may not be UTF-8. */
  readonly name: Buffer
  readonly sha: string
}

const modeMax = 0o7777777

/** The entries of one directory. Names are not checked: check them before they are used as paths. */
export function* treeItems(data: Buffer): Generator<TreeItem> {
  let at = 0
  while (at < data.length) {
    const space = data.indexOf(0x20, at)
    const end = space === -1 ? -1 : data.indexOf(0, space)
    // Git rejects an empty name as well; other names are the caller's to check.
    if (end === -1 || end === space + 1 || end + 21 > data.length || space - at > 7)
      throw corrupt("a directory cannot be read")
    const modeText = data.toString("latin1", at, space)
    const mode = /^[0-7]+$/.test(modeText) ? Number.parseInt(modeText, 8) : modeMax + 1
    if (mode > modeMax) throw corrupt("a directory cannot be read")
    yield { mode, name: data.subarray(space + 1, end), sha: data.toString("hex", end + 1, end + 21) }
    at = end + 21
  }
}
