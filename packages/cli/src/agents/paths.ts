/** The files and directories that `orgplane agents` uses, by operating system. */
import { posix, win32 } from "node:path"

export const formatNames = ["claude-code", "json"] as const
export type FormatName = (typeof formatNames)[number]
export type Scope = "managed" | "user"

export interface Machine {
  readonly platform: "linux" | "darwin" | "win32"
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface Overrides {
  readonly settingsDirectory?: string | undefined
  readonly dataDirectory?: string | undefined
}

export interface Paths {
  /** The file that the agent reads. */
  readonly settingsFile: string
  /** The state, the record of changes, and the plugins. */
  readonly dataDirectory: string
}

/** Agents sort the files of a drop-in directory by name, and later files take precedence. */
const dropInFile = "50-orgplane.json"
const plainFile = "agents.json"

/** The operating system. Any system other than macOS and Windows has the paths of Linux. */
export const platformOf = (name: string): Machine["platform"] =>
  name === "darwin" || name === "win32" ? name : "linux"

const pathOf = ({ platform }: Machine) => (platform === "win32" ? win32 : posix)

const absolute = (machine: Machine, name: string): string | undefined => {
  const value = machine.env[name]
  return value !== undefined && pathOf(machine).isAbsolute(value) ? value : undefined
}

/** Where Claude Code reads managed settings. */
const managedDirectories: Readonly<Record<Machine["platform"], string>> = {
  linux: "/etc/claude-code",
  darwin: "/Library/Application Support/ClaudeCode",
  win32: "C:\\Program Files\\ClaudeCode"
}

const managedData = (machine: Machine): string => {
  switch (machine.platform) {
    case "darwin":
      return "/Library/Application Support/orgplane-agents"
    case "win32":
      return win32.join(absolute(machine, "ProgramData") ?? "C:\\ProgramData", "orgplane-agents")
    default:
      return "/var/lib/orgplane-agents"
  }
}

const userData = (machine: Machine): string => {
  switch (machine.platform) {
    case "darwin":
      return posix.join(machine.home, "Library", "Application Support", "orgplane-agents")
    case "win32":
      return win32.join(
        absolute(machine, "LOCALAPPDATA") ?? win32.join(machine.home, "AppData", "Local"),
        "orgplane-agents"
      )
    default:
      return posix.join(
        absolute(machine, "XDG_DATA_HOME") ?? posix.join(machine.home, ".local", "share"),
        "orgplane-agents"
      )
  }
}

export const pathsOf = (machine: Machine, format: FormatName, scope: Scope, overrides: Overrides = {}): Paths => {
  const join = (...parts: ReadonlyArray<string>) => pathOf(machine).join(...parts)
  const dataRoot = overrides.dataDirectory ?? (scope === "managed" ? managedData(machine) : userData(machine))
  const dataDirectory = join(dataRoot, format)
  if (format === "json") {
    return { settingsFile: join(overrides.settingsDirectory ?? dataRoot, plainFile), dataDirectory }
  }
  if (scope === "managed") {
    const directory = overrides.settingsDirectory ?? managedDirectories[machine.platform]
    return { settingsFile: join(directory, "managed-settings.d", dropInFile), dataDirectory }
  }
  const directory =
    overrides.settingsDirectory ?? absolute(machine, "CLAUDE_CONFIG_DIR") ?? join(machine.home, ".claude")
  return { settingsFile: join(directory, "settings.json"), dataDirectory }
}
