/**
 * Objects by name, with links to their pages: most responses of the API identify objects by their IDs. Each name is read
 * once for all pages. Names that a page needs at the same time are read with one list.
 */
import { useQuery } from "@tanstack/react-query"
import { queries, statusOf } from "../api/client.ts"
import { chunksOf } from "../design/chunks.ts"
import { NameLink } from "../design/name-link.tsx"
import { kindOfId, type Named, type NamedKind, type ObjectKind, objectKind } from "./kinds.ts"

const fresh = 60_000
/** If more names than this are needed at once, a list is read first. */
const singlesMax = 2
const parallelMax = 4

const keyOf = (group: string, id: string) => [group, id, "name"]

/** A search, whose results are known as names from then on. */
export const searchQuery = ({ group, search }: ObjectKind, q: string) => ({
  queryKey: [group, "search", q],
  queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<ReadonlyArray<Named>> => {
    const results = (await search?.(q === "" ? undefined : q, signal)) ?? []
    for (const each of results) queries.setQueryData(keyOf(group, each.id), each)
    return results
  },
  staleTime: fresh
})

interface Waiting {
  readonly id: string
  readonly resolve: (named: Named | PromiseLike<Named>) => void
}

const waiting = new Map<ObjectKind, ReadonlyArray<Waiting>>()

const readWaiting = async (kind: ObjectKind, read: (id: string) => Promise<Named>) => {
  const requests = waiting.get(kind) ?? []
  waiting.delete(kind)
  const listed =
    kind.search !== undefined && requests.length > singlesMax
      ? // Without the list, the names are read one by one.
        await queries.fetchQuery(searchQuery(kind, "")).catch(() => [])
      : []
  const others: Array<Waiting> = []
  for (const request of requests) {
    const name = listed.find(({ id }) => id === request.id)
    if (name === undefined) others.push(request)
    else request.resolve(name)
  }
  for (const some of chunksOf(others, parallelMax)) {
    const names = some.map(({ id, resolve }) => {
      const name = read(id)
      resolve(name)
      return name
    })
    await Promise.allSettled(names)
  }
}

/** Reads a name, together with the others of its kind that are requested at this time. */
const readName = (kind: ObjectKind, read: (id: string) => Promise<Named>, id: string): Promise<Named> =>
  new Promise((resolve) => {
    const requests = waiting.get(kind) ?? []
    waiting.set(kind, [...requests, { id, resolve }])
    if (requests.length === 0) setTimeout(() => void readWaiting(kind, read))
  })

const useNameOf = (kind: ObjectKind | undefined, id: string | null) => {
  const get = kind?.get
  const { data, error, isLoading } = useQuery({
    queryKey: keyOf(kind?.group ?? "", id ?? ""),
    queryFn: () => (kind === undefined || get === undefined || id === null ? null : readName(kind, get, id)),
    staleTime: fresh,
    enabled: get !== undefined && id !== null
  })
  return { name: data?.name, isLoading, isFailed: error !== null, isMissing: statusOf(error) === 404 }
}

export const useName = (kind: NamedKind, id: string | null) => useNameOf(objectKind(kind), id)

export interface NameProps {
  /** Default: the kind that the prefix of the ID names. */
  readonly kind?: NamedKind
  /** Null is shown as "none". */
  readonly id: string | null
  /** False in rows that open a page. */
  readonly link?: boolean
  /** The name, if it is known already. */
  readonly name?: string | null
}

/** The name of an object, as a link to its page. An object whose name cannot be read is shown by its ID. */
export const Name = ({ id, kind: kindName, link = true, name: known = null }: NameProps) => {
  const kind = kindName !== undefined ? objectKind(kindName) : id === null ? undefined : kindOfId(id)
  const { isFailed, isLoading, isMissing, name: read } = useNameOf(kind, known === null ? id : null)
  if (id === null) return <span className="muted">none</span>
  if (isLoading) {
    return (
      <span className="muted" title={id}>
        …
      </span>
    )
  }
  const name = known ?? read
  const content = name ?? (
    <>
      {isMissing && "removed "}
      {kind !== undefined && `${kind.noun} `}
      <code className="muted">{id}</code>
    </>
  )
  const title = name === undefined ? id : `${name} (${id})`
  // An object that cannot be read has no page.
  return link && kind?.path !== undefined && !isFailed ? (
    <NameLink to={kind.path(id)} title={title}>
      {content}
    </NameLink>
  ) : (
    <span title={title}>{content}</span>
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

/** The member who did something; null stands for an API key, a sync or orgplane itself. */
export const Author = ({ id }: { readonly id: string | null }) =>
  id === null ? <span className="muted">not a member</span> : <Name kind="member" id={id} />

const actorKinds: Readonly<Record<string, string>> = {
  session: "member",
  key: "API key",
  worker: "worker",
  directory: "SCIM directory",
  platform: "platform administrator",
  system: "orgplane",
  anonymous: "anonymous"
}

/** The caller of a recorded change. `kind` is the kind of the credential. */
export const Actor = ({ id, kind, ...props }: Pick<NameProps, "id" | "link" | "name"> & { readonly kind: string }) =>
  id === null ? <span className="muted">{actorKinds[kind] ?? kind}</span> : <Name id={id} {...props} />
