import type { ListedPreset, Preset } from "@orgplane/schema/mcp-resolve"
import { normalize } from "../../infra/normalize.ts"
import { type KnownServer, knownServers } from "./preset-list.ts"

/** The comparison key of a name, which ignores case, diacritics and repeated spaces. */
export const nameKey = (name: string): string =>
  normalize(name, "NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/\s+/gu, " ")
    .trim()

/** The comparison key of a host: `www.` and a trailing dot are ignored. */
const hostKey = (host: string): string =>
  host
    .toLowerCase()
    .replace(/\.$/u, "")
    .replace(/^www\./u, "")

const byName = new Map<string, KnownServer>()
const byHost = new Map<string, KnownServer>()
for (const server of knownServers) {
  for (const name of [server.presetId, server.displayName, ...server.aliases]) byName.set(nameKey(name), server)
  for (const host of [new URL(server.url).host, ...server.hosts]) byHost.set(hostKey(host), server)
}

/** The preset with exactly this name or host; a host with another port does not match. */
export const presetNamed = (name: string): KnownServer | undefined => byName.get(nameKey(name))
export const presetAt = (host: string): KnownServer | undefined => byHost.get(hostKey(host))

const ids = new Set(knownServers.map(({ presetId }) => presetId))
export const isPresetId = (id: string): boolean => ids.has(id)

/** Sorted by name; the key is the pagination cursor. */
const sortedPresets: ReadonlyArray<readonly [key: string, server: KnownServer]> = knownServers
  .map((server) => [`${nameKey(server.displayName)} ${server.presetId}`, server] as const)
  .toSorted(([left], [right]) => (left < right ? -1 : 1))

/** Presets whose name, alias or host contains the text, after a key of the list. */
export const presetsFrom = (q: string | undefined, after: string | null, limit: number) => {
  const search = q === undefined ? "" : nameKey(q)
  return sortedPresets
    .filter(
      ([key, { aliases, displayName, hosts, presetId, url }]) =>
        (after === null || key > after) &&
        [presetId, displayName, ...aliases, ...hosts, new URL(url).host].some((text) => nameKey(text).includes(search))
    )
    .slice(0, limit)
    .map(([key, server]) => ({ key, server }))
}

export const toPreset = ({ description, displayName, presetId, requiresOAuthClient, url }: KnownServer): Preset => ({
  presetId,
  displayName,
  description,
  url,
  requiresOAuthClient
})

export const toListed = (server: KnownServer): ListedPreset => ({ ...toPreset(server), checkedOn: server.checkedOn })
