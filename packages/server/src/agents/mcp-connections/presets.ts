import type { ListedPreset, Preset } from "@orgplane/schema/mcp-resolve"
import { normalize } from "../../infra/normalize.ts"
import { type KnownServer, knownServers } from "./preset-list.ts"

/** As names are compared: without case, marks on letters, and how wide the gaps between words are. */
export const nameKey = (name: string): string =>
  normalize(name, "NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/\s+/gu, " ")
    .trim()

/** As hosts are compared: `www.` and a dot at the end say nothing. */
const hostKey = (host: string): string =>
  host
    .toLowerCase()
    .replace(/\.$/u, "")
    .replace(/^www\./u, "")

const byName = new Map<string, KnownServer>()
const byHost = new Map<string, KnownServer>()
for (const known of knownServers) {
  for (const name of [known.presetId, known.displayName, ...known.aliases]) byName.set(nameKey(name), known)
  for (const host of [new URL(known.url).host, ...known.hosts]) byHost.set(hostKey(host), known)
}

/** The server that is called exactly this, or has exactly this host; a host with a port of its own is another. */
export const presetNamed = (name: string): KnownServer | undefined => byName.get(nameKey(name))
export const presetAt = (host: string): KnownServer | undefined => byHost.get(hostKey(host))

const ids = new Set(knownServers.map(({ presetId }) => presetId))
export const isPresetId = (id: string): boolean => ids.has(id)

/** By name; the key is what a page goes on after. */
const listed: ReadonlyArray<readonly [key: string, server: KnownServer]> = knownServers
  .map((known) => [`${nameKey(known.displayName)} ${known.presetId}`, known] as const)
  .toSorted(([left], [right]) => (left < right ? -1 : 1))

/** Servers whose name, alias or host holds the text, after a key of the list. */
export const presetsFrom = (q: string | undefined, after: string | null, limit: number) => {
  const part = q === undefined ? "" : nameKey(q)
  return listed
    .filter(
      ([key, { aliases, displayName, hosts, presetId, url }]) =>
        (after === null || key > after) &&
        [presetId, displayName, ...aliases, ...hosts, new URL(url).host].some((text) => nameKey(text).includes(part))
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

export const toListed = (known: KnownServer): ListedPreset => ({ ...toPreset(known), checkedOn: known.checkedOn })
