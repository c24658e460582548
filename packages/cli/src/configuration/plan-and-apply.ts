/** `configuration plan` and `configuration apply`. An apply makes exactly the changes of the plan that it showed. */
import { type Connection, connectSignedIn } from "../connection.ts"
import type { CommandTable } from "../command-table.ts"
import { exit, type ExitCode } from "../exit-code.ts"
import { Failure, usage } from "../failure.ts"
import type { Globals } from "../global-flags.ts"
import type { ApplyConfiguration, PlanConfiguration } from "../invocation.ts"
import { canPrompt, type Io, notify, print } from "../io.ts"
import { appliedPlan, configurationPlan, type PlanContext } from "../output/configuration-plan.ts"
import { documentPath } from "../output/document-path.ts"
import { escapeControls } from "../output/escape.ts"
import { printOne, printOutcome } from "../output/print.ts"
import type { OutputOptions } from "../output/render.ts"
import { isObject, listAt, member, textAt } from "../output/value.ts"
import { checkFields } from "../operations.ts"
import { printLong } from "../pager.ts"
import { shellQuoted } from "../shell.ts"
import { confirm } from "../terminal.ts"
import { type Loaded, loadDocument } from "./load.ts"
import { timeoutMillis, whenFree } from "./when-free.ts"

/** Whether requests of the operation have the member `secrets`. */
const sendsSecrets = (table: CommandTable, id: string): boolean =>
  table
    .flatMap(({ operations }) => operations)
    .some(
      ({ flags, id: operationId, json = [] }) =>
        operationId === id && [...flags, ...json].some((row) => row.member === "secrets")
    )

const requestBody = ({ document, secrets }: Loaded) => ({
  document,
  ...(Object.keys(secrets).length === 0 ? {} : { secrets })
})

/** Sends the document. The problems that the server finds get their locations in the files. */
const send = async (
  io: Io,
  { quiet }: OutputOptions,
  connection: Connection,
  verb: "plan" | "apply",
  loaded: Loaded,
  more: Readonly<Record<string, unknown>> = {}
): Promise<unknown> => {
  try {
    return await whenFree(io, quiet, () =>
      connection.send(
        {
          method: "POST",
          path: `/v1/configuration/${verb}`,
          query: {},
          body: { ...requestBody(loaded), ...more }
        },
        verb === "apply" ? { idempotent: true, timeoutMillis } : { timeoutMillis }
      )
    )
  } catch (error) {
    const body = member(error, "body")
    const details = listAt(body, "details")
    if (!(error instanceof Error) || !isObject(body) || details.length === 0) throw error
    const located = details.map((detail) => {
      const location = loaded.locationOf(documentPath(listAt(detail, "path")))
      return isObject(detail) && location !== undefined ? { ...detail, location } : detail
    })
    throw Object.assign(new Error(error.message, { cause: error }), {
      status: member(error, "status"),
      code: member(error, "code"),
      requestId: member(error, "requestId"),
      body: { ...body, details: located }
    })
  }
}

const applyCommand =
  ({ files, variables }: PlanConfiguration | ApplyConfiguration) =>
  (digest: string): string =>
    [
      "orgplane configuration apply",
      ...files.map((file) => `-f ${shellQuoted(escapeControls(file))}`),
      ...variables.map((name) => `--env ${name}`),
      `--plan-digest ${escapeControls(digest)}`
    ].join(" ")

/** Whether the output is text, and not data. */
const isText = ({ format, selection }: OutputOptions): boolean =>
  selection === undefined && (format === undefined || format === "table")

const hasProblems = (body: unknown): boolean => listAt(body, "plan.problems").length > 0

const readFiles = (
  io: Io,
  table: CommandTable,
  globals: Globals,
  verb: "plan" | "apply",
  action: PlanConfiguration | ApplyConfiguration
) => {
  if (globals.tokenStdin && action.files.includes("-")) throw usage("Only one flag can read stdin.")
  return loadDocument(io, { ...action, sendsSecrets: sendsSecrets(table, `configuration.${verb}`) })
}

