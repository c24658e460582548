/** Renders the delivery of plugins: how many installations run, and why others do not. */
import { paint, type TextStyle } from "./access-explanation.ts"
import { escapeControls } from "./escape.ts"
import { keyValues, table, type TableStyle } from "./table.ts"
import { cell, isObject, listAt, member, textAt } from "./value.ts"

type Style = TableStyle & TextStyle

export const countColumns = ["wanted", "running", "behind", "missing", "failed", "offline"]

export const numberAt = (value: unknown, path: string): number => {
  const number = member(value, path)
  return typeof number === "number" ? number : 0
}

/** `integrity`, or `30 integrity, 9 download`. */
export const failuresText = (failures: ReadonlyArray<unknown>): string =>
  failures
    .map((each) => {
      const kind = cell(member(each, "failure"))
      return failures.length === 1 ? kind : `${numberAt(each, "count")} ${kind}`
    })
    .join(", ")

/** `5000 wanted, 4871 running, 90 offline, 39 failed: integrity` */
export const countsText = (counts: unknown, failures: ReadonlyArray<unknown> = []): string => {
  const nonZero = ["behind", "missing", "offline", "failed"].filter((name) => numberAt(counts, name) > 0)
  const parts = ["wanted", "running", ...nonZero].map((name) => `${numberAt(counts, name)} ${name}`)
  const reasons = numberAt(counts, "failed") > 0 ? failuresText(failures) : ""
  return `${parts.join(", ")}${reasons === "" ? "" : `: ${reasons}`}`
}

export const statusSummary = (body: unknown): string =>
  countsText(member(body, "item.installations"), listAt(body, "item.failures"))

export const amount = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

const devicesLine = (status: unknown): string => {
  const [offline, failed] = [numberAt(status, "devices.offline"), numberAt(status, "devices.failed")]
  return [
    amount(numberAt(status, "memberCount"), "member"),
    amount(numberAt(status, "devices.total"), "device"),
    ...(offline > 0 ? [`${offline} offline`] : []),
    ...(failed > 0 ? [`${failed} could not apply the desired state`] : [])
  ].join(", ")
}

const withFailures = (plugin: unknown): unknown =>
  isObject(plugin)
    ? {
        ...plugin,
        name: plugin["name"] ?? plugin["pluginId"],
        failures: numberAt(plugin, "failed") > 0 ? failuresText(listAt(plugin, "failures")) : ""
      }
    : plugin

const nonEmpty = (rows: ReadonlyArray<unknown>, columns: ReadonlyArray<string>, sparse: ReadonlyArray<string>) =>
  columns.filter(
    (column) => !sparse.includes(column) || rows.some((row) => !["-", "0", "false"].includes(cell(member(row, column))))
  )

const colorOf = (installations: unknown): number => {
  if (numberAt(installations, "failed") > 0) return 31
  return numberAt(installations, "running") === numberAt(installations, "wanted") ? 32 : 33
}

const releaseLines = (plugin: unknown, style: Style): ReadonlyArray<string> => {
  const releases = listAt(plugin, "releases")
  if (releases.length === 0) return []
  const rows = releases.map((release) => (isObject(release) ? { ...release, release: textAt(release, "digest") } : {}))
  return ["", "By release:", table(rows, ["version", ...countColumns, "release"], style, ["version", ...countColumns])]
}

/** The lines of `delivery status` without the time. They are compared to notice a change. */
export const statusLines = (body: unknown, style: Style): ReadonlyArray<string> => {
  const status = member(body, "item")
  const summary = paint(style, colorOf(member(status, "installations")), escapeControls(statusSummary(body)))
  if (numberAt(status, "devices.total") === 0) return ["No device has reported yet. Devices report with each sync."]
  const plugins = listAt(status, "plugins").map(withFailures)
  if (plugins.length === 0) return [summary, devicesLine(status)]
  const columns = nonEmpty(
    plugins,
    ["name", ...countColumns, "unwanted", "failures", "pluginId"],
    ["unwanted", "failures"]
  )
  return [
    summary,
    devicesLine(status),
    "",
    ...table(plugins, columns, style, ["name", ...countColumns, "failures"]).split("\n"),
    ...(plugins.length === 1 ? releaseLines(plugins[0], style).flatMap((line) => line.split("\n")) : []),
    ...(member(status, "truncated") === true ? ["", "There are more plugins. Select one with --plugin-id."] : [])
  ]
}

export const deliveryStatus = (body: unknown, style: Style): string =>
  [...statusLines(body, style), "", `as of ${cell(member(body, "item.generatedAt"))}`].join("\n")

/** `97.4%` of the wanted installations. */
const share = (counts: unknown): string => {
  const wanted = numberAt(counts, "wanted")
  return wanted === 0 ? "-" : `${(Math.floor((numberAt(counts, "running") / wanted) * 1000) / 10).toFixed(1)}%`
}

