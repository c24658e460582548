/** A page with a list: a title, a search whose text is in the URL, and a table. */
import { useNavigate, useSearch } from "@tanstack/react-router"
import { type ReactNode, useDeferredValue, useEffect, useState } from "react"
import { type Column, DataTable } from "./data-table.tsx"
import { Button, Empty, PageHeader } from "./ui.tsx"

interface PageOf<Row> {
  readonly items: ReadonlyArray<Row>
  readonly nextCursor: string | null
}

export interface ListInput {
  readonly limit: number
  readonly cursor?: string
  readonly search?: string
}

export interface ListPageProps<Row> {
  readonly title: string
  readonly description: string
  readonly name: string
  readonly columns: ReadonlyArray<Column<Row>>
  readonly load: (input: ListInput, signal: AbortSignal) => Promise<PageOf<Row>>
  readonly idOf: (row: Row) => string
  /** The path of a row. */
  readonly to?: (row: Row) => string
  /** Whether the operation has a search. */
  readonly searches?: boolean
  readonly actions?: ReactNode
  /** What to do if there is nothing yet. */
  readonly empty: string
  readonly filters?: ReactNode
  /** Values of the filters, which are part of the query. */
  readonly filterKey?: ReadonlyArray<unknown>
}

const pageSize = 50

export const ListPage = <Row,>(props: ListPageProps<Row>) => {
  const { actions, columns, description, empty, filterKey = [], filters, idOf, load, name, searches, title, to } = props
  const parameters = useSearch({ strict: false }) as { readonly q?: string }
  const { q = "" } = parameters
  const navigate = useNavigate()
  const [text, setText] = useState(q)
  const search = useDeferredValue(text.trim())
  useEffect(() => {
    if (search !== q)
      void navigate({ to: ".", search: { ...parameters, q: search === "" ? undefined : search }, replace: true })
  }, [navigate, parameters, q, search])
  return (
    <>
      <PageHeader title={title} description={description} actions={actions} />
      {(searches === true || filters !== undefined) && (
        <div className="row list-filters" role="search">
          {searches === true && (
            <input
              className="input search"
              type="search"
              aria-label={`Search ${title.toLowerCase()}`}
              placeholder="Search"
              maxLength={100}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          )}
          {filters}
        </div>
      )}
      <DataTable
        label={title}
        columns={columns}
        queryKey={[name, "list", search, ...filterKey]}
        load={(cursor, signal) =>
          load(
            { limit: pageSize, ...(cursor === undefined ? {} : { cursor }), ...(search === "" ? {} : { search }) },
            signal
          )
        }
        idOf={idOf}
        {...(to === undefined ? {} : { open: (row: Row) => void navigate({ to: to(row) }) })}
        empty={
          search === "" ? (
            <Empty title={`No ${title.toLowerCase()} yet`}>
              <p>{empty}</p>
            </Empty>
          ) : (
            <Empty title="Nothing matches">
              <Button onClick={() => setText("")}>Clear the search</Button>
            </Empty>
          )
        }
      />
    </>
  )
}
