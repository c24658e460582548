/**
 * A table that loads its pages as it is scrolled, and renders only the rows that are visible. The arrow keys, Home and End
 * move between rows, Enter opens one, and Space selects one. A sort needs all rows, so it loads up to `sortedMax` of them.
 */
import { useInfiniteQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual"
import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react"
import { ExportButton } from "./export-button.tsx"
import { NameLink } from "./name-link.tsx"
import { Outdated } from "./outdated.tsx"
import { type RowsPage, sorted, sortedMax } from "./rows.ts"
import { useSorting } from "./sorting.ts"
import { Button, Failure, Skeleton } from "./ui.tsx"
import { useRowFocus, withRow } from "./virtual-rows.ts"
import "./data-table.css"

export interface Column<Row> {
  readonly name: string
  /** A share of the width, as in `grid-template-columns`. */
  readonly width: string
  readonly cell: (row: Row) => ReactNode
  /** Hidden where the table is narrower than 640 pixels. */
  readonly wide?: boolean
  /** The value by which the rows are sorted. Without it, the column cannot be sorted. */
  readonly sort?: (row: Row) => string | number | null
}

export interface DataTableProps<Row> {
  readonly label: string
  readonly columns: ReadonlyArray<Column<Row>>
  readonly queryKey: ReadonlyArray<unknown>
  readonly load: (cursor: string | undefined, signal: AbortSignal) => Promise<RowsPage<Row>>
  readonly idOf: (row: Row) => string
  /** The page that a row opens. The first cell is a link to it, which can be opened in a new tab. */
  readonly to?: (row: Row) => string
  /** What a row without a page opens, such as a dialog. */
  readonly open?: (row: Row) => void
  readonly empty: ReactNode
  /** The rows before stay while those of another key are loaded, such as those of another search. */
  readonly keepsRows?: boolean
  /** Rows can be selected. Shown above the table while some are. */
  readonly bulk?: (rows: ReadonlyArray<Row>, clear: () => void) => ReactNode
  /** Loads the rows again at this interval, in milliseconds, while at most two pages are loaded. */
  readonly refetchInterval?: number
  /** Whether the table offers an export of its rows. Default: true; false if the page has an export of its own. */
  readonly isExported?: boolean
  /** True for the only table of a page: the URL contains how it is sorted. Default: false. */
  readonly sortsInUrl?: boolean
}

const rowHeight = 45
const polledPagesMax = 2
const placeholders = [1, 2, 3, 4, 5, 6]

/** The label as the name of a file, such as `members-of-platform`. */
const fileNameOf = (label: string) =>
  label
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
    .replaceAll(/^-|-$/g, "")

export const DataTable = <Row extends object>(props: DataTableProps<Row>) => {
  const { bulk, columns, empty, idOf, isExported = true, keepsRows, label, load, to } = props
  const { queryKey, refetchInterval, sortsInUrl = false } = props
  const navigate = useNavigate()
  const open = to === undefined ? props.open : (row: Row) => void navigate({ to: to(row) })
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => load(pageParam, signal),
    // An empty list says why it is empty, which can be another reason now.
    placeholderData: (before) =>
      keepsRows === true && before?.pages.some(({ items }) => items.length > 0) === true ? before : undefined,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    // Each refresh requests every loaded page, and many of them would exceed the rate limit.
    refetchInterval: ({ state }) =>
      (state.data?.pages.length ?? 1) > polledPagesMax ? false : (refetchInterval ?? false)
  })
  const sortable = columns.filter((column) => column.sort !== undefined).map(({ name }) => name)
  const [sorting, sortBy] = useSorting(sortable, sortsInUrl)
  const [selected, setSelected] = useState<ReadonlyMap<string, Row>>(new Map())
  const [focused, setFocused] = useState(0)
  const scroller = useRef<HTMLDivElement>(null)
  const focusRow = useRowFocus(scroller)

  const loaded = useMemo(() => query.data?.pages.flatMap(({ items }) => items) ?? [], [query.data])
  const sort = columns.find(({ name }) => name === sorting?.column)?.sort
  const rows = useMemo(
    () => (sort === undefined ? loaded : sorted(loaded, sort, sorting?.isDescending === true)),
    [loaded, sort, sorting?.isDescending]
  )
  // The row that had the focus may be gone.
  const current = Math.max(0, Math.min(focused, rows.length - 1))
  // Another function would make the virtualizer measure all rows again.
  const idOfRow = useRef(idOf)
  idOfRow.current = idOf
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10,
    // The focused row stays, so that Tab leads back to it.
    rangeExtractor: (range) => withRow(defaultRangeExtractor(range), rows.length === 0 ? -1 : current),
    getItemKey: useCallback(
      (index: number) => {
        const row = rows[index]
        return row === undefined ? index : idOfRow.current(row)
      },
      [rows]
    )
  })
  const visible = virtualizer.getVirtualItems()
  const last = virtualizer.range?.endIndex ?? 0
  const { fetchNextPage, hasNextPage, isFetchNextPageError, isFetchingNextPage, isPlaceholderData } = query
  const wantsMore = last >= rows.length - 30 || (sort !== undefined && rows.length < sortedMax)
  useEffect(() => {
    if (wantsMore && hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage()
  }, [fetchNextPage, hasNextPage, isFetchNextPageError, isFetchingNextPage, wantsMore])

  // Other rows are shown from the first one on.
  useEffect(() => {
    if (!isPlaceholderData) return
    setFocused(0)
    scroller.current?.scrollTo({ top: 0 })
  }, [isPlaceholderData])

  const toggle = (row: Row) => {
    const next = new Map(selected)
    if (!next.delete(idOf(row))) next.set(idOf(row), row)
    setSelected(next)
  }
  const clear = () => setSelected(new Map())
  const isAllSelected = rows.length > 0 && rows.every((row) => selected.has(idOf(row)))

  const move = (index: number) => {
    const target = Math.max(0, Math.min(rows.length - 1, index))
    setFocused(target)
    virtualizer.scrollToIndex(target)
    focusRow(target)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return
    const target = { ArrowDown: current + 1, ArrowUp: current - 1, Home: 0, End: rows.length - 1 }[event.key]
    const row = rows[current]
    if (target !== undefined) move(target)
    else if (event.key === "Enter" && row !== undefined) open?.(row)
    else if (event.key === " " && row !== undefined && bulk !== undefined) toggle(row)
    else return
    event.preventDefault()
  }

  if (query.isError && loaded.length === 0) return <Failure error={query.error} retry={() => void query.refetch()} />
  const isPollingPaused = refetchInterval !== undefined && (query.data?.pages.length ?? 0) > polledPagesMax
  const selects = bulk === undefined ? "" : "24px "
  const widths = (shown: ReadonlyArray<Column<Row>>) => selects + shown.map(({ width }) => width).join(" ")
  const grid = {
    "--columns": widths(columns),
    "--narrow-columns": widths(columns.filter(({ wide }) => wide !== true))
  } as React.CSSProperties
  return (
    <div className="stack">
      {bulk !== undefined && selected.size > 0 && (
        <div className="row bulk" role="toolbar" aria-label="Selected rows">
          <strong>{selected.size} selected</strong>
          {bulk([...selected.values()], clear)}
          <Button kind="quiet" onClick={clear}>
            Clear the selection
          </Button>
        </div>
      )}
      <Outdated query={query} />
      <div className="table" style={grid}>
        {/* Without rows, which can be focused, the keyboard scrolls the columns here. */}
        <div ref={scroller} className="table-scroller" tabIndex={rows.length === 0 ? 0 : -1}>
          <div
            role="table"
            aria-label={label}
            aria-rowcount={hasNextPage ? -1 : rows.length + 1}
            aria-busy={query.isPending || isPlaceholderData}
          >
            <div role="row" className="table-head" aria-rowindex={1}>
              {bulk !== undefined && (
                <div role="columnheader">
                  <input
                    type="checkbox"
                    aria-label="Select all loaded rows"
                    checked={isAllSelected}
                    onChange={() =>
                      isAllSelected ? clear() : setSelected(new Map(rows.map((row) => [idOf(row), row])))
                    }
                  />
                </div>
              )}
              {columns.map(({ name, sort: by, wide }) => (
                <div
                  role="columnheader"
                  key={name}
                  data-wide={wide}
                  aria-sort={sorting?.column !== name ? undefined : sorting.isDescending ? "descending" : "ascending"}
                >
                  {by === undefined ? (
                    name
                  ) : (
                    <button type="button" className="sort" onClick={() => sortBy(name)}>
                      {name}
                      <span aria-hidden="true">
                        {sorting?.column !== name ? "" : sorting.isDescending ? " ↓" : " ↑"}
                      </span>
                    </button>
                  )}
                </div>
              ))}
            </div>
            {query.isPending ? (
              placeholders.map((each) => (
                <div role="row" className="table-row" key={each}>
                  {bulk !== undefined && <div role="cell" />}
                  {columns.map(({ name, wide }) => (
                    <div role="cell" key={name} data-wide={wide}>
                      <Skeleton width="70%" />
                    </div>
                  ))}
                </div>
              ))
            ) : (
              <div role="rowgroup" className="table-body" style={{ height: virtualizer.getTotalSize() }}>
                {visible.map(({ index, key, start }) => {
                  const row = rows[index]
                  if (row === undefined) return null
                  return (
                    <div
                      role="row"
                      className="table-row"
                      key={key}
                      data-index={index}
                      aria-rowindex={index + 2}
                      aria-selected={bulk === undefined ? undefined : selected.has(idOf(row))}
                      tabIndex={index === current ? 0 : -1}
                      style={{ transform: `translateY(${start}px)` }}
                      onFocus={() => setFocused(index)}
                      onKeyDown={onKeyDown}
                      onClick={() => open?.(row)}
                      data-opens={open !== undefined}
                    >
                      {bulk !== undefined && (
                        <div role="cell">
                          <input
                            type="checkbox"
                            aria-label="Select this row"
                            tabIndex={-1}
                            checked={selected.has(idOf(row))}
                            onClick={(event) => event.stopPropagation()}
                            onChange={() => toggle(row)}
                          />
                        </div>
                      )}
                      {columns.map(({ cell, name, wide }, column) => (
                        <div role="cell" key={name} data-wide={wide}>
                          {column === 0 && to !== undefined ? (
                            <NameLink isOfRow to={to(row)}>
                              {cell(row)}
                            </NameLink>
                          ) : (
                            cell(row)
                          )}
                        </div>
                      ))}
                    </div>
                  )
                })}
              </div>
            )}
          </div>
        </div>
        {!query.isPending && rows.length === 0 && empty}
      </div>
      {sort !== undefined && hasNextPage && (
        <p className="muted" role="status">
          {rows.length < sortedMax
            ? `Loading all rows to sort them: ${rows.length} so far.`
            : `The first ${rows.length} rows are sorted. Use the search or a filter to find others.`}
        </p>
      )}
      {rows.length > 0 && (isExported || isPollingPaused) && (
        <div className="row">
          {isExported && (
            <ExportButton name={fileNameOf(label)} load={(cursor) => load(cursor, new AbortController().signal)} />
          )}
          {isPollingPaused && (
            <>
              <span className="muted">With this many rows loaded, the list is not refreshed automatically.</span>
              <Button kind="quiet" disabled={query.isFetching} onClick={() => void query.refetch()}>
                Refresh
              </Button>
            </>
          )}
        </div>
      )}
      {isFetchNextPageError && <Failure error={query.error} retry={() => void fetchNextPage()} />}
    </div>
  )
}
