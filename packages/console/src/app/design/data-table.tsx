/**
 * A table that loads its pages as it is scrolled, and renders only the rows that are visible. The arrow keys, Home and End
 * move between rows, and Enter opens one.
 */
import { useInfiniteQuery } from "@tanstack/react-query"
import { useVirtualizer } from "@tanstack/react-virtual"
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react"
import { Empty, Failure, Skeleton } from "./ui.tsx"

export interface Column<Row> {
  readonly name: string
  /** A share of the width, as in `grid-template-columns`. */
  readonly width: string
  readonly cell: (row: Row) => ReactNode
  /** Hidden where the table is narrower than 640 pixels. */
  readonly wide?: boolean
}

interface PageOf<Row> {
  readonly items: ReadonlyArray<Row>
  readonly nextCursor: string | null
}

export interface DataTableProps<Row> {
  readonly label: string
  readonly columns: ReadonlyArray<Column<Row>>
  readonly queryKey: ReadonlyArray<unknown>
  readonly load: (cursor: string | undefined, signal: AbortSignal) => Promise<PageOf<Row>>
  readonly idOf: (row: Row) => string
  readonly open?: (row: Row) => void
  readonly empty: ReactNode
}

const rowHeight = 45
const placeholders = [1, 2, 3, 4, 5, 6]

export const DataTable = <Row,>({ columns, empty, idOf, label, load, open, queryKey }: DataTableProps<Row>) => {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => load(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined
  })
  const rows = query.data?.pages.flatMap(({ items }) => items) ?? []
  const scroller = useRef<HTMLDivElement>(null)
  const [focused, setFocused] = useState(0)
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10,
    getItemKey: (index) => idOf(rows[index] as Row)
  })
  const visible = virtualizer.getVirtualItems()
  const last = visible.at(-1)?.index ?? 0
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = query
  useEffect(() => {
    if (last >= rows.length - 20 && hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [fetchNextPage, hasNextPage, isFetchingNextPage, last, rows.length])

  const move = (index: number) => {
    const target = Math.max(0, Math.min(rows.length - 1, index))
    setFocused(target)
    virtualizer.scrollToIndex(target)
    requestAnimationFrame(() => {
      scroller.current?.querySelector<HTMLElement>(`[data-index="${target}"]`)?.focus()
    })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const target = { ArrowDown: focused + 1, ArrowUp: focused - 1, Home: 0, End: rows.length - 1 }[event.key]
    if (target !== undefined) {
      event.preventDefault()
      move(target)
    }
    const row = rows[focused]
    if (event.key === "Enter" && row !== undefined && event.target === event.currentTarget) open?.(row)
  }

  if (query.isError && rows.length === 0) return <Failure error={query.error} retry={() => void query.refetch()} />
  const template = columns.map(({ width }) => width).join(" ")
  const grid = { "--columns": template } as React.CSSProperties
  return (
    <div className="table" style={grid}>
      <div ref={scroller} className="table-scroller" tabIndex={-1}>
        <div
          role="table"
          aria-label={label}
          aria-rowcount={hasNextPage ? -1 : rows.length + 1}
          aria-busy={query.isPending}
        >
          <div role="row" className="table-head" aria-rowindex={1}>
            {columns.map(({ name, wide }) => (
              <div role="columnheader" key={name} data-wide={wide}>
                {name}
              </div>
            ))}
          </div>
          {query.isPending ? (
            placeholders.map((each) => (
              <div role="row" className="table-row" key={each}>
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
                const row = rows[index] as Row
                return (
                  <div
                    role="row"
                    className="table-row"
                    key={key}
                    data-index={index}
                    aria-rowindex={index + 2}
                    tabIndex={index === focused ? 0 : -1}
                    style={{ transform: `translateY(${start}px)` }}
                    onFocus={() => setFocused(index)}
                    onKeyDown={onKeyDown}
                    onClick={() => open?.(row)}
                    data-opens={open !== undefined}
                  >
                    {columns.map(({ cell, name, wide }) => (
                      <div role="cell" key={name} data-wide={wide}>
                        {cell(row)}
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
      {query.isError && rows.length > 0 && <Failure error={query.error} retry={() => void fetchNextPage()} />}
    </div>
  )
}

export const NothingYet = ({ children, title }: { readonly title: string; readonly children?: ReactNode }) => (
  <Empty title={title}>{children}</Empty>
)
