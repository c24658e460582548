/** `agents sync`, `agents status` and `agents remove`. */
import { homedir } from "node:os"
import { resolve } from "node:path"
import { exit, type ExitCode } from "../exit-code.ts"
import { Failure, Interrupted } from "../failure.ts"
import type { Globals } from "../global-flags.ts"
import type { AgentsInvocation } from "../invocation.ts"
import { type Io, notify } from "../io.ts"
import { escapeControls } from "../output/escape.ts"
import { printOne, printRows } from "../output/print.ts"
import type { OutputOptions } from "../output/render.ts"
import { startProgress } from "../progress.ts"
import { resolveSettings, warnAboutPlainHttp } from "../settings.ts"
import { type ApplyReport, applyState, type Context, removeApplied } from "./apply.ts"
import { currentState, downloadArchive } from "./fetch-state.ts"
import { isWritable, nodeFiles } from "./files.ts"
import { generationPath, inspectGeneration } from "./generation.ts"
import { underDataLock } from "./lock.ts"
import { type Machine, pathsOf, platformOf, type Scope } from "./paths.ts"
import { readRecord, readState, recordsOf, writeState } from "./record.ts"
import type { FailedPlugin, FailureKind } from "./report.ts"
import { makeReporter, removeWithReport, reportsAreOn } from "./reporting.ts"
import { changedEntries } from "./settings-text.ts"
import { unpack, type UnpackedFile } from "./unpack.ts"
import { sha256Of, verifiedState } from "./verify.ts"

const machineOf = (io: Io): Machine => ({
  platform: platformOf(process.platform),
  home: io.env["HOME"] ?? io.env["USERPROFILE"] ?? homedir(),
  env: io.env
})

const contextOf = async (
  io: Io,
  { dataDirectory, dryRun, format, scope, settingsDirectory }: AgentsInvocation
): Promise<Context> => {
  const machine = machineOf(io)
  const overrides = {
    settingsDirectory: settingsDirectory === undefined ? undefined : resolve(settingsDirectory),
    dataDirectory: dataDirectory === undefined ? undefined : resolve(dataDirectory)
  }
  const of = (each: Scope) => pathsOf(machine, format, each, overrides)
  if (scope !== "auto") return { files: nodeFiles, paths: of(scope), format, scope, dryRun }
  const managed = of("managed")
  const isManaged = (await isWritable(managed.settingsFile)) && (await isWritable(managed.dataDirectory))
  return isManaged
    ? { files: nodeFiles, paths: managed, format, scope: "managed", dryRun }
    : { files: nodeFiles, paths: of("user"), format, scope: "user", dryRun }
}

/** Programs of all users read the plugins of the managed scope. */
const directoryMode = ({ scope }: Context) => (scope === "managed" ? 0o755 : 0o700)

const explained = (error: unknown, { paths, scope }: Context): unknown => {
  if (!(error instanceof Error) || !("code" in error) || !("syscall" in error)) return error
  const file = "path" in error && typeof error.path === "string" ? error.path : paths.settingsFile
  const isDenied = error.code === "EACCES" || error.code === "EPERM" || error.code === "EROFS"
  const fix = isDenied && scope === "managed" ? " Run the command as an administrator, or use --scope user." : ""
  return new Failure(exit.failure, `Cannot write ${file} (${String(error.code)}).${fix}`)
}

const locked = async <A>(io: Io, context: Context, work: () => Promise<A>): Promise<A> => {
  try {
    if (context.dryRun) return await work()
    return await underDataLock(context.files, context.paths.dataDirectory, directoryMode(context), io.now(), work)
  } catch (error) {
    throw explained(error, context)
  }
}

interface Row {
  readonly action: string
  readonly kind: string
  readonly name: string
  readonly detail: string
}

const pluginDetail = ({ plugin }: ApplyReport["plugins"][number]) =>
  [plugin.version, plugin.mode.replace("_", " ")].filter((part) => part !== undefined).join(", ")

/** What changes. The steps that keep something are only in JSON. */
const rowsOf = ({ plugins, settings }: Pick<ApplyReport, "plugins" | "settings">): ReadonlyArray<Row> => [
  ...plugins.map((step) => ({
    action: step.action,
    kind: "plugin",
    name: step.plugin.name,
    detail: step.action === "remove" ? "" : pluginDetail(step)
  })),
  ...settings.map(({ action, key, value }) => ({
    action,
    kind: "setting",
    name: key,
    detail: value === null ? "" : JSON.stringify(value)
  }))
]

