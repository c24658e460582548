import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import * as Stream from "effect/Stream"
import { sha256, startSha256 } from "../../infra/crypto/digest.ts"
import { isManifest, readSet } from "../plugin-capabilities/index.ts"
import { archiveFiles, contentsInOrder, type ContentReader } from "../plugins/archive-contents.ts"
import { describedOf } from "../plugins/archive-layout.ts"
import type { Listing } from "../plugins/archive-repo.ts"

const allRules = () => true

/**
 * Computes the digest and the capabilities of a release from its files. The digest covers the description, and the path,
 * mode and content of each file, so that it does not depend on identifiers or on the format of archives.
 */
export const measure = Effect.fnUntraced(function* (listing: Listing, reader: ContentReader<SqlError>) {
  const problemOf = ({ message }: { readonly message: string }) => Effect.succeed(message)
  const laid = yield* archiveFiles(listing, reader).pipe(
    Effect.catchTags({ PluginArchiveRefused: problemOf, PluginArchiveTooLarge: problemOf })
  )
  const description = JSON.stringify(describedOf(listing))
  if (typeof laid === "string") {
    // Without an archive, every change of the stored content is another release.
    return { digest: sha256(`${description}\n${listing.fingerprint}`), problem: laid, set: undefined }
  }
  const { files, paths } = contentsInOrder(laid, reader, isManifest)
  const lines: Array<string> = []
  const contents = files.pipe(
    Stream.tap(({ content, isExecutable, path }) =>
      Effect.sync(() => lines.push(JSON.stringify([path, isExecutable, sha256(content)])))
    )
  )
  const set = yield* readSet(paths, contents, allRules)
  const digest = startSha256()
  for (const line of [description, ...lines.sort()]) digest.update(Buffer.from(`${line}\n`))
  return { digest: digest.digest(), problem: null, set }
})
export type Measured = Effect.Success<ReturnType<typeof measure>>
