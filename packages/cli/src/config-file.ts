/** The settings file, `config.json`, and the aliases in it. It contains no credentials. */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { exit } from "./exit-code.ts"
import { Failure, usage } from "./failure.ts"
import { formats } from "./global-flags.ts"
import type { Io } from "./io.ts"
import { isObject, member } from "./output/value.ts"
import { configDirectoryOf, isAbsent, writePrivately } from "./profiles.ts"

interface Setting {
  readonly help: string
  readonly check: (value: string) => string | undefined
}

/** Each setting, and why a value is not valid for it. Flags and environment variables take precedence. */
export const configSettings = {
  output: {
    help: "Output format of all commands, as with --output",
    check: (value) => (formats.some((format) => format === value) ? undefined : `must be one of: ${formats.join(", ")}`)
  },
  pager: {
    help: "Pager for output that is longer than the terminal. To disable it, use 'off'. Env: ORGPLANE_PAGER, PAGER",
    check: (value) => (value.trim() === "" ? "must not be empty. To disable the pager, use 'off'" : undefined)
  }
} satisfies Record<string, Setting>
export type SettingName = keyof typeof configSettings

export interface Config {
  readonly settings: Readonly<Partial<Record<SettingName, string>>>
  /** The words that each alias stands for. */
  readonly aliases: Readonly<Record<string, string>>
}

export const isSettingName = (name: string): name is SettingName => Object.hasOwn(configSettings, name)

const fileName = "config.json"
const configPath = (env: Io["env"]): string => join(configDirectoryOf(env), fileName)

const texts = (value: unknown): Record<string, string> =>
  isObject(value)
    ? Object.fromEntries(
        Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string")
      )
    : {}

export const loadConfig = async (io: Io): Promise<Config> => {
  const path = configPath(io.env)
  let text: string
  try {
    text = await readFile(path, "utf8")
  } catch (error) {
    if (isAbsent(error)) return { settings: {}, aliases: {} }
    throw new Failure(exit.failure, `Cannot read the settings in ${path}.`)
  }
  try {
    const value: unknown = JSON.parse(text)
    const settings = Object.fromEntries(
      Object.entries(texts(member(value, "settings"))).filter(([name]) => isSettingName(name))
    )
    return { settings, aliases: texts(member(value, "aliases")) }
  } catch {
    throw new Failure(exit.failure, `${path} is not valid JSON. Correct it, or remove it.`)
  }
}

/** Changes the settings as they are now: another process may have changed them since this one read them. */
export const changeConfig = async (io: Io, change: (all: Config) => Config): Promise<void> => {
  const { underLock } = await import("./config-lock.ts")
  await underLock(io, fileName, async () => {
    const { aliases, settings } = change(await loadConfig(io))
    await writePrivately(io.env, fileName, JSON.stringify({ version: 1, settings, aliases }, null, 2))
  })
}

export const settingName = (name: string): SettingName => {
  if (isSettingName(name)) return name
  throw usage(`Unknown setting '${name}'. Settings: ${Object.keys(configSettings).join(", ")}.`)
}

/** Splits a command line into words. Quotes keep spaces. */
export const wordsOf = (line: string): ReadonlyArray<string> => {
  const words = line.match(/(?:[^\s"']+|"[^"]*"|'[^']*')+/gu) ?? []
  return words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/gu, (_, one?: string, two?: string) => one ?? two ?? ""))
}

/**
 * Replaces the first word if it is an alias. `$1` is the first word after it, and so on; words without a place follow at
 * the end.
 */
export const expandAlias = (argv: ReadonlyArray<string>, aliases: Config["aliases"]): ReadonlyArray<string> => {
  const [first = "", ...rest] = argv
  const line = Object.hasOwn(aliases, first) ? aliases[first] : undefined
  if (line === undefined) return argv
  const taken = new Set<number>()
  const words = wordsOf(line).map((word) =>
    word.replace(/\$([1-9])/gu, (_, digit: string) => {
      const index = Number(digit) - 1
      const value = rest[index]
      if (value === undefined) throw usage(`The alias '${first}' requires at least ${digit} arguments: ${line}`)
      taken.add(index)
      return value
    })
  )
  return [...words, ...rest.filter((_, index) => !taken.has(index))]
}