const pluginJson = ({ action, plugin }: ApplyReport["plugins"][number]) => ({
  action,
  pluginId: plugin.pluginId,
  name: plugin.name,
  title: plugin.title,
  version: plugin.version ?? null,
  mode: plugin.mode,
  locked: plugin.locked,
  sha256: plugin.sha256
})

const isText = ({ format, selection }: OutputOptions) =>
  selection === undefined && (format === undefined || format === "table")

const printSteps = async (
  io: Io,
  output: OutputOptions,
  report: Pick<ApplyReport, "plugins" | "settings">,
  whole: object
): Promise<void> => {
  if (!isText(output)) return printOne(io, whole, output, {})
  if (output.quiet) return
  const rows = rowsOf(report).filter(({ action }) => action !== "keep")
  if (rows.length > 0) await printRows(io, rows, output, { columns: ["action", "kind", "name", "detail"] })
}

const say = async (io: Io, output: OutputOptions, line: string) => {
  if (!output.quiet) await notify(io, escapeControls(line))
}

/** The files of a plugin. `fail` receives the reason before an error is thrown. */
const downloadedFiles = async (
  download: () => Promise<Buffer>,
  { format, sha256 }: { readonly format: string; readonly sha256: string },
  plugin: string,
  fail: (failure: FailureKind) => void
): Promise<ReadonlyArray<UnpackedFile>> => {
  let failure: FailureKind = "download"
  try {
    const bytes = await download()
    failure = "integrity"
    if (sha256Of(bytes) !== sha256) {
      throw new Failure(
        exit.failure,
        `The archive of ${plugin} does not have the digest in the desired state. Nothing was changed.`
      )
    }
    failure = "content"
    return await unpack(bytes, format, plugin)
  } catch (error) {
    fail(failure)
    throw error
  }
}

const sync = async (
  io: Io,
  globals: Globals,
  output: OutputOptions,
  context: Context,
  isReporting: boolean
): Promise<ExitCode> => {
  const settings = await resolveSettings(io, globals)
  if (settings.credential === undefined) {
    throw new Failure(exit.notSignedIn, "Not signed in. Run 'orgplane login', or set ORGPLANE_TOKEN.")
  }
  await warnAboutPlainHttp(io, settings)
  const { dryRun, files, format, paths, scope } = context
  await locked(io, context, async () => {
    const before = await readState(files, paths.dataDirectory)
    const progress = await startProgress(io, "Getting the desired state", output.quiet || !io.err.isTerminal)
    const reporter = isReporting && !dryRun ? makeReporter(io, globals, settings, context) : undefined
    let isReceived = false
    let failedPlugin: FailedPlugin | undefined
    const { notes, origin, report, state } = await (async () => {
      try {
        const current = await currentState(io, globals, settings, before)
        // Without a connection, a report would fail too.
        isReceived = current.origin !== "offline"
        // Stored first: even if it cannot be applied yet, no older state is accepted from now on.
        if (!dryRun && current.origin === "new") await writeState(files, paths.dataDirectory, current.stored)
        const applied = await applyState({
          ...context,
          state: current.state,
          baseUrl: settings.baseUrl,
          now: io.now(),
          download: async ({ archive, plugin }, done, total) => {
            if (archive === undefined) return []
            await progress.update(`Downloading ${plugin.name}`, total === 0 ? undefined : done / total)
            return downloadedFiles(
              () => downloadArchive(io, globals, settings, archive.url, plugin.name),
              archive,
              plugin.name,
              (failure) => (failedPlugin = { plugin, failure })
            )
          }
        })
        const note = isReceived
          ? await reporter?.applied(
              current.state.revision,
              applied.plugins.filter(({ action }) => action !== "remove").map(({ plugin }) => plugin)
            )
          : undefined
        const allNotes = [...current.notes, ...applied.notes, ...(note === undefined ? [] : [note])]
        return { ...current, notes: allNotes, report: applied }
      } catch (error) {
        if (isReceived && !io.signal.aborted && !(error instanceof Interrupted)) {
          const note = await reporter?.failed(error, failedPlugin)
          await progress.stop()
          // JSON output has only the error.
          if (note !== undefined && isText(output)) await say(io, output, `orgplane: ${note}`)
        }
        throw error
      } finally {
        await progress.stop()
      }
    })()
    await printSteps(io, output, report, {
      dryRun,
      changed: report.isChanged,
      origin,
      revision: state.revision,
      validUntil: state.validUntil,
      format,
      scope,
      settingsFile: report.settingsFile,
      directory: report.directory,
      plugins: report.plugins.map(pluginJson),
      settings: report.settings,
      notes
    })
    for (const note of notes) await say(io, output, `orgplane: ${note}`)
    const what = dryRun
      ? report.isChanged
        ? "Dry run: nothing was changed in"
        : "Up to date:"
      : report.isChanged
        ? "Updated"
        : "Up to date:"
    await say(
      io,
      output,
      `${what} ${report.settingsFile} (revision ${state.revision}, valid until ${state.validUntil}).`
    )
  })
  return exit.ok
}

