/**
 * Brings a machine to its desired state. Everything is prepared next to the present state; then one file is replaced, the
 * settings file of the agent. A process that is killed before leaves the old state, and after it the new one.
 */
import { dirname } from "node:path"
import { exit } from "../exit-code.ts"
import { Failure } from "../failure.ts"
import { isObject, member, textAt } from "../output/value.ts"
import { keptBlocksOf } from "./blocks.ts"
import { type Files, replaceFile, temporaryOf } from "./files.ts"
import { claudeCode } from "./formats/claude-code.ts"
import type { FormatInput, FormatOutput, McpServer } from "./formats/format.ts"
import { plain } from "./formats/plain.ts"
import { buildGeneration, generationNumbers, generationPath, inspectGeneration, stagingOf } from "./generation.ts"
import { mcpServersOf } from "./mcp-servers.ts"
import type { FormatName, Paths, Scope } from "./paths.ts"
import { planPlugins, type PluginPlan, type PluginStep, withoutDownloads } from "./plan.ts"
import {
  type Applied,
  type ApplyRecord,
  isSameRecord,
  readRecord,
  recordsOf,
  removeData,
  writeRecord
} from "./record.ts"
import { SettingsFailure } from "./report.ts"
import { changeSettings, InvalidSettings, type Json, nothingWritten, type SettingsChange } from "./settings-text.ts"
import type { DesiredState } from "./state.ts"
import type { UnpackedFile } from "./unpack.ts"

export interface Context {
  readonly files: Files
  readonly paths: Paths
  readonly format: FormatName
  readonly scope: Scope
  readonly dryRun: boolean
}

export interface ApplyInput extends Context {
  readonly state: DesiredState
  readonly baseUrl: string
  readonly now: number
  readonly download: (step: PluginStep, done: number, total: number) => Promise<ReadonlyArray<UnpackedFile>>
}

export interface ApplyReport {
  readonly isChanged: boolean
  readonly settingsFile: string
  readonly directory: string
  readonly plugins: ReadonlyArray<PluginStep>
  readonly settings: SettingsChange["steps"]
  readonly notes: ReadonlyArray<string>
}

const formatters: Readonly<Record<FormatName, (input: FormatInput) => FormatOutput>> = {
  "claude-code": claudeCode,
  json: plain
}

/** A file of the user can contain credentials, such as environment variables. */
const newFileMode = ({ format, scope }: Context) => (format === "claude-code" && scope === "user" ? 0o600 : 0o644)

const readText = async (context: Context): Promise<string | undefined> => {
  const content = await context.files.read(context.paths.settingsFile)
  if (content === undefined) return undefined
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content)
  } catch {
    // Replacement characters would be written back.
    throw invalid(context)
  }
}

const invalid = (context: Context) =>
  new SettingsFailure(
    exit.failure,
    `${context.paths.settingsFile} is not a valid JSON object. Correct it, then try again. Nothing was changed.`
  )

const enabledPluginsIn = (text: string | undefined): ReadonlyArray<string> => {
  try {
    const value: unknown = JSON.parse(text ?? "{}")
    const plugins = isObject(value) ? value["enabledPlugins"] : undefined
    return isObject(plugins) ? Object.keys(plugins) : []
  } catch {
    return []
  }
}

/** The steps for a file that belongs to orgplane: one for each of its top-level keys. */
const wholeChange = (
  current: string | undefined,
  value: { readonly [name: string]: Json } | undefined
): SettingsChange => {
  let before: Readonly<Record<string, unknown>> = {}
  try {
    const parsed: unknown = JSON.parse(current ?? "{}")
    if (isObject(parsed)) before = parsed
  } catch {
    // It is replaced.
  }
  const after = value ?? {}
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return {
    text: value === undefined ? undefined : `${JSON.stringify(value, null, 2)}\n`,
    steps: names.map((key) => ({
      action: !(key in after) ? "remove" : JSON.stringify(before[key]) === JSON.stringify(after[key]) ? "keep" : "set",
      key,
      value: after[key] ?? null
    })),
    written: nothingWritten
  }
}

