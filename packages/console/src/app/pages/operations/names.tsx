/** Objects by name: the ID of an object is replaced by its name, and links to its page. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { client } from "../../api/client.ts"

interface Kind {
  readonly label: string
  readonly name?: (id: string, signal: AbortSignal) => Promise<string | null>
  readonly to?: (id: string) => string
}

/** By the prefix of the ID. A kind without `name` is shown by its label. */
const kinds: Readonly<Record<string, Kind>> = {
  om: {
    label: "member",
    name: (id, signal) => client.members.get(id, { signal }).then(({ email, name }) => name ?? email),
    to: (id) => `/members/${id}`
  },
  tem: {
    label: "team",
    name: (id, signal) => client.teams.get(id, { signal }).then(({ name }) => name),
    to: (id) => `/teams/${id}`
  },
  key: {
    label: "API key",
    name: (id, signal) => client.apiKeys.get(id, { signal }).then(({ name }) => name),
    to: (id) => `/api-keys/${id}`
  },
  plg: {
    label: "plugin",
    name: (id, signal) => client.plugins.get(id, { signal }).then(({ name }) => name),
    to: (id) => `/plugins/${id}`
  },
  mkt: {
    label: "marketplace",
    name: (id, signal) => client.marketplaces.get(id, { signal }).then(({ name }) => name),
    to: (id) => `/marketplaces/${id}`
  },
  cin: {
    label: "connector",
    name: (id, signal) => client.connectors.getInstance(id, { signal }).then(({ name }) => name),
    to: (id) => `/connectors/${id}`
  },
  cob: {
    label: "config object",
    name: (id, signal) => client.configObjects.get(id, { signal }).then(({ title }) => title),
    to: (id) => `/objects/${id}`
  },
  rol: {
    label: "role",
    name: (id, signal) => client.roles.get(id, { signal }).then(({ name }) => name),
    to: (id) => `/roles/${id}`
  },
  emc: {
    label: "MCP connection",
    name: (id, signal) => client.mcpConnections.get(id, { signal }).then(({ name }) => name),
    to: (id) => `/mcp-connections/${id}`
  },
  llm: {
    label: "LLM provider",
    name: (id, signal) => client.llmProviders.get(id, { signal }).then(({ name }) => name),
    to: (id) => `/llm-providers/${id}`
  },
  tpl: { label: "template", to: (id) => `/templates/${id}` },
  whe: {
    label: "webhook endpoint",
    name: (id, signal) => client.webhookEndpoints.get(id, { signal }).then(({ name }) => name),
    to: (id) => `/webhook-endpoints/${id}`
  },
  evs: {
    label: "event stream",
    name: (id, signal) => client.eventStreams.get(id, { signal }).then(({ name }) => name),
    to: (id) => `/event-streams/${id}`
  },
  cfr: { label: "configuration run", to: (id) => `/configuration/runs/${id}` },
  scd: { label: "SCIM directory", to: (id) => `/scim/${id}` },
  wrk: { label: "worker", to: (id) => `/workers/${id}` },
  inv: { label: "invitation", to: (id) => `/invitations/${id}` },
  org: { label: "organization", to: () => "/organization" },
  usr: { label: "user" },
  ses: { label: "session" },
  rlo: { label: "rollout", to: (id) => `/rollouts/${id}` },
  rel: { label: "release", to: (id) => `/releases/${id}` },
  asg: { label: "assignment", to: (id) => `/assignments/${id}` },
  dpo: { label: "desktop policy", to: (id) => `/desktop-policies/${id}` },
  cac: { label: "connector account", to: () => "/connector-accounts" },
  cse: { label: "sync" },
  ctg: { label: "branch" },
  dom: { label: "domain", to: () => "/sso" },
  sso: { label: "SSO connection", to: () => "/sso" },
  mem: { label: "memory" }
}

const kindOf = (id: string): Kind | undefined => kinds[id.split("_", 1)[0] ?? ""]

/** The name of an object, with a link to its page. While it is read, and if it was removed, the ID. */
export const Named = ({
  id,
  isLink = true,
  name
}: {
  readonly id: string | null
  /** Within a row that opens something else, the name is no link. */
  readonly isLink?: boolean
  /** The name, if it is known already. */
  readonly name?: string | null
}) => {
  const kind = id === null ? undefined : kindOf(id)
  const query = useQuery({
    queryKey: ["names", id],
    queryFn: async ({ signal }) => (id === null ? null : ((await kind?.name?.(id, signal)) ?? null)),
    enabled: id !== null && kind?.name !== undefined && (name ?? null) === null,
    staleTime: 300_000,
    gcTime: 600_000
  })
  if (id === null) return <span className="muted">none</span>
  const shown = name ?? query.data ?? null
  const content =
    shown === null ? (
      <>
        {kind !== undefined && `${kind.label} `}
        <code className="muted">{id}</code>
      </>
    ) : (
      shown
    )
  // An object that cannot be read has no page.
  return isLink && kind?.to !== undefined && !query.isError ? (
    <Link to={kind.to(id)} title={id}>
      {content}
    </Link>
  ) : (
    <span title={shown === null ? id : `${shown} (${id})`}>{content}</span>
  )
}

const actorKinds: Readonly<Record<string, string>> = {
  session: "member",
  key: "API key",
  worker: "worker",
  directory: "SCIM directory",
  platform: "platform administrator",
  system: "orgplane",
  anonymous: "anonymous"
}

/** Who did something. */
export const Actor = ({
  id,
  isLink = true,
  kind,
  name
}: {
  readonly id: string | null
  readonly kind: string
  readonly name?: string | null
  readonly isLink?: boolean
}) =>
  id === null ? (
    <span className="muted">{actorKinds[kind] ?? kind}</span>
  ) : (
    <Named id={id} isLink={isLink} {...(name === undefined ? {} : { name })} />
  )
