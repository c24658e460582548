/** Objects by name, with a link to their page. An object that cannot be read is shown by its ID. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { client } from "../../api/client.ts"
import { NameLink } from "../../design/name-link.tsx"
import "./content.css"

const unchanging = 60_000

export const MemberName = ({ id }: { readonly id: string }) => {
  const { data } = useQuery({
    queryKey: ["members", id],
    queryFn: ({ signal }) => client.members.get(id, { signal }),
    staleTime: unchanging
  })
  return (
    <NameLink to={`/members/${id}`}>
      {data === undefined ? <code>{id}</code> : (data.name ?? data.email ?? id)}
    </NameLink>
  )
}

export const TeamName = ({ id }: { readonly id: string }) => {
  const { data } = useQuery({
    queryKey: ["teams", id, "name"],
    queryFn: ({ signal }) => client.teams.get(id, { signal }),
    staleTime: unchanging
  })
  return <NameLink to={`/teams/${id}`}>{data === undefined ? <code>{id}</code> : data.name}</NameLink>
}

export const PluginName = ({ id }: { readonly id: string }) => {
  const { data } = useQuery({
    queryKey: ["plugins", id],
    queryFn: ({ signal }) => client.plugins.get(id, { signal }),
    staleTime: unchanging
  })
  return <NameLink to={`/plugins/${id}`}>{data === undefined ? <code>{id}</code> : data.name}</NameLink>
}

export const ConnectorName = ({ id }: { readonly id: string }) => {
  const { data } = useQuery({
    queryKey: ["connectors", id],
    queryFn: ({ signal }) => client.connectors.getInstance(id, { signal }),
    staleTime: unchanging
  })
  return <NameLink to={`/connectors/${id}`}>{data === undefined ? <code>{id}</code> : data.name}</NameLink>
}

/** Who did something; null stands for an API key, a sync or orgplane itself. */
export const Author = ({ id }: { readonly id: string | null }) =>
  id === null ? <span className="muted">not a member</span> : <MemberName id={id} />

/** The page above the one that is shown. */
export const Crumb = ({
  children,
  tab,
  to
}: {
  readonly to: string
  readonly tab?: string
  readonly children: ReactNode
}) => (
  <nav aria-label="Page above" className="crumb">
    <Link to={to} search={tab === undefined ? {} : { tab }}>
      ← {children}
    </Link>
  </nav>
)
