/** Reads the configuration of the program from its environment and from a configuration file. */
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import type { ControlPlaneOptions } from "../options.ts"
import { checkOptions } from "./check-options.ts"
import { type FileSettings, parseConfigFile } from "./config-file.ts"
import { type Configuration, type Environment, Misconfigured, readEnvironment } from "./environment.ts"
import type { VariableName } from "./variables.ts"

/** What the program is configured with, before it is checked. */
export interface Sources {
  /** The environment, and below it the values of the file. */
  readonly environment: Environment
  readonly file: { readonly path: string; readonly settings: FileSettings } | undefined
}

/** A variable that is empty is not set, so it does not override the file. */
const isSet = (value: string | undefined): value is string => value !== undefined && value.trim() !== ""

const reasonOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : "unknown error"

/**
 * Reads the file in `configFile` or, without one, in `ORGPLANE_CONFIG_FILE`, if it is set. Throws `Misconfigured` with a
 * message about each malformed field.
 */
export const readSources = (environment: Environment, configFile: string | undefined): Sources => {
  const given = configFile ?? environment["ORGPLANE_CONFIG_FILE"]
  if (!isSet(given)) return { environment, file: undefined }
  const path = resolve(given.trim())
  let content: string
  try {
    content = readFileSync(path, "utf8")
  } catch (cause) {
    throw new Misconfigured({
      message: `Cannot read the configuration file ${path} (${reasonOf(cause)}). Check --config or ORGPLANE_CONFIG_FILE.`
    })
  }
  const settings = parseConfigFile(content)
  if ("faults" in settings) {
    throw new Misconfigured({
      message: `The configuration file ${path} is not valid. ${settings.faults.join(" ")}`,
      faults: settings.faults.map((fault) => `${path}: ${fault}`)
    })
  }
  const own = Object.fromEntries(Object.entries(environment).filter(([, value]) => isSet(value)))
  return { environment: { ...settings.texts, ...own }, file: { path, settings } }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Adds the fields of the second object to the first, also inside objects. */
const merged = (
  base: Readonly<Record<string, unknown>>,
  added: Readonly<Record<string, unknown>>
): Readonly<Record<string, unknown>> => ({
  ...base,
  ...Object.fromEntries(
    Object.entries(added).map(([name, value]) => {
      const current = base[name]
      return [name, isObject(value) && isObject(current) ? merged(current, value) : value]
    })
  )
})

/** Adds the options of the file that have no environment variable. */
const withFileOptions = (configuration: Configuration, { path, settings }: NonNullable<Sources["file"]>) => {
  const { database, ...others } = settings.options
  const { kind, ...databaseOptions } = isObject(database) ? database : {}
  const isEmbedded = configuration.options.database.kind === "pglite"
  const fail = (problem: string): never => {
    throw new Misconfigured({ message: `${path}: ${problem}` })
  }
  if (kind === "postgres" && isEmbedded) fail("database.url or ORGPLANE_DATABASE_URL must be set for PostgreSQL.")
  if (kind === "pglite" && settings.texts.ORGPLANE_DATABASE_URL !== undefined) {
    fail("database.url is not allowed with the embedded database. Remove it, or set database.kind to postgres.")
  }
  if (isEmbedded && Object.keys(databaseOptions).length > 0) {
    fail(`database.${Object.keys(databaseOptions)[0]} is not allowed with the embedded database.`)
  }
  const options = merged(
    { ...configuration.options },
    { ...others, database: databaseOptions }
  ) as unknown as ControlPlaneOptions
  try {
    checkOptions(options)
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error))
  }
  return { ...configuration, options }
}

/** Names the field of the file instead of the variable that it sets. */
const inFile = (error: Misconfigured, { environment, file }: Sources): Misconfigured => {
  const { variable } = error
  if (file === undefined || variable === undefined) return error
  const name = file.settings.names[variable]
  if (name === undefined || environment[variable] !== file.settings.texts[variable]) return error
  return new Misconfigured({ variable, message: `${file.path}: ${name} (${error.message.replace(" ", ") ")}` })
}

/** Checks the configuration. Throws `Misconfigured` with a message about the first malformed variable or field. */
export const readConfiguration = (sources: Sources): Configuration => {
  try {
    const configuration = readEnvironment(sources.environment)
    return sources.file === undefined ? configuration : withFileOptions(configuration, sources.file)
  } catch (error) {
    throw error instanceof Misconfigured ? inFile(error, sources) : error
  }
}

/** The messages about all malformed variables and members. */
export const configurationFaults = (sources: Sources): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const removed = new Set<VariableName>()
  let { environment } = sources
  for (;;) {
    try {
      readConfiguration({ ...sources, environment })
      return faults
    } catch (error) {
      if (!(error instanceof Misconfigured)) throw error
      const { variable } = error
      // Without a malformed variable, the others are checked. It may be required, which is not a second fault.
      if (variable !== undefined && removed.has(variable)) return faults
      // Without the malformed URL, the file is checked as if it named the embedded database.
      if (variable === undefined && removed.has("ORGPLANE_DATABASE_URL")) return faults
      faults.push(error.message)
      if (variable === undefined) return faults
      removed.add(variable)
      environment = { ...environment, [variable]: undefined }
    }
  }
}
