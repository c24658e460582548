import { createHash } from "node:crypto"
import { corrupt } from "./failure.ts"
import type { Pace } from "./pace.ts"

export type ObjectType = "commit" | "tree" | "blob" | "tag"

export interface GitObject {
  readonly type: ObjectType
  readonly data: Buffer
}

/** Objects by name, wherever they lie. What is absent is undefined; what is damaged or too large is thrown. */
export interface ObjectStore {
  readonly sizeOf: (sha: string) => Promise<number | undefined>
  /** Checked against its name. */
  readonly read: (sha: string, bytesMax: number, pace: Pace) => Promise<GitObject | undefined>
}

const shaPattern = /^[0-9a-f]{40}$/

export const isSha = (text: string): boolean => shaPattern.test(text)

export const isObjectType = (text: string): text is ObjectType =>
  text === "commit" || text === "tree" || text === "blob" || text === "tag"

export const hashObject = (type: ObjectType, size: number) => createHash("sha1").update(`${type} ${size}\0`)

export const shaOf = ({ type, data }: GitObject): string => hashObject(type, data.length).update(data).digest("hex")

export const checked = (sha: string, object: GitObject): GitObject => {
  if (shaOf(object) !== sha) throw corrupt("an object's content does not match its name")
  return object
}

const field = (object: GitObject, pattern: RegExp): string => {
  const found = pattern.exec(object.data.toString("latin1", 0, 200))?.[1]
  if (found === undefined) throw corrupt(`a ${object.type} cannot be read`)
  return found
}

export const treeOf = (commit: GitObject): string => field(commit, /^tree ([0-9a-f]{40})\n/)

/** What an annotated tag points to. */
export const taggedBy = (tag: GitObject): string => field(tag, /^object ([0-9a-f]{40})\n/)

export interface TreeItem {
  readonly mode: number
  /** The bytes as they are, UTF-8 or not. */
  readonly name: Buffer
  readonly sha: string
}

const modeMax = 0o7777777

/** One directory. Names are not judged here: whoever uses them as paths must. */
export function* treeItems(data: Buffer): Generator<TreeItem> {
  let at = 0
  while (at < data.length) {
    const space = data.indexOf(0x20, at)
    const end = space === -1 ? -1 : data.indexOf(0, space)
    // Git refuses an empty name as well; every other one is the reader's to judge.
    if (end === -1 || end === space + 1 || end + 21 > data.length || space - at > 7)
      throw corrupt("a directory cannot be read")
    const modeText = data.toString("latin1", at, space)
    const mode = /^[0-7]+$/.test(modeText) ? Number.parseInt(modeText, 8) : modeMax + 1
    if (mode > modeMax) throw corrupt("a directory cannot be read")
    yield { mode, name: data.subarray(space + 1, end), sha: data.toString("hex", end + 1, end + 21) }
    at = end + 21
  }
}
