import * as Effect from "effect/Effect"
import type { TreeEntry } from "../../../infra/ports/code-host.ts"
import { discover, type DiscoverInput } from "./discover.ts"

const encoder = new TextEncoder()

/** Creates a listing and its contents from `{ path: text | JSON value }`. */
export const repository = (files: Readonly<Record<string, unknown>>) => {
  const contents = new Map(
    Object.entries(files).map(([path, content]) => [
      path,
      content instanceof Uint8Array
        ? content
        : encoder.encode(typeof content === "string" ? content : JSON.stringify(content))
    ])
  )
  const entries: ReadonlyArray<TreeEntry> = [...contents].map(([path, bytes]) => ({
    path,
    kind: "file",
    sha: `sha-${path}`,
    size: bytes.byteLength
  }))
  const read = (paths: ReadonlyArray<string>) =>
    Effect.succeed(
      new Map(
        paths.flatMap((path) => {
          const bytes = contents.get(path)
          return bytes === undefined ? [] : [[path, bytes] as const]
        })
      )
    )
  return { entries, read }
}

export const discoverIn = (files: Readonly<Record<string, unknown>>, options: Partial<DiscoverInput> = {}) => {
  const { entries, read } = repository(files)
  return Effect.runSync(discover({ entries, truncated: false, repositoryFullName: "acme/tools", ...options }, read))
}
