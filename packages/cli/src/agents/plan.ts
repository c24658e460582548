/** Plans which plugins are installed, updated and removed. Nothing here reads or writes. */
import type { DesiredPlugin, DesiredState } from "./state.ts"

/** A plugin in a marketplace directory on this machine. */
export interface InstalledPlugin {
  readonly pluginId: string
  /** The name in the marketplace, which is also the name of its directory. */
  readonly name: string
  readonly title: string
  readonly description: string | undefined
  readonly version: string | undefined
  readonly mode: string
  readonly locked: boolean
  /** The digest of the archive. */
  readonly sha256: string
  /** The digest of the release. */
  readonly digest: string | undefined
}

export type PluginAction = "install" | "update" | "repair" | "keep" | "remove"

export interface PluginStep {
  readonly action: PluginAction
  readonly plugin: InstalledPlugin
  /** Where to download it. Undefined if the copy on this machine is used. */
  readonly archive: NonNullable<DesiredPlugin["archive"]> | undefined
}

export interface PluginPlan {
  readonly steps: ReadonlyArray<PluginStep>
  /** The plugins after the plan. */
  readonly plugins: ReadonlyArray<InstalledPlugin>
  /** Whether a new marketplace directory is needed. */
  readonly isChanged: boolean
  readonly notes: ReadonlyArray<string>
}

/** Names of devices on Windows, where no directory can have them. */
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)$/u

/** A kebab-case word, as the server derives it from the name of a plugin. */
export const slug = (text: string): string => {
  const word = text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, "-")
    .slice(0, 64)
    .replaceAll(/^-+|-+$/gu, "")
  if (word === "") return "plugin"
  return device.test(word) ? `${word}-plugin` : word
}

/** The name of each plugin: that in its first marketplace, which never changes, or one derived from its name. */
export const pluginNames = (state: DesiredState): ReadonlyMap<string, string> => {
  const stated = new Map<string, string>()
  for (const { plugins } of state.marketplaces) {
    for (const { name, pluginId } of plugins) if (!stated.has(pluginId)) stated.set(pluginId, slug(name))
  }
  const names = new Map<string, string>()
  const taken = new Set<string>()
  for (const { name, pluginId } of state.plugins.toSorted((a, b) => (a.pluginId < b.pluginId ? -1 : 1))) {
    const wanted = stated.get(pluginId) ?? slug(name)
    const candidates = [wanted, `${wanted}-${slug(pluginId.slice(-6))}`, `${wanted}-${slug(pluginId)}`]
    const unique = candidates.find((candidate) => !taken.has(candidate)) ?? slug(pluginId)
    taken.add(unique)
    names.set(pluginId, unique)
  }
  return names
}

interface Installed {
  readonly plugins: ReadonlyArray<InstalledPlugin>
  /** Names of the plugins whose files are missing or differ from their archives. */
  readonly damaged: ReadonlySet<string>
}

const isSame = (one: InstalledPlugin, other: InstalledPlugin): boolean =>
  one.name === other.name && one.sha256 === other.sha256 && one.description === other.description

const planOf = (
  steps: ReadonlyArray<PluginStep>,
  { plugins: present }: Installed,
  notes: ReadonlyArray<string>
): PluginPlan => {
  const byId = new Map(present.map((plugin) => [plugin.pluginId, plugin]))
  const inOrder = steps.toSorted((a, b) => (a.plugin.name < b.plugin.name ? -1 : 1))
  const plugins = inOrder.filter(({ action }) => action !== "remove").map(({ plugin }) => plugin)
  const isChanged = inOrder.some(({ action, plugin }) => {
    const before = byId.get(plugin.pluginId)
    return action !== "keep" || before === undefined || !isSame(before, plugin)
  })
  return { steps: inOrder, plugins, isChanged, notes }
}

/** The part of a plan that needs no download: plugins are removed, and installed ones stay as they are. */
export const withoutDownloads = ({ notes, steps }: PluginPlan, installed: Installed): PluginPlan => {
  const kept = steps.flatMap((step): ReadonlyArray<PluginStep> => {
    if (step.archive === undefined) return [step]
    const present = installed.plugins.find(({ pluginId }) => pluginId === step.plugin.pluginId)
    if (present === undefined) return []
    return [{ action: installed.damaged.has(present.name) ? "remove" : "keep", plugin: present, archive: undefined }]
  })
  return planOf(kept, installed, notes)
}

export const planPlugins = (state: DesiredState, installed: Installed): PluginPlan => {
  const names = pluginNames(state)
  const byId = new Map(installed.plugins.map((plugin) => [plugin.pluginId, plugin]))
  const steps: Array<PluginStep> = []
  const notes: Array<string> = []
  const wanted = new Set<string>()
  for (const { archive, description, digest, enabled, locked, mode, name: title, pluginId, version } of state.plugins) {
    if (!enabled) continue
    const present = byId.get(pluginId)
    const isPresent = present !== undefined && !installed.damaged.has(present.name)
    const base = {
      pluginId,
      name: names.get(pluginId) ?? slug(title),
      title,
      description,
      version,
      mode,
      locked,
      digest
    }
    if (archive === undefined) {
      if (isPresent && digest !== undefined && present.digest === digest) {
        wanted.add(pluginId)
        steps.push({ action: "keep", plugin: { ...base, sha256: present.sha256 }, archive: undefined })
      } else {
        notes.push(`${title} is pinned to a release that the server no longer delivers, so it is not installed.`)
      }
      continue
    }
    wanted.add(pluginId)
    const plugin = { ...base, sha256: archive.sha256 }
    const action =
      present === undefined
        ? "install"
        : present.sha256 !== archive.sha256
          ? "update"
          : installed.damaged.has(present.name)
            ? "repair"
            : "keep"
    steps.push({ action, plugin, archive: action === "keep" ? undefined : archive })
  }
  const blocked = new Set(state.blocked.filter(({ kind }) => kind === "plugin").map(({ id }) => id))
  const listed = new Set(state.plugins.map(({ pluginId }) => pluginId))
  const takenNames = new Set(steps.map(({ plugin }) => plugin.name))
  for (const plugin of installed.plugins) {
    if (wanted.has(plugin.pluginId)) continue
    // The state has too many items to list them all, so a plugin may be missing by accident.
    const isKept =
      state.truncated &&
      !listed.has(plugin.pluginId) &&
      !blocked.has(plugin.pluginId) &&
      !installed.damaged.has(plugin.name) &&
      !takenNames.has(plugin.name)
    steps.push({ action: isKept ? "keep" : "remove", plugin, archive: undefined })
  }
  if (state.truncated) notes.push("The desired state is too large to be complete, so missing plugins are not removed.")
  return planOf(steps, installed, notes)
}
