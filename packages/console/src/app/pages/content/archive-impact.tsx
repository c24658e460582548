/** What is hidden when config objects or marketplaces are archived together. */
import type { ConfigObject, Marketplace, MarketplaceLink, Plugin } from "@orgplane/client"
import { client } from "../../api/client.ts"
import { NamedItems } from "../../design/consequences.tsx"
import { Impacts } from "../../design/impacts.tsx"
import { plural } from "../../design/text.ts"

/** Plugins that are read for each object, and links for each marketplace. */
const readMax = 100

/** The plugins that lose config objects. */
export const ObjectsArchived = ({ objects }: { readonly objects: ReadonlyArray<ConfigObject> }) => (
  <Impacts
    name="objects"
    rows={objects}
    impactOf={({ id }, signal) => client.plugins.list({ configObjectId: id, limit: readMax }, { signal })}
  >
    {(impacts) => {
      const losing = new Map<string, { readonly name: string; count: number }>()
      for (const [, { items }] of impacts) {
        for (const { id, name } of items) {
          const plugin = losing.get(id) ?? { name, count: 0 }
          plugin.count += 1
          losing.set(id, plugin)
        }
      }
      const plugins = [...losing].sort(([, left], [, right]) => right.count - left.count)
      const unused = impacts.filter(([, { items }]) => items.length === 0).length
      return (
        <>
          {plugins.length > 0 && (
            <>
              <p>{plugins.length === 1 ? "This plugin loses objects:" : "These plugins lose objects:"}</p>
              <NamedItems
                label="Plugins that lose objects"
                rows={plugins.map(([id, { count, name }]) => ({
                  id,
                  name: (
                    <>
                      <strong>{name}</strong>: {plural(count, "object")}
                    </>
                  )
                }))}
              >
                {impacts.some(([, { nextCursor }]) => nextCursor !== null) && (
                  <li className="muted">Only the first {readMax} plugins of each object were read.</li>
                )}
              </NamedItems>
            </>
          )}
          {unused > 0 && (
            <p>
              {unused === impacts.length
                ? `No plugin that you can see contains the ${unused === 1 ? "object" : "objects"}.`
                : `${plural(unused, "object")} ${unused === 1 ? "is" : "are"} in no plugin that you can see.`}
            </p>
          )}
        </>
      )
    }}
  </Impacts>
)

interface MarketplaceImpact {
  readonly plugins: ReadonlyArray<Plugin>
  readonly links: ReadonlyArray<MarketplaceLink>
  readonly hasMoreLinks: boolean
  readonly hasMorePlugins: boolean
}

const isValid = ({ expiresAt, revokedAt }: MarketplaceLink) =>
  revokedAt === null && (expiresAt === null || Date.parse(expiresAt) > Date.now())

const marketplaceImpact = async ({ id }: Marketplace, signal: AbortSignal): Promise<MarketplaceImpact> => {
  const [plugins, { items, nextCursor }] = await Promise.all([
    client.plugins.list({ marketplaceId: id, limit: readMax }, { signal }),
    client.marketplaces.listLinks(id, { limit: readMax }, { signal })
  ])
  return {
    plugins: plugins.items,
    links: items.filter(isValid),
    hasMoreLinks: nextCursor !== null,
    hasMorePlugins: plugins.nextCursor !== null
  }
}

/** The plugins of the marketplaces, the links that stop working, and the plugins that no other marketplace lists. */
export const MarketplacesArchived = ({ marketplaces }: { readonly marketplaces: ReadonlyArray<Marketplace> }) => (
  <Impacts name="marketplaces" rows={marketplaces} impactOf={marketplaceImpact}>
    {(impacts) => {
      const isArchived = (id: string) => marketplaces.some((marketplace) => marketplace.id === id)
      const plugins = new Map(impacts.flatMap(([, impact]) => impact.plugins.map((plugin) => [plugin.id, plugin])))
      const unlisted = [...plugins.values()].filter((plugin) => plugin.marketplaces.every(({ id }) => isArchived(id)))
      return (
        <>
          <NamedItems
            label="Marketplaces to archive"
            rows={impacts.map(([{ id, name, pluginCount }, { hasMoreLinks, links }]) => ({
              id,
              name: (
                <>
                  <strong>{name}</strong>: {plural(pluginCount, "plugin")}
                  {links.length > 0 &&
                    `, and ${hasMoreLinks ? "at least " : ""}${plural(links.length, "link")} that ${links.length === 1 ? "stops" : "stop"} working`}
                </>
              )
            }))}
          />
          {unlisted.length > 0 && (
            <>
              <p>
                {unlisted.length === 1
                  ? "This plugin is then in no marketplace that you can see:"
                  : "These plugins are then in no marketplace that you can see:"}
              </p>
              <NamedItems label="Plugins in no other marketplace" rows={unlisted}>
                {impacts.some(([, { hasMorePlugins }]) => hasMorePlugins) && (
                  <li className="muted">Only the first {readMax} plugins of each marketplace were read.</li>
                )}
              </NamedItems>
            </>
          )}
        </>
      )
    }}
  </Impacts>
)