export const deliveryHistory = (body: unknown, style: Style): string => {
  const history = member(body, "item")
  const [pluginId, digest] = [textAt(history, "pluginId"), textAt(history, "digest")]
  const subject = [pluginId ?? "all plugins", ...(digest === undefined ? [] : [`release ${digest}`])].join(", ")
  const title = `${cell(member(history, "from"))} to ${cell(member(history, "to"))}, ${escapeControls(subject)}`
  const days = listAt(history, "days").map((day) =>
    isObject(day) ? { ...day, devices: day["deviceCount"], share: share(day) } : {}
  )
  if (days.length === 0) return `${title}\nThere are no records in this period.`
  return [
    title,
    "",
    table(days, ["day", "devices", ...countColumns, "share"], style, ["day", "share", ...countColumns])
  ].join("\n")
}

const usageRow = (plugin: unknown) =>
  isObject(plugin)
    ? {
        ...plugin,
        name: plugin["name"] ?? plugin["pluginId"],
        lastUsed: plugin["unused"] === true ? "unused" : plugin["lastUsedDay"]
      }
    : {}

const releaseUsage = (plugin: unknown) =>
  listAt(plugin, "releases").map((release) => ({
    plugin: textAt(plugin, "name") ?? textAt(plugin, "pluginId"),
    version: member(release, "version"),
    running: member(release, "running"),
    installFailed: member(release, "installFailed"),
    events: member(release, "events"),
    failedEvents: member(release, "failedEvents"),
    failedUserDays: `${numberAt(release, "failedUserDays")} of ${numberAt(release, "userDays")}`,
    release: textAt(release, "digest")
  }))

const releaseColumns = [
  "plugin",
  "version",
  "running",
  "installFailed",
  "events",
  "failedEvents",
  "failedUserDays",
  "release"
]

export const deliveryUsage = (body: unknown, style: Style): string => {
  const usage = member(body, "item")
  const title = `${cell(member(usage, "from"))} to ${cell(member(usage, "to"))}`
  const plugins = listAt(usage, "plugins")
  if (plugins.length === 0) return `${title}\nNo plugins are installed.`
  const rows = plugins.map(usageRow)
  const releases = plugins.flatMap(releaseUsage)
  const duplicates = listAt(usage, "duplicates")
  const nameOf = new Map(plugins.map((plugin) => [textAt(plugin, "pluginId"), textAt(plugin, "name")]))
  return [
    title,
    "",
    table(rows, ["name", "running", "users", "events", "lastUsed", "pluginId"], style, ["name", "running", "lastUsed"]),
    ...(releases.length === 0 ? [] : ["", table(releases, releaseColumns, style, releaseColumns)]),
    ...(duplicates.length === 0 ? [] : ["", "Config objects with the same content in several plugins:"]),
    ...duplicates.map((each) => {
      const names = listAt(each, "pluginIds").map((id) => (typeof id === "string" ? (nameOf.get(id) ?? id) : ""))
      return `  ${cell(member(each, "objectType"))} ${cell(member(each, "title"))}: ${escapeControls(names.join(", "))}`
    }),
    ...(member(usage, "truncated") === true ? ["", "There are more plugins. Select one with --plugin-id."] : [])
  ].join("\n")
}

/** `offline`, `failed: storage`, `up to date`, or `behind`. */
export const deviceState = (device: unknown): string => {
  if (member(device, "offline") === true) return "offline"
  const failure = textAt(device, "failure")
  if (failure !== undefined) return `failed: ${failure}`
  const { running, wanted } = {
    running: numberAt(device, "installations.running"),
    wanted: numberAt(device, "installations.wanted")
  }
  const failed = numberAt(device, "installations.failed")
  if (failed > 0) return `${amount(failed, "plugin")} failed`
  return running === wanted ? "up to date" : "behind"
}

const deviceColumns = [
  "id",
  "orgMembershipId",
  "workerId",
  "agent",
  "clientVersion",
  "platform",
  "status",
  "revision",
  "firstSeenAt",
  "lastSeenAt",
  "plugins"
]

const short = (digest: string | undefined): string => digest?.slice(0, 12) ?? ""

export const deviceDetails = (body: unknown, style: Style): string => {
  const device = member(body, "item")
  const [revision, wantedRevision] = [member(device, "revision") ?? null, member(device, "wantedRevision") ?? null]
  const row = {
    ...(isObject(device) ? device : {}),
    status: deviceState(device),
    revision: revision === wantedRevision ? revision : `${cell(revision)} of ${cell(wantedRevision)}`,
    plugins: countsText(member(device, "installations"))
  }
  const installations = listAt(device, "plugins").map((each) => ({
    plugin: textAt(each, "name") ?? textAt(each, "pluginId"),
    state: textAt(each, "failure") === undefined ? textAt(each, "state") : `failed: ${textAt(each, "failure") ?? ""}`,
    wanted: short(textAt(each, "wantedDigest") ?? textAt(each, "wantedSha256")),
    installed: short(textAt(each, "installedDigest") ?? textAt(each, "installedSha256")),
    pluginId: textAt(each, "pluginId")
  }))
  const columns = deviceColumns.filter((column) => column !== "workerId" || textAt(device, "workerId") !== undefined)
  const head = keyValues(row, columns, style)
  return installations.length === 0
    ? head
    : `${head}\n\n${table(installations, ["plugin", "state", "wanted", "installed", "pluginId"], style, ["plugin", "state"])}`
}