export const plan = async (
  io: Io,
  table: CommandTable,
  globals: Globals,
  output: OutputOptions,
  action: PlanConfiguration
): Promise<ExitCode> => {
  const loaded = await readFiles(io, table, globals, "plan", action)
  const connection = await connectSignedIn(io, globals)
  const body = await send(io, output, connection, "plan", loaded)
  if (output.quiet && output.selection === undefined) await print(io, textAt(body, "plan.planDigest") ?? "")
  else if (isText(output)) {
    const context = { locationOf: loaded.locationOf, applyCommand: applyCommand(action) }
    await printLong(io, configurationPlan(member(body, "plan"), output, context), output.pager)
  } else await printOne(io, body, output, {})
  if (hasProblems(body)) return exit.failure
  // The code of usage errors: --detailed-exitcode reports errors as 1.
  return action.detailedExitcode && member(body, "plan.hasChanges") === true ? exit.usage : exit.ok
}

/** Fails unless the user can confirm the plan, or has confirmed it with a flag. */
const checkConfirmation = (io: Io, globals: Globals, { files, planDigest }: ApplyConfiguration): void => {
  if (planDigest !== undefined) {
    if (/^[0-9a-f]{64}$/u.test(planDigest)) return
    throw usage(`--plan-digest must be 64 characters of 0-9 and a-f, got '${escapeControls(planDigest)}'.`)
  }
  if (globals.yes || (canPrompt(io) && !files.includes("-"))) return
  throw usage(
    "To apply without a prompt, --plan-digest or --yes is required. Get the digest with 'orgplane configuration plan'."
  )
}

export const apply = async (
  io: Io,
  table: CommandTable,
  globals: Globals,
  output: OutputOptions,
  action: ApplyConfiguration
): Promise<ExitCode> => {
  checkConfirmation(io, globals, action)
  await checkFields("configuration.apply", globals.json)
  const loaded = await readFiles(io, table, globals, "apply", action)
  const connection = await connectSignedIn(io, globals)
  const planned = await send(io, output, connection, "plan", loaded)
  const digest = textAt(planned, "plan.planDigest")
  const isOutdated = action.planDigest !== undefined && action.planDigest !== digest
  const isConfirmed = globals.yes || action.planDigest !== undefined
  if (!(output.quiet && isConfirmed) || isOutdated || hasProblems(planned)) {
    const style = { unicode: output.unicode && io.err.isTerminal, colors: output.colors && io.err.isTerminal }
    const context: PlanContext = {
      locationOf: loaded.locationOf,
      applyCommand: isOutdated ? applyCommand(action) : undefined
    }
    await notify(io, `${configurationPlan(member(planned, "plan"), style, context)}\n`)
  }
  if (hasProblems(planned)) throw new Failure(exit.failure, "The document cannot be applied. Nothing was changed.")
  if (isOutdated) {
    throw new Failure(
      exit.conflict,
      "The plan has changed since the one with this digest. Nothing was changed. Review the plan above, and apply it with its digest."
    )
  }
  if (listAt(planned, "plan.changes").length > 0 && !isConfirmed && !(await confirm(io, "Apply this plan?", false))) {
    await notify(io, "Canceled. Nothing was changed.")
    return exit.failure
  }
  const body =
    listAt(planned, "plan.changes").length === 0
      ? // An apply would return the same plan.
        planned
      : await send(io, output, connection, "apply", loaded, { planDigest: digest })
  await printOutcome(io, body, output, async () => {
    if (output.quiet && output.selection === undefined) return print(io, textAt(body, "plan.planDigest") ?? "")
    if (isText(output)) return print(io, appliedPlan(member(body, "plan"), output))
    return printOne(io, body, output, {})
  })
  return exit.ok
}
