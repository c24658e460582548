/** The command `support-bundle` of `orgplane-server`. */
import * as Effect from "effect/Effect"
import { Misconfigured } from "./infra/config/environment.ts"
import { readSources, type Sources } from "./infra/config/read-configuration.ts"
import { BundleFailed, type BundleResult, writeBundle } from "./operations/support-bundle/index.ts"
import { type CommandInvocation, runCommand } from "./operator-command.ts"
import { programFailure } from "./start-error.ts"

/** A malformed configuration is often the problem, so the bundle includes it instead of failing. */
const sourcesOf = ({ configFile, environment }: CommandInvocation) => {
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

export const runSupportCommand = (invocation: CommandInvocation) =>
  runCommand(invocation, ({ progress, signal }) => ({
    effect: Effect.map(
      writeBundle({
        to: invocation.options["to"]?.[0],
        logFile: invocation.options["log-file"]?.[0],
        environment: invocation.environment,
        ...sourcesOf(invocation),
        describe: programFailure,
        progress,
        signal
      }),
      (result) => ({ lines: linesOf(result), json: result, exitCode: 0 })
    ),
    describe: (error, isCanceled) => {
      if (!isCanceled && !(error instanceof BundleFailed)) throw error
      return {
        message: error instanceof BundleFailed ? error.message : "The bundle was canceled. Nothing was written.",
        exitCode: isCanceled ? 130 : 1
      }
    },
    isInterruptible: true
  }))
