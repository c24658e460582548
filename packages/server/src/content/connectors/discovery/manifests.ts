import * as Effect from "effect/Effect"
import { isJsonObject, type JsonObject, readJson } from "../../config-objects/parse-json.ts"
import { manifestBatch, manifestBytesMax, manifestsBytesMax } from "./limits.ts"
import { showPath } from "./paths.ts"
import type { Tree } from "./tree.ts"

export type Manifest =
  | { readonly ok: true; readonly value: JsonObject; readonly warnings: ReadonlyArray<string> }
  | { readonly ok: false; readonly warning: string }

/** Contents by path; a path that cannot be read is omitted. */
export type Read<E, R> = (paths: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, Uint8Array>, E, R>

/** Reads manifests in batches, so that those of a repository with a thousand plugins are not in memory at once. */
export const loadManifests = Effect.fnUntraced(function* <E, R>(
  tree: Tree,
  paths: ReadonlyArray<string>,
  read: Read<E, R>
): Effect.fn.Return<ReadonlyMap<string, Manifest>, E, R> {
  const loaded = new Map<string, Manifest>()
  const pathsToRead: Array<string> = []
  let bytes = 0
  for (const path of paths) {
    const size = tree.file(path)?.size ?? 0
    if (size > manifestBytesMax) loaded.set(path, broken(path, `is larger than ${manifestBytesMax} bytes`))
    else if (bytes + size > manifestsBytesMax)
      loaded.set(path, broken(path, "is not read: the manifests are too large in total"))
    else {
      bytes += size
      pathsToRead.push(path)
    }
  }
  for (let from = 0; from < pathsToRead.length; from += manifestBatch) {
    const batch = pathsToRead.slice(from, from + manifestBatch)
    const contents = yield* read(batch)
    for (const path of batch) {
      const content = contents.get(path)
      loaded.set(path, content === undefined ? broken(path, "could not be read") : decode(path, content))
    }
  }
  return loaded
})

const broken = (path: string, reason: string): Manifest => ({ ok: false, warning: `${showPath(path)} ${reason}.` })

const lfsPointer = "version https://git-lfs.github.com/spec/"

const decode = (path: string, content: Uint8Array): Manifest => {
  // A listing can contain wrong sizes.
  if (content.byteLength > manifestBytesMax) return broken(path, `is larger than ${manifestBytesMax} bytes`)
  let text: string
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(content)
  } catch {
    return broken(path, "is not UTF-8 text")
  }
  if (text.startsWith(lfsPointer)) return broken(path, "is a Git LFS pointer, not the file itself")
  const json = readJson(text)
  if (!json.ok) return broken(path, json.reason)
  if (!isJsonObject(json.value)) return broken(path, "must contain a JSON object")
  return { ok: true, value: json.value, warnings: json.warnings.map((warning) => `${showPath(path)} ${warning}.`) }
}
