/** What the person can use, and through what. */
import type { LibraryEntry } from "@orgplane/client"
import { client } from "../../api/client.ts"
import { type Column, DataTable } from "../../design/data-table.tsx"
import { NameLink } from "../../design/name-link.tsx"
import { Badge, Empty } from "../../design/ui.tsx"
import { Name } from "../../objects/names.tsx"
import { useParameters, useSetParameters } from "../../parameters.ts"

const Through = ({ through: { id, kind } }: { readonly through: LibraryEntry["through"] }) => {
  switch (kind) {
    case "admin":
      return <>your role</>
    case "orgWide":
      return <>everyone in the organization</>
    case "direct":
      return <>a grant to you</>
    case "team":
      return <>team {id === null ? "" : <Name kind="team" id={id} />}</>
    case "marketplace":
      return id === null ? <>a marketplace</> : <NameLink to={`/marketplaces/${id}`}>a marketplace</NameLink>
    case "plugin":
      return id === null ? <>a plugin</> : <NameLink to={`/plugins/${id}`}>a plugin</NameLink>
    default:
      return <>{kind}</>
  }
}

const pathOf = ({ id, kind }: LibraryEntry) => (kind === "plugin" ? `/plugins/${id}` : `/objects/${id}`)

const columns: ReadonlyArray<Column<LibraryEntry>> = [
  {
    name: "Name",
    width: "minmax(0, 2fr)",
    cell: ({ name }) => <strong title={name}>{name}</strong>,
    sort: ({ name }) => name
  },
  {
    name: "Kind",
    width: "120px",
    cell: ({ kind }) => <Badge>{kind === "plugin" ? "plugin" : "object"}</Badge>,
    sort: ({ kind }) => kind
  },
  { name: "Through", width: "minmax(0, 2fr)", wide: true, cell: ({ through }) => <Through through={through} /> }
]

const kinds = [
  ["", "Kind: all"],
  ["plugin", "Plugins"],
  ["configObject", "Objects"]
] as const

export const Library = () => {
  const { kind } = useParameters()
  const set = useSetParameters()
  const shown = kind === "plugin" || kind === "configObject" ? kind : undefined
  return (
    <div className="stack">
      <div className="row">
        <select
          className="input filter"
          aria-label="Kind"
          value={shown ?? ""}
          onChange={({ target }) => set({ kind: target.value === "" ? undefined : target.value })}
        >
          {kinds.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </div>
      <DataTable
        label="Library"
        columns={columns}
        queryKey={["library", shown]}
        load={(cursor, signal) =>
          client.users.library(
            {
              limit: 50,
              ...(shown === undefined ? {} : { kind: shown }),
              ...(cursor === undefined ? {} : { cursor })
            },
            { signal }
          )
        }
        idOf={(entry) => `${entry.kind} ${entry.id} ${entry.through.kind} ${entry.through.id ?? ""}`}
        to={(entry) => pathOf(entry)}
        empty={
          <Empty title="Nothing is shared with you yet">
            <NameLink to="/plugins">Plugins of the organization</NameLink>
          </Empty>
        }
      />
    </div>
  )
}