/** Whether a document for other agents can be replaced: `agents.json` is also the name of other files. */
const isForeign = ({ format }: Context, text: string | undefined, records: ReadonlyArray<Applied>): boolean => {
  if (format !== "json" || text === undefined || records.some((record) => record.text === text)) return false
  try {
    const value: unknown = JSON.parse(text)
    return member(value, "formatVersion") !== 1 || textAt(value, "marketplaceDirectory") === undefined
  } catch {
    return true
  }
}

/** Replaces the settings file, unless another program has changed it since it was read. */
const commit = async (context: Context, before: string | undefined, text: string | undefined): Promise<void> => {
  const { files, paths } = context
  const path = await files.resolve(paths.settingsFile)
  if (text === before) return
  const latest = (await files.read(path))?.toString("utf8")
  if (latest !== before) {
    throw new SettingsFailure(exit.conflict, `${paths.settingsFile} was changed by another program. Try again.`)
  }
  if (text === undefined) return files.remove(path)
  await files.makeDirectory(dirname(path), context.scope === "managed" ? 0o755 : 0o700)
  await replaceFile(files, path, text, (await files.modeOf(path)) ?? newFileMode(context))
}

/** Removes what no record names. The generation before the present one is kept for sessions that still use it. */
const removeUnused = async ({ files, paths }: Context, record: ApplyRecord): Promise<void> => {
  const used = new Set(recordsOf(record).map(({ generation }) => generation))
  const numbers = await generationNumbers(files, paths.dataDirectory)
  const present = record.current?.generation ?? 0
  const previous = numbers.findLast((number) => number < present)
  for (const number of numbers) {
    if (used.has(number) || number === previous) continue
    await files.remove(generationPath(paths.dataDirectory, number))
  }
  await files.remove(temporaryOf(await files.resolve(paths.settingsFile)))
  if ((await files.names(stagingOf(paths.dataDirectory))).length > 0) await files.remove(stagingOf(paths.dataDirectory))
}

const checkSettingsFile = (context: Context, record: ApplyRecord): void => {
  const other = recordsOf(record).find(({ settingsFile }) => settingsFile !== context.paths.settingsFile)
  if (other === undefined) return
  throw new SettingsFailure(
    exit.conflict,
    `The last sync wrote to ${other.settingsFile}, not to ${context.paths.settingsFile}. Run 'orgplane agents remove' with the settings of that sync first.`
  )
}

interface Start {
  readonly record: ApplyRecord
  /** The text of the settings file. */
  readonly before: string | undefined
  /** The marketplace file of the present generation is missing or was changed. */
  readonly isDamaged: boolean
  /** The revision that is recorded. */
  readonly revision: number
}

const performPlan = async (input: ApplyInput, plan: PluginPlan, start: Start): Promise<ApplyReport> => {
  const { dryRun, files, format, now, paths, scope, state } = input
  const { dataDirectory, settingsFile } = paths
  const { before, isDamaged, record, revision } = start
  const [base] = recordsOf(record)
  const pathOf = (number: number) => generationPath(dataDirectory, number)
  const isNew = base === undefined || plan.isChanged || isDamaged
  const number = isNew ? ((await generationNumbers(files, dataDirectory)).at(-1) ?? 0) + 1 : base.generation
  const directory = pathOf(number)

  const change = (
    servers: ReadonlyArray<McpServer>
  ): { readonly change: SettingsChange; readonly notes: ReadonlyArray<string> } => {
    const { notes, target } = formatters[format]({
      state,
      baseUrl: input.baseUrl,
      scope,
      directory,
      plugins: plan.plugins,
      servers,
      userPlugins: enabledPluginsIn(before),
      keptBlocks: keptBlocksOf(state, recordsOf(record))
    })
    if (target.kind === "whole") return { change: wholeChange(before, target.value), notes }
    try {
      return {
        change: changeSettings(
          before,
          recordsOf(record).map(({ written }) => written),
          target.entries
        ),
        notes
      }
    } catch (error) {
      throw error instanceof InvalidSettings ? invalid(input) : error
    }
  }
  // Fails before anything is downloaded if the settings cannot be changed.
  change([])

  if (isNew && !dryRun) {
    await removeUnused(input, record)
    await buildGeneration(files, dataDirectory, {
      number,
      from: base?.generation,
      steps: plan.steps,
      plugins: plan.plugins,
      download: input.download
    })
  }
  const servers: Array<McpServer> = []
  const source = dryRun && isNew ? base?.generation : number
  for (const { name } of plan.plugins) {
    if (source === undefined) break
    servers.push(...(await mcpServersOf(files, `${pathOf(source)}/plugins/${name}`, `${directory}/plugins/${name}`)))
  }
  const result = change(servers)
  const { steps, text, written } = result.change
  const next: Applied = {
    revision,
    appliedAt: new Date(now).toISOString(),
    generation: number,
    plugins: plan.plugins,
    settingsFile,
    text: written === nothingWritten && text !== undefined ? text : undefined,
    written
  }
  const isChanged = isNew || text !== before
  if (!dryRun && (isChanged || record.pending.length > 0 || !isSameRecord(record.current, next))) {
    if (isChanged)
      await writeRecord(files, dataDirectory, { current: record.current, pending: [next, ...record.pending] })
    await commit(input, before, text)
    await writeRecord(files, dataDirectory, { current: next, pending: [] })
    await removeUnused(input, { current: next, pending: [] })
  }
  return {
    isChanged,
    settingsFile,
    directory,
    plugins: plan.steps,
    settings: steps,
    notes: [...plan.notes, ...result.notes]
  }
}

