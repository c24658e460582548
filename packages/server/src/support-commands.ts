/** The command `support-bundle` of `orgplane-server`. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { type Environment, Misconfigured } from "./infra/config/environment.ts"
import { readSources, type Sources } from "./infra/config/read-configuration.ts"
import { layerLogger } from "./infra/logger.ts"
import { terminalProgress } from "./operations/backup/progress.ts"
import { BundleFailed, type BundleResult, writeBundle } from "./operations/support-bundle/index.ts"
import { programFailure } from "./start-error.ts"

export interface SupportInvocation {
  readonly environment: Environment
  readonly configFile: string | undefined
  readonly json: boolean
  readonly options: Readonly<Record<string, ReadonlyArray<string>>>
}

/** A bundle is most useful when the configuration is malformed, so that is a part of it. */
const sourcesOf = ({ configFile, environment }: SupportInvocation) => {
  try {
    return { sources: readSources(environment, configFile), fileFaults: [] }
  } catch (error) {
    if (!(error instanceof Misconfigured)) throw error
    const sources: Sources = { environment, file: undefined }
    return { sources, fileFaults: error.faults ?? [error.message] }
  }
}

const linesOf = ({ bytes, file, files, omitted }: BundleResult): string =>
  [
    `Wrote ${file} (${Math.max(1, Math.round(bytes / 1024))} KiB): ${files.join(", ")}.`,
    ...omitted.map((part) => `Without ${part.file}: ${part.reason}`),
    "Secrets, credentials and email addresses were replaced. Read the files before you send them."
  ].join("\n")

/** Runs the command, prints its result, and sets the exit code. */
export const runSupportCommand = async (invocation: SupportInvocation) => {
  const canceled = new AbortController()
  const cancel = () => canceled.abort()
  process.on("SIGINT", cancel).on("SIGTERM", cancel)
  const progress = terminalProgress(process.stderr)
  try {
    const { environment, options } = invocation
    const exit = await Effect.runPromiseExit(
      writeBundle({
        to: options["to"]?.[0],
        logFile: options["log-file"]?.[0],
        environment,
        ...sourcesOf(invocation),
        describe: programFailure,
        progress,
        signal: canceled.signal
      }).pipe(Effect.provide(layerLogger("none"))),
      { signal: canceled.signal }
    )
    progress.end()
    if (Exit.isSuccess(exit)) {
      return void process.stdout.write(
        `${invocation.json ? JSON.stringify(exit.value, null, 2) : linesOf(exit.value)}\n`
      )
    }
    const error = Cause.squash(exit.cause)
    if (!canceled.signal.aborted && !(error instanceof BundleFailed)) throw error
    process.stderr.write(
      `${error instanceof BundleFailed ? error.message : "The bundle was canceled. Nothing was written."}\n`
    )
    process.exitCode = canceled.signal.aborted ? 130 : 1
  } finally {
    progress.end()
    process.off("SIGINT", cancel).off("SIGTERM", cancel)
  }
}
