/** `--select` and `--all` of `connectors apply` and `connectors plan`: keys of plugins in a repository. */
import type { Connection } from "./connection.ts"
import { usage } from "./failure.ts"
import type { OperationInvocation } from "./invocation.ts"
import { type Io, notify } from "./io.ts"
import { escapeControls } from "./output/escape.ts"
import { listAt, member, textAt } from "./output/value.ts"

interface Candidate {
  readonly key: string
  readonly names: ReadonlyArray<string>
  readonly supported: boolean
}

/** The keys that `--select` stands for: a whole key, or the part after the colon, or the name, if it is unique. */
const keyOf = (text: string, candidates: ReadonlyArray<Candidate>, command: string): string => {
  if (candidates.some(({ key }) => key === text)) return text
  const matches = candidates.filter(({ names }) => names.includes(text.toLowerCase()))
  const [only, another] = matches
  if (only !== undefined && another === undefined) return only.key
  const keys = (matches.length > 0 ? matches : candidates).map(({ key }) => escapeControls(key))
  const list = keys.length > 20 ? `${keys.slice(0, 20).join(", ")} and ${keys.length - 20} more` : keys.join(", ")
  throw usage(
    matches.length > 0
      ? `--select ${escapeControls(text)} matches several plugins: ${list}.`
      : `The repository has no plugin '${escapeControls(text)}'. ${keys.length === 0 ? `Run '${command}'.` : `Plugins: ${list}.`}`
  )
}

const candidatesOf = (body: unknown): ReadonlyArray<Candidate> =>
  listAt(body, "item.discoveredPlugins").flatMap((plugin) => {
    const key = textAt(plugin, "key")
    if (key === undefined) return []
    const names = [key.slice(key.indexOf(":") + 1), textAt(plugin, "displayName"), textAt(plugin, "name")]
    return [
      {
        key,
        names: names.filter((name) => name !== undefined).map((name) => name.toLowerCase()),
        supported: member(plugin, "supported") !== false
      }
    ]
  })

/** `marketplace:reviewer`, or the path of a folder. */
const isKey = (text: string) => /[:/]|^\.$/u.test(text)

/** Replaces short names by keys. Discovers the plugins only if the command line needs it. */
export const selectPlugins = async (
  io: Io,
  invocation: OperationInvocation,
  discover: () => Promise<unknown>,
  quiet: boolean
): Promise<OperationInvocation> => {
  const [instanceId = ""] = invocation.ids
  const given = invocation.values["select"]
  const texts = Array.isArray(given) ? given.map(String) : given === undefined ? [] : [String(given)]
  const command = `orgplane connectors discovery ${instanceId}`
  if (invocation.all) {
    if (texts.length > 0) throw usage("--all cannot be combined with --select.")
    const keys = candidatesOf(await discover()).flatMap(({ key, supported }) => (supported ? [key] : []))
    if (keys.length === 0) throw usage(`The repository has no plugins that can be imported. Run '${command}'.`)
    return { ...invocation, values: { ...invocation.values, select: keys } }
  }
  if (texts.length === 0) {
    if (invocation.operation.id === "connectors.plan" && invocation.input === undefined && !quiet) {
      await notify(
        io,
        `No plugins are selected, so this previews the next sync of the imported plugins. To preview an import, use --select with a key from '${command}', or --all.`
      )
    }
    return invocation
  }
  if (texts.every(isKey)) return invocation
  const candidates = candidatesOf(await discover())
  return {
    ...invocation,
    values: { ...invocation.values, select: texts.map((text) => keyOf(text, candidates, command)) }
  }
}

/** The plugins of the repository, as `connectors discovery` returns them. */
export const discoverPlugins = (connection: Connection, { ids, values }: OperationInvocation): Promise<unknown> => {
  const target = values["connector-target-id"]
  return connection.send(
    {
      method: "GET",
      path: `/v1/connector-instances/${encodeURIComponent(ids[0] ?? "")}/discovery`,
      query: typeof target === "string" ? { connectorTargetId: target } : {},
      body: undefined
    },
    { retries: 0 }
  )
}