const remove = async (
  io: Io,
  globals: Globals,
  output: OutputOptions,
  context: Context,
  isReporting: boolean
): Promise<ExitCode> => {
  const { dryRun, files, format, paths, scope } = context
  const report = await locked(io, context, () =>
    removeWithReport(io, globals, context, isReporting, () => removeApplied(context))
  )
  // The lock was in it.
  if (!dryRun && (await files.filesBelow(paths.dataDirectory)).length === 0) await files.remove(paths.dataDirectory)
  await printSteps(io, output, report, {
    dryRun,
    changed: report.isChanged,
    format,
    scope,
    settingsFile: paths.settingsFile,
    plugins: report.plugins.map(pluginJson),
    settings: report.settings
  })
  const what = report.isChanged
    ? dryRun
      ? "Dry run: nothing was changed in"
      : "Removed the settings of orgplane from"
    : "Nothing to remove:"
  await say(io, output, `${what} ${paths.settingsFile}.`)
  return exit.ok
}

const status = async (io: Io, output: OutputOptions, { files, format, paths, scope }: Context): Promise<ExitCode> => {
  const stored = await readState(files, paths.dataDirectory)
  const record = await readRecord(files, paths.dataDirectory)
  const [applied] = recordsOf(record)
  if (stored === undefined || applied === undefined) {
    throw new Failure(exit.notFound, `Nothing is synced to ${paths.settingsFile}. Run 'orgplane agents sync'.`)
  }
  const state = verifiedState(stored, stored.keys)
  const text = (await files.read(applied.settingsFile))?.toString("utf8")
  const changed = changedEntries(text, applied.written)
  const directory = generationPath(paths.dataDirectory, applied.generation)
  const { damaged, isDamaged } = await inspectGeneration(files, directory, applied.plugins)
  const drift = [
    ...(applied.text !== undefined && applied.text !== text ? [`${applied.settingsFile} was changed`] : []),
    ...changed.filter((entry) => entry.locked).map(({ path }) => `${path.join(".")} was changed`),
    ...(isDamaged ? [`${directory} was changed`] : []),
    ...[...damaged].map((name) => `the files of ${name} were changed`),
    ...(record.pending.length > 0 ? ["the last sync was interrupted"] : []),
    ...(applied.revision === state.revision ? [] : [`revision ${state.revision} is not applied`])
  ]
  const isExpired = Date.parse(state.validUntil) <= io.now()
  await printOne(
    io,
    {
      server: stored.server,
      organizationId: state.organizationId,
      subject: state.subject,
      format,
      scope,
      settingsFile: applied.settingsFile,
      directory,
      revision: applied.revision,
      appliedAt: applied.appliedAt,
      receivedAt: stored.receivedAt,
      validUntil: state.validUntil,
      expired: isExpired,
      plugins: applied.plugins.map(({ name }) => name),
      userChanges: changed.filter((entry) => !entry.locked).map(({ path }) => path.join(".")),
      drift
    },
    output,
    {}
  )
  return drift.length === 0 && !isExpired ? exit.ok : exit.failure
}

export const agents = async (
  io: Io,
  globals: Globals,
  output: OutputOptions,
  invocation: AgentsInvocation
): Promise<ExitCode> => {
  const context = await contextOf(io, invocation)
  const isReporting = reportsAreOn(io, invocation.noReport)
  switch (invocation.verb) {
    case "sync":
      return sync(io, globals, output, context, isReporting)
    case "status":
      return status(io, output, context)
    case "remove":
      return remove(io, globals, output, context, isReporting)
    default:
      return invocation.verb satisfies never
  }
}
