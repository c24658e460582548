import type { SignalRule } from "@orgplane/schema/plugin-capabilities"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type CapabilityFile, makeAnalysis } from "./analyze.ts"

/** Computes a capability set while its files are read, the manifest first. Other fibers run between files. */
export const readSet = Effect.fnUntraced(function* <E>(
  paths: ReadonlyArray<string>,
  files: Stream.Stream<CapabilityFile, E>,
  isEnabled: (rule: SignalRule) => boolean
) {
  const analysis = makeAnalysis(paths, isEnabled)
  yield* Stream.runForEach(files, (file) =>
    Effect.andThen(
      Effect.sync(() => analysis.addFile(file)),
      Effect.yieldNow
    )
  )
  return analysis.finish()
})
