/** What the commands of the operator share: progress, cancellation, output and exit codes. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { type Environment, Misconfigured } from "./infra/config/environment.ts"
import { readConfiguration, readSources } from "./infra/config/read-configuration.ts"
import { layerLogger } from "./infra/logger.ts"
import type { ControlPlaneOptions } from "./infra/options.ts"
import { type Progress, terminalProgress } from "./operations/progress.ts"

export interface CommandInvocation {
  readonly environment: Environment
  readonly configFile: string | undefined
  readonly json: boolean
  readonly options: Readonly<Record<string, ReadonlyArray<string>>>
}

export interface Outcome {
  readonly lines: string
  readonly json: object
  readonly exitCode: number
}

/** A signal ended the command before it changed anything. */
export class Canceled extends Error {}

/** The arguments of the command are not valid. */
export class UsageError extends Error {}

export const usage = (message: string): never => {
  throw new UsageError(`${message} Run orgplane-server --help for usage.`)
}

/** The configuration of the server that runs on the data directory of `--data-dir`, or on the configured database. */
export const optionsOf = ({ configFile, environment, options }: CommandInvocation): ControlPlaneOptions => {
  const [dataDir] = options["data-dir"] ?? []
  const own = dataDir === undefined ? environment : { ...environment, ORGPLANE_DATA_DIR: dataDir }
  return readConfiguration(readSources(own, configFile)).options
}

export interface PreparedCommand {
  readonly effect: Effect.Effect<Outcome, unknown>
  /** The message of a failure, and the exit code. */
  readonly describe: (error: unknown, isCanceled: boolean) => { readonly message: string; readonly exitCode: number }
  /** Whether a signal interrupts the effect. Otherwise the effect only sees it in `signal`. */
  readonly isInterruptible: boolean
}

/** Runs a command, prints its result, and sets the exit code: 2 if the arguments or the configuration are not valid. */
export const runCommand = async (
  { json }: Pick<CommandInvocation, "json">,
  prepare: (tools: {
    readonly progress: Progress
    readonly signal: AbortSignal
  }) => PreparedCommand | Promise<PreparedCommand>
): Promise<void> => {
  const canceled = new AbortController()
  const { signal } = canceled
  const cancel = () => canceled.abort()
  process.on("SIGINT", cancel).on("SIGTERM", cancel)
  const progress = terminalProgress(process.stderr)
  const fail = (message: string, exitCode: number) => {
    progress.end()
    process.stderr.write(`${message}\n`)
    process.exitCode = exitCode
  }
  try {
    const { describe, effect, isInterruptible } = await prepare({ progress, signal })
    const exit = await Effect.runPromiseExit(
      effect.pipe(Effect.provide(layerLogger("none"))),
      isInterruptible ? { signal } : {}
    )
    if (Exit.isFailure(exit)) {
      const { exitCode, message } = describe(Cause.squash(exit.cause), signal.aborted)
      return fail(message, exitCode)
    }
    progress.end()
    process.stdout.write(`${json ? JSON.stringify(exit.value.json, null, 2) : exit.value.lines}\n`)
    process.exitCode = exit.value.exitCode
  } catch (error) {
    if (error instanceof Canceled) return fail(error.message, 130)
    if (error instanceof UsageError || error instanceof Misconfigured) return fail(error.message, 2)
    progress.end()
    throw error
  } finally {
    process.off("SIGINT", cancel).off("SIGTERM", cancel)
  }
}
