/** A page with a list: a title, a search and filters whose values are in the URL, a table, and an export. */
import { Fragment, type ReactNode, useEffect, useState } from "react"
import { type Need, usePermitted } from "../api/permissions.ts"
import { useParameters, useSetParameters } from "../parameters.ts"
import { Allowed } from "./allowed.tsx"
import { type Column, DataTable } from "./data-table.tsx"
import { ExportButton } from "./export-button.tsx"
import type { RowsPage } from "./rows.ts"
import { Button, Empty, PageHeader, SearchInput } from "./ui.tsx"

/** The input of a list operation. The values of filters are added by their names. */
export interface ListInput {
  readonly limit: number
  readonly cursor?: string
  readonly q?: string
}

interface NamedFilter {
  /** The name in the URL and in the input of the operation. */
  readonly name: string
  readonly label: string
}

/** A filter with few values, which are all known. Other values in the URL are ignored. */
export interface SelectFilter extends NamedFilter {
  readonly options: ReadonlyArray<readonly [value: string, label: string]>
  /** What is shown without a value, such as "State: pending". Default: the label, and "all". */
  readonly none?: string
}

/** A filter with too many values to list, such as the plugins. Each value in the URL is sent to the API. */
export interface SearchFilter extends NamedFilter {
  /** Whether a value of the URL can be sent. Other values are ignored. */
  readonly isAllowed: (value: string) => boolean
  readonly field: (value: string | undefined, onChange: (value: string | undefined) => void) => ReactNode
  /** Explains why no row has the value. Shown if the list is empty. */
  readonly explainEmpty: (value: string) => ReactNode
}

export type Filter = SelectFilter | SearchFilter

export interface ListPageProps<Row> {
  readonly title: string
  readonly description: string
  /** The first part of the query's key, which invalidates it. */
  readonly name: string
  readonly columns: ReadonlyArray<Column<Row>>
  readonly load: (
    input: ListInput,
    signal: AbortSignal | undefined,
    filters: Readonly<Record<string, string>>
  ) => Promise<RowsPage<Row>>
  readonly idOf: (row: Row) => string
  /** The path of a row. */
  readonly to?: (row: Row) => string
  /** Whether the operation has the parameter `q`. */
  readonly searches?: boolean
  readonly actions?: ReactNode
  /** The permission that `actions`, and what `empty` proposes, need. */
  readonly creates?: Need | ReadonlyArray<Need>
  /** The permission that `bulk` needs. */
  readonly bulkPermission?: Need | ReadonlyArray<Need>
  /** What to do if there is nothing yet. */
  readonly empty: ReactNode
  readonly filters?: ReadonlyArray<Filter>
  readonly bulk?: (rows: ReadonlyArray<Row>, clear: () => void) => ReactNode
  readonly refetchInterval?: number
}

/** A title inside a sentence. Abbreviations such as API keep their capitals. */
const inSentence = (title: string) =>
  /^\p{Lu}{2}/u.test(title) ? title : title.charAt(0).toLowerCase() + title.slice(1)

const typingMilliseconds = 150
const pageSize = 50
const exportPageSize = 100

/** The search and the filters of the list that is shown, from the URL. */
const useListParameters = (filters: ReadonlyArray<Filter>) => {
  const parameters = useParameters()
  const set = useSetParameters()
  const values = Object.fromEntries(
    filters.flatMap((filter) => {
      const value = parameters[filter.name]
      if (value === undefined || value === "") return []
      const isAllowed =
        "field" in filter ? filter.isAllowed(value) : filter.options.some(([allowed]) => allowed === value)
      return isAllowed ? [[filter.name, value] as const] : []
    })
  )
  return { q: parameters["q"] ?? "", values, set }
}

const FilterField = ({
  filter,
  onChange,
  value
}: {
  readonly filter: Filter
  readonly value: string | undefined
  readonly onChange: (value: string | undefined) => void
}) =>
  "field" in filter ? (
    filter.field(value, onChange)
  ) : (
    <select
      className="input filter"
      aria-label={filter.label}
      value={value ?? ""}
      onChange={({ target }) => onChange(target.value === "" ? undefined : target.value)}
    >
      <option value="">{filter.none ?? `${filter.label}: all`}</option>
      {filter.options.map(([each, label]) => (
        <option key={each} value={each}>
          {label}
        </option>
      ))}
    </select>
  )

export const ListPage = <Row extends object>(props: ListPageProps<Row>) => {
  const {
    actions,
    bulk,
    bulkPermission,
    columns,
    creates,
    description,
    empty,
    filters = [],
    idOf,
    load,
    name,
    refetchInterval
  } = props
  const { searches, title, to } = props
  const { q, set, values } = useListParameters(filters)
  const canChange = usePermitted(bulkPermission)
  const [text, setText] = useState(q)
  const [known, setKnown] = useState(q)
  // The URL has changed. Unless the text in the box did it, something else has, such as a link.
  if (q !== known) {
    setKnown(q)
    if (q !== text.trim()) setText(q)
  }
  useEffect(() => {
    const next = text.trim()
    if (next === q) return
    const timer = setTimeout(() => set({ q: next === "" ? undefined : next }), typingMilliseconds)
    return () => clearTimeout(timer)
  })
  const isFiltered = q !== "" || Object.keys(values).length > 0
  const page = (limit: number, cursor: string | undefined, signal?: AbortSignal) =>
    load({ limit, ...(cursor === undefined ? {} : { cursor }), ...(q === "" ? {} : { q }) }, signal, values)
  const clear = () => {
    setText("")
    set({ q: undefined, ...Object.fromEntries(filters.map((filter) => [filter.name, undefined])) })
  }
  return (
    <>
      <PageHeader
        title={title}
        description={description}
        actions={actions === undefined ? undefined : <Allowed permission={creates}>{actions}</Allowed>}
      />
      <div className="row list-filters" role="search">
        {searches === true && <SearchInput label={`Search ${inSentence(title)}`} value={text} onChange={setText} />}
        {filters.map((filter) => (
          <FilterField
            key={filter.name}
            filter={filter}
            value={values[filter.name]}
            onChange={(value) => set({ [filter.name]: value })}
          />
        ))}
        <ExportButton name={name} load={(cursor) => page(exportPageSize, cursor)} />
      </div>
      <DataTable
        key={name}
        label={title}
        columns={columns}
        queryKey={[name, "list", q, values]}
        keepsRows
        // A small first page is shown early, and larger ones follow.
        load={(cursor, signal) => page(cursor === undefined ? pageSize : exportPageSize, cursor, signal)}
        idOf={idOf}
        isExported={false}
        sortsInUrl
        {...(bulk === undefined || canChange !== true ? {} : { bulk })}
        {...(refetchInterval === undefined ? {} : { refetchInterval })}
        {...(to === undefined ? {} : { to })}
        empty={
          isFiltered ? (
            <Empty title="Nothing matches">
              {filters.map((filter) => {
                const value = values[filter.name]
                return value !== undefined && "field" in filter ? (
                  <Fragment key={filter.name}>{filter.explainEmpty(value)}</Fragment>
                ) : null
              })}
              <Button onClick={clear}>Show all</Button>
            </Empty>
          ) : (
            <Empty title={`No ${inSentence(title)} yet`}>
              <Allowed permission={creates} instead={<p>Your role does not include creating any.</p>}>
                {empty}
              </Allowed>
            </Empty>
          )
        }
      />
    </>
  )
}