/** The message of a failed download, for when the rest of the plan was applied. */
const withoutClaim = (message: string) => message.replace(/ Nothing was changed\.$/u, "")

export const applyState = async (input: ApplyInput): Promise<ApplyReport> => {
  const { dryRun, files, paths, state } = input
  const record = await readRecord(files, paths.dataDirectory)
  checkSettingsFile(input, record)
  // A file that cannot be changed must not cost a download.
  const before = await readText(input)
  const records = recordsOf(record)
  if (isForeign(input, before, records)) {
    throw new SettingsFailure(
      exit.conflict,
      `${paths.settingsFile} was not written by orgplane. Move it, or select a different directory with --settings-dir. Nothing was changed.`
    )
  }
  const [base] = records
  const inspection =
    base === undefined
      ? undefined
      : await inspectGeneration(files, generationPath(paths.dataDirectory, base.generation), base.plugins)
  const installed = { plugins: base?.plugins ?? [], damaged: inspection?.damaged ?? new Set<string>() }
  const plan = planPlugins(state, installed)
  const start = { record, before, isDamaged: inspection?.isDamaged === true, revision: state.revision }
  let downloadError: unknown
  const download: ApplyInput["download"] = (...args) =>
    input.download(...args).catch((error: unknown) => {
      downloadError = error
      throw error
    })
  try {
    return await performPlan({ ...input, download }, plan, start)
  } catch (error) {
    // A block must not wait until every archive can be downloaded.
    if (dryRun || error !== downloadError || !(error instanceof Failure) || state.blocked.length === 0) throw error
    await performPlan(input, withoutDownloads(plan, installed), { ...start, revision: base?.revision ?? 0 })
    throw new Failure(
      error.exitCode,
      `${withoutClaim(error.message)} Plugins that are blocked or no longer assigned were turned off. Nothing else was changed.`
    )
  }
}

/** Removes exactly what `applyState` has written. */
export const removeApplied = async (
  context: Context
): Promise<Pick<ApplyReport, "isChanged" | "plugins" | "settings">> => {
  const { dryRun, files, paths } = context
  const record = await readRecord(files, paths.dataDirectory)
  const records = recordsOf(record)
  const [base] = records
  if (base === undefined) {
    if (!dryRun) await removeData(files, paths.dataDirectory)
    return { isChanged: false, plugins: [], settings: [] }
  }
  checkSettingsFile(context, record)
  const before = await readText(context)
  let change: SettingsChange
  try {
    change = isForeign(context, before, records)
      ? { text: before, steps: [], written: nothingWritten }
      : records.some(({ text }) => text !== undefined)
        ? wholeChange(before, undefined)
        : changeSettings(
            before,
            records.map(({ written }) => written),
            []
          )
  } catch (error) {
    throw error instanceof InvalidSettings ? invalid(context) : error
  }
  if (!dryRun) {
    await commit(context, before, change.text)
    await files.remove(temporaryOf(await files.resolve(paths.settingsFile)))
    await removeData(files, paths.dataDirectory)
  }
  return {
    isChanged: true,
    plugins: base.plugins.map((plugin) => ({ action: "remove", plugin, archive: undefined })),
    settings: change.steps
  }
}
