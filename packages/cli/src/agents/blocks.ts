/** What earlier syncs have blocked. An incomplete state does not unblock anything. */
import { isObject, listAt, member, textAt } from "../output/value.ts"
import type { Blocks } from "./formats/format.ts"
import type { Applied } from "./record.ts"
import type { DesiredState } from "./state.ts"

/** The blocks in a file of managed settings. */
const blocksIn = (text: string): Blocks => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = undefined
  }
  const plugins = member(value, "enabledPlugins")
  return {
    plugins: isObject(plugins) ? Object.keys(plugins).filter((name) => plugins[name] === false) : [],
    marketplaceUrls: listAt(value, "blockedMarketplaces").flatMap((source) => textAt(source, "url") ?? [])
  }
}

const blocksOf = ({ text, written }: Applied): Blocks =>
  text === undefined
    ? {
        plugins: written.entries.flatMap(({ exclusive, path: [container, name], value }) =>
          container === "enabledPlugins" && value === false && !exclusive ? [name] : []
        ),
        marketplaceUrls: []
      }
    : blocksIn(text)

/** The blocks that stay. A plugin that the state contains is not blocked any more. */
export const keptBlocksOf = (state: DesiredState, records: ReadonlyArray<Applied>): Blocks => {
  if (!state.truncated) return { plugins: [], marketplaceUrls: [] }
  const allowed = new Set(
    state.marketplaces.flatMap(({ name, plugins }) => plugins.map((plugin) => `${plugin.name}@${name}`))
  )
  const blocks = records.map(blocksOf)
  return {
    plugins: blocks.flatMap(({ plugins }) => plugins).filter((name) => !allowed.has(name)),
    marketplaceUrls: blocks.flatMap(({ marketplaceUrls }) => marketplaceUrls)
  }
}
