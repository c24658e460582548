/** The public catalog of models. */
import type { CatalogModel } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { client } from "../../api/client.ts"
import type { Column } from "../../design/data-table.tsx"
import { ListPage } from "../../design/list-page.tsx"
import { Badge } from "../../design/ui.tsx"
import { capabilities, capabilityLabel, costText, tokensText } from "./llm-words.ts"

const columns: ReadonlyArray<Column<CatalogModel>> = [
  {
    name: "Model",
    width: "minmax(0, 3fr)",
    cell: ({ id, lifecycle, name }) => (
      <>
        <strong title={id}>{name}</strong> {lifecycle !== null && <Badge tone="warn">{lifecycle}</Badge>}
      </>
    ),
    sort: ({ name }) => name
  },
  {
    name: "Provider",
    width: "minmax(0, 1fr)",
    cell: ({ providerId }) => <span title={providerId}>{providerId}</span>,
    sort: ({ providerId }) => providerId
  },
  {
    name: "Capabilities",
    width: "minmax(0, 3fr)",
    wide: true,
    cell: ({ capabilities: each }) => {
      const text = each.map(capabilityLabel).join(", ")
      return <span title={text}>{text}</span>
    }
  },
  {
    name: "Context",
    width: "80px",
    wide: true,
    cell: ({ contextLimit }) => tokensText(contextLimit),
    sort: ({ contextLimit }) => contextLimit
  },
  {
    name: "US$ per million",
    width: "130px",
    wide: true,
    cell: ({ cost }) => costText(cost),
    sort: ({ cost }) => cost?.input ?? null
  },
  {
    name: "Released",
    width: "100px",
    wide: true,
    cell: ({ releaseDate }) => releaseDate ?? "",
    sort: ({ releaseDate }) => releaseDate
  }
]

export const Page = () => {
  const providers = useQuery({
    queryKey: ["llm-catalog", "providers"],
    queryFn: ({ signal }) => client.llmProviders.listCatalogProviders({ limit: 100 }, { signal }),
    staleTime: 600_000
  })
  return (
    <ListPage
      title="Model catalog"
      name="llm-catalog"
      description="Models of public providers with capabilities, limits and prices. The catalog is fetched at most once an hour, and none of your data is sent."
      columns={columns}
      searches
      load={(input, signal, { capability, provider }) => {
        const selected = capabilities.find(([value]) => value === capability)?.[0]
        return client.llmProviders.listCatalog(
          {
            ...input,
            ...(selected === undefined ? {} : { capability: selected }),
            ...(provider === undefined ? {} : { providerId: provider })
          },
          { signal }
        )
      }}
      idOf={({ id, providerId }) => `${providerId} ${id}`}
      filters={[
        {
          name: "provider",
          label: "Provider",
          options: (providers.data?.items ?? []).map(({ id, name }) => [id, name] as const)
        },
        { name: "capability", label: "Capability", options: capabilities }
      ]}
      actions={
        <Link to="/llm-providers" className="button">
          LLM providers
        </Link>
      }
      empty={
        <p>
          The catalog has no models. Add a provider with <Link to="/llm-providers">your own URL</Link> instead.
        </p>
      }
    />
  )
}
