/** Names of objects, which the API identifies by their IDs in most responses. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { client, statusOf } from "../../api/client.ts"

export interface Named {
  readonly id: string
  readonly name: string
  /** A second text that tells objects with the same name apart. */
  readonly detail?: string
}

interface Source {
  /** The first part of the keys of queries. */
  readonly group: string
  readonly noun: string
  readonly path?: (id: string) => string
  /** At most 100 objects. */
  readonly search: (q: string | undefined, signal: AbortSignal) => Promise<ReadonlyArray<Named>>
  readonly get: (id: string, signal: AbortSignal) => Promise<Named>
}

const inputOf = (q: string | undefined) => ({ limit: 100, ...(q === undefined ? {} : { q }) })

const memberOf = ({
  email,
  id,
  name
}: {
  readonly id: string
  readonly name: string | null
  readonly email: string | null
}) => ({
  id,
  name: name ?? email ?? id,
  ...(name !== null && email !== null ? { detail: email } : {})
})

const named = ({ id, name }: { readonly id: string; readonly name: string }): Named => ({ id, name })

const matches = (q: string | undefined) => (each: Named) =>
  q === undefined || each.name.toLowerCase().includes(q.toLowerCase())

export const sources = {
  member: {
    group: "members",
    noun: "member",
    path: (id) => `/members/${id}`,
    search: async (q, signal) => (await client.members.list(inputOf(q), { signal })).items.map(memberOf),
    get: async (id, signal) => memberOf(await client.members.get(id, { signal }))
  },
  team: {
    group: "teams",
    noun: "team",
    path: (id) => `/teams/${id}`,
    search: async (q, signal) => (await client.teams.list(inputOf(q), { signal })).items.map(named),
    get: async (id, signal) => named(await client.teams.get(id, { signal }))
  },
  plugin: {
    group: "plugins",
    noun: "plugin",
    path: (id) => `/plugins/${id}`,
    search: async (q, signal) => (await client.plugins.list(inputOf(q), { signal })).items.map(named),
    get: async (id, signal) => named(await client.plugins.get(id, { signal }))
  },
  marketplace: {
    group: "marketplaces",
    noun: "marketplace",
    path: (id) => `/marketplaces/${id}`,
    search: async (q, signal) => (await client.marketplaces.list(inputOf(q), { signal })).items.map(named),
    get: async (id, signal) => named(await client.marketplaces.get(id, { signal }))
  },
  configObject: {
    group: "objects",
    noun: "config object",
    path: (id) => `/objects/${id}`,
    search: async (q, signal) =>
      (await client.configObjects.list(inputOf(q), { signal })).items.map(({ id, objectType, title }) => ({
        id,
        name: title,
        detail: objectType
      })),
    get: async (id, signal) => {
      const { title } = await client.configObjects.get(id, { signal })
      return { id, name: title }
    }
  },
  connectorInstance: {
    group: "connectors",
    noun: "connector",
    path: (id) => `/connectors/${id}`,
    // The operation has no search.
    search: async (q, signal) =>
      (await client.connectors.listInstances({ limit: 100 }, { signal })).items.map(named).filter(matches(q)),
    get: async (id, signal) => named(await client.connectors.getInstance(id, { signal }))
  },
  mcpConnection: {
    group: "mcp-connections",
    noun: "MCP connection",
    path: (id) => `/mcp-connections/${id}`,
    search: async (q, signal) => (await client.mcpConnections.list(inputOf(q), { signal })).items.map(named),
    get: async (id, signal) => named(await client.mcpConnections.get(id, { signal }))
  },
  llmProvider: {
    group: "llm-providers",
    noun: "LLM provider",
    path: (id) => `/llm-providers/${id}`,
    search: async (q, signal) => (await client.llmProviders.list(inputOf(q), { signal })).items.map(named),
    get: async (id, signal) => named(await client.llmProviders.get(id, { signal }))
  },
  desktopPolicy: {
    group: "desktop-policies",
    noun: "desktop policy",
    path: (id) => `/desktop-policies/${id}`,
    search: async (q, signal) =>
      (await client.desktopPolicies.list(inputOf(q), { signal })).items.map(({ id, policyName }) => ({
        id,
        name: policyName
      })),
    get: async (id, signal) => {
      const { policyName } = await client.desktopPolicies.get(id, { signal })
      return { id, name: policyName }
    }
  },
  catalogProvider: {
    group: "llm-catalog",
    noun: "provider of the catalog",
    search: async (q, signal) =>
      (await client.llmProviders.listCatalogProviders(inputOf(q), { signal })).items.map(
        ({ id, modelCount, name }) => ({
          id,
          name,
          detail: `${modelCount} models`
        })
      ),
    get: (id) => Promise.resolve({ id, name: id })
  }
} as const satisfies Record<string, Source>

export type NamedKind = keyof typeof sources

export const sourceOf = (kind: NamedKind): Source => sources[kind]

const fresh = 60_000

/**
 * The name of an object. Most names come from the first page of the list, which all names of a kind share; the others are
 * read one by one.
 */
export const useName = (kind: NamedKind, id: string | null) => {
  const { get, group, search } = sourceOf(kind)
  const first = useQuery({
    queryKey: [group, "search", ""],
    queryFn: ({ signal }) => search(undefined, signal),
    staleTime: fresh,
    enabled: id !== null
  })
  const known = first.data?.find((each) => each.id === id)
  const single = useQuery({
    queryKey: [group, id, "name"],
    queryFn: ({ signal }) => get(id ?? "", signal),
    staleTime: fresh,
    enabled: id !== null && known === undefined && first.isSuccess
  })
  return {
    name: (known ?? single.data)?.name,
    isLoading: first.isLoading || single.isLoading,
    isMissing: statusOf(single.error) === 404
  }
}

/** The name of an object, as a link to its page. In rows that open a page, set `link` to false. */
export const Name = ({
  id,
  kind,
  link = true
}: {
  readonly kind: NamedKind
  readonly id: string
  readonly link?: boolean
}) => {
  const { isLoading, isMissing, name } = useName(kind, id)
  const { noun, path } = sourceOf(kind)
  if (isLoading) return <span className="muted">…</span>
  if (name === undefined) {
    return (
      <span className="muted" title={id}>
        {isMissing ? `removed ${noun}` : <code>{id}</code>}
      </span>
    )
  }
  return path === undefined || !link ? (
    <span title={name}>{name}</span>
  ) : (
    <Link to={path(id)} title={name}>
      {name}
    </Link>
  )
}

/** A few names in one line. */
export const Names = ({
  ids,
  kind,
  link = true,
  max = 3
}: {
  readonly kind: NamedKind
  readonly ids: ReadonlyArray<string>
  readonly link?: boolean
  readonly max?: number
}) => (
  <>
    {ids.slice(0, max).map((id, index) => (
      <span key={id}>
        {index > 0 && ", "}
        <Name kind={kind} id={id} link={link} />
      </span>
    ))}
    {ids.length > max && ` and ${ids.length - max} more`}
  </>
)

/** Such as "a plugin" and "an MCP connection". */
export const withArticle = (noun: string): string => `${/^([aeiou]|MCP|LLM)/i.test(noun) ? "an" : "a"} ${noun}`
