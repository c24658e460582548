/** The commands of `orgplane-server` that check the installation without changing it. */
import * as Effect from "effect/Effect"
import { type Environment, Misconfigured } from "./infra/config/environment.ts"
import { readSources } from "./infra/config/read-configuration.ts"
import { layerLogger } from "./infra/logger.ts"
import { checkConfig } from "./operations/check-config/index.ts"
import { type Finding, reportJson, reportLines } from "./operations/report.ts"
import { examineServed } from "./operations/support-bundle/serve.ts"
import { programFailure } from "./start-error.ts"

const commands = { "check-config": checkConfig, doctor: examineServed }

export interface Inspection {
  readonly command: keyof typeof commands
  readonly environment: Environment
  readonly configFile: string | undefined
  readonly json: boolean
}

/** 2 if the configuration is malformed, 1 if something else failed. */
const exitCodeOf = (findings: ReadonlyArray<Finding>): number => {
  const failed = findings.filter(({ status }) => status === "failed")
  return failed.some(({ check }) => check === "configuration") ? 2 : failed.length > 0 ? 1 : 0
}

const findingsOf = async ({ command, configFile, environment }: Inspection): Promise<ReadonlyArray<Finding>> => {
  try {
    const sources = readSources(environment, configFile)
    return await Effect.runPromise(commands[command](sources, programFailure).pipe(Effect.provide(layerLogger("none"))))
  } catch (error) {
    if (!(error instanceof Misconfigured)) throw error
    return (error.faults ?? [error.message]).map((message) => ({ check: "configuration", status: "failed", message }))
  }
}

/** Runs a command, prints its findings, and sets the exit code. */
export const runInspection = async (inspection: Inspection) => {
  const findings = await findingsOf(inspection)
  process.stdout.write(`${inspection.json ? reportJson(findings) : reportLines(findings)}\n`)
  process.exitCode = exitCodeOf(findings)
}
