/** Settings of Claude Code. Each key was checked with version 2.1.330 of the program, and with its documentation. */
import { slug } from "../plan.ts"
import type { BlockedItem } from "../state.ts"
import type { Entry, Json } from "../settings-text.ts"
import type { FormatInput, FormatOutput } from "./format.ts"

/** The name of the marketplace that contains the plugins of the organization. */
export const marketplaceName = "orgplane"

/** The file that makes a directory a marketplace. */
export const manifestOf = (plugins: FormatInput["plugins"]): Json => ({
  name: marketplaceName,
  owner: { name: "orgplane" },
  metadata: { description: "The plugins of your organization. Managed by orgplane agents sync." },
  plugins: plugins.map(({ description, name }) => ({
    name,
    source: `./plugins/${name}`,
    ...(description === undefined ? {} : { description })
  }))
})

const source = ({ directory }: FormatInput) => ({ source: "directory", path: directory })

const isOfKind = (kind: string) => (item: BlockedItem) => item.kind === kind

/** Blocked plugins, by the names that they have in the marketplaces of the organization, and those of the user. */
const blockedPlugins = ({ keptBlocks, state, userPlugins }: FormatInput): ReadonlyArray<string> => {
  const blockedMarketplaces = new Set(
    state.blocked.filter(isOfKind("marketplace")).flatMap(({ name, names }) => names ?? [slug(name)])
  )
  // A server without `names` has no other names than those that it derives.
  const marketplaces = [...state.marketplaces.map(({ name }) => name), ...blockedMarketplaces]
  const listed = state.blocked
    .filter(isOfKind("plugin"))
    .flatMap(({ name, names }) => names ?? marketplaces.map((marketplace) => `${slug(name)}@${marketplace}`))
  const ofUser = userPlugins.filter((id) => blockedMarketplaces.has(id.slice(id.lastIndexOf("@") + 1)))
  return [...new Set([...listed, ...ofUser, ...keptBlocks.plugins])].toSorted()
}

/** The MCP servers that members may use if they may not add their own. */
const allowedServers = ({ servers, state }: FormatInput): ReadonlyArray<Json> => {
  const urls = [...state.mcpConnections.map(({ url }) => url), ...servers.flatMap(({ url }) => url ?? [])]
  const commands = servers.flatMap(({ command }) => (command === undefined ? [] : [command]))
  return [
    ...[...new Set(urls)].toSorted().map((serverUrl) => ({ serverUrl })),
    ...commands.map((serverCommand) => ({ serverCommand }))
  ]
}

const managed = (input: FormatInput): FormatOutput => {
  const { baseUrl, plugins, state } = input
  const urls = state.blocked
    .filter(isOfKind("marketplace"))
    .map(({ id, manifestUrl }) => manifestUrl ?? `${baseUrl}/v1/marketplaces/${id}/marketplace.json`)
  const blockedMarketplaces = [...new Set([...urls, ...input.keptBlocks.marketplaceUrls])].map((url) => ({
    source: "url",
    url
  }))
  return {
    target: {
      kind: "whole",
      value: {
        extraKnownMarketplaces: { [marketplaceName]: { source: source(input) } },
        enabledPlugins: Object.fromEntries([
          ...plugins.map(({ name }) => [`${name}@${marketplaceName}`, true] as const),
          ...blockedPlugins(input).map((id) => [id, false] as const)
        ]),
        ...(blockedMarketplaces.length === 0 ? {} : { blockedMarketplaces }),
        ...(state.allowManageExtensions
          ? {}
          : {
              strictKnownMarketplaces: [source(input)],
              allowManagedMcpServersOnly: true,
              allowedMcpServers: allowedServers(input)
            })
      }
    },
    notes: []
  }
}

const ofUser = (input: FormatInput): FormatOutput => {
  const { plugins, state } = input
  const entries: ReadonlyArray<Entry> = [
    {
      path: ["extraKnownMarketplaces", marketplaceName],
      value: { source: source(input) },
      locked: true,
      exclusive: true
    },
    ...plugins.map(({ locked, name }): Entry => ({
      path: ["enabledPlugins", `${name}@${marketplaceName}`],
      value: true,
      locked,
      exclusive: true
    })),
    ...blockedPlugins(input).map((id): Entry => ({
      path: ["enabledPlugins", id],
      value: false,
      locked: true,
      exclusive: false
    }))
  ]
  const isBlocking = state.blocked.some(({ kind }) => kind === "marketplace")
  return {
    target: { kind: "entries", entries },
    notes: [
      ...(isBlocking
        ? ["Blocked marketplaces are enforced only by managed settings. Their plugins in your settings are turned off."]
        : []),
      ...(state.allowManageExtensions
        ? []
        : ["Your organization does not allow other plugins and MCP servers. Only managed settings enforce this."])
    ]
  }
}

export const claudeCode = (input: FormatInput): FormatOutput =>
  input.scope === "managed" ? managed(input) : ofUser(input)
