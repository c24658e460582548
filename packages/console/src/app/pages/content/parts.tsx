/** Small parts of the pages of content: a text to copy, figures, a picker of objects, and fields of forms. */
import type { ConnectorInstance } from "@orgplane/client"
import { useInfiniteQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { type ReactNode, useDeferredValue, useEffect, useId, useState } from "react"
import { type FormOptions, useForm } from "../../design/action.tsx"
import { copyText } from "../../design/copy.ts"
import type { DialogState } from "../../design/dialog.tsx"
import type { RowsPage } from "../../design/rows.ts"
import { Button, Failure, Field, Skeleton } from "../../design/ui.tsx"
import { useUnsaved } from "../../design/unsaved.ts"
import "./content.css"

/** A dialog about a connector as a whole. */
export interface ConnectorDialogProps extends DialogState {
  readonly instance: ConnectorInstance
}

export const Copied = ({ label, text }: { readonly label: string; readonly text: string }) => {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    if (await copyText(text)) setCopied(true)
  }
  return (
    <div className="copied">
      <pre className="code" tabIndex={0} role="group" aria-label={label}>
        {text}
      </pre>
      <div className="row">
        <Button onClick={() => void copy()}>
          {isCopied ? "Copied" : "Copy"}
          <span className="visually-hidden">: {label}</span>
        </Button>
      </div>
    </div>
  )
}

export const Figures = ({ rows }: { readonly rows: ReadonlyArray<readonly [name: string, value: number]> }) => (
  <div className="count-list">
    {rows.map(([name, value]) => (
      <div key={name}>
        <strong>{new Intl.NumberFormat("en").format(value)}</strong>
        <span>{name}</span>
      </div>
    ))}
  </div>
)

/** The first rows of many, and a button for more, so that a page does not render thousands at once. */
export const FirstRows = <Row,>({
  children,
  rows,
  size = 100
}: {
  readonly rows: ReadonlyArray<Row>
  readonly size?: number
  readonly children: (rows: ReadonlyArray<Row>) => ReactNode
}) => {
  const [count, setCount] = useState(size)
  return (
    <>
      {children(rows.slice(0, count))}
      {rows.length > count && (
        <div className="row">
          <Button onClick={() => setCount(count + size)}>Show more</Button>
          <span className="muted">
            {count} of {rows.length} are shown.
          </span>
        </div>
      )}
    </>
  )
}

const pickedPage = 20
/** Pages that a search without matches loads by itself, so that it cannot read a large code host to its end. */
const searchedPagesMax = 20

/** Chooses one of many objects, which a search finds. */
export const Picker = <Row,>({
  filter,
  idOf,
  isRequired = true,
  label,
  load,
  nameOf,
  onChange,
  queryKey,
  searches = true,
  value
}: {
  readonly label: string
  readonly queryKey: ReadonlyArray<unknown>
  readonly load: (
    input: { readonly limit: number; readonly cursor?: string; readonly q?: string },
    signal: AbortSignal
  ) => Promise<RowsPage<Row>>
  readonly idOf: (row: Row) => string
  readonly nameOf: (row: Row) => { readonly name: string; readonly detail?: ReactNode }
  readonly value: string | undefined
  readonly onChange: (id: string, row: Row) => void
  /** Whether `load` has the parameter `q`. Otherwise, the loaded rows are searched. */
  readonly searches?: boolean
  readonly filter?: (row: Row) => boolean
  readonly isRequired?: boolean
}) => {
  const [text, setText] = useState("")
  const search = useDeferredValue(text.trim())
  const id = useId()
  const sent = searches && search !== "" ? { q: search } : {}
  const query = useInfiniteQuery({
    queryKey: [...queryKey, sent],
    queryFn: ({ pageParam, signal }) =>
      load({ limit: pickedPage, ...sent, ...(pageParam === undefined ? {} : { cursor: pageParam }) }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined
  })
  const found = (query.data?.pages.flatMap(({ items }) => items) ?? []).filter(
    (row) =>
      (filter === undefined || filter(row)) &&
      (searches || nameOf(row).name.toLowerCase().includes(search.toLowerCase()))
  )
  // Several syncs can have imported the same revision.
  const rows = [...new Map(found.map((row) => [idOf(row), row])).values()]
  const { fetchNextPage, hasNextPage, isFetchNextPageError, isFetchingNextPage } = query
  const pages = query.data?.pages.length ?? 0
  const [started, setStarted] = useState({ search, pages })
  if (started.search !== search) setStarted({ search, pages })
  const isSearching =
    !searches &&
    search !== "" &&
    rows.length === 0 &&
    hasNextPage &&
    !isFetchNextPageError &&
    started.search === search &&
    pages < started.pages + searchedPagesMax
  useEffect(() => {
    if (isSearching && !isFetchingNextPage) void fetchNextPage()
  }, [fetchNextPage, isFetchingNextPage, isSearching])
  return (
    <div className="field" role="group" aria-labelledby={`${id}-label`}>
      <span id={`${id}-label`}>
        <strong>{label}</strong>
      </span>
      <input
        className="input"
        type="search"
        aria-label={`Search: ${label}`}
        placeholder="Search"
        maxLength={100}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") event.preventDefault()
        }}
      />
      {query.isError && <Failure error={query.error} retry={() => void query.refetch()} />}
      <div className="choice-list" role="radiogroup" aria-label={label} aria-busy={query.isPending || isSearching}>
        {query.isPending &&
          [1, 2, 3].map((each) => (
            <label key={each}>
              <Skeleton width="60%" />
            </label>
          ))}
        {rows.map((row) => {
          const { detail, name } = nameOf(row)
          return (
            <label key={idOf(row)}>
              <input
                type="radio"
                name={id}
                required={isRequired}
                checked={idOf(row) === value}
                onChange={() => onChange(idOf(row), row)}
              />
              <span>{name}</span>
              {detail !== undefined && <span className="muted">{detail}</span>}
            </label>
          )
        })}
        {query.data !== undefined && rows.length === 0 && (
          <p className="muted empty-choice" role="status">
            {isSearching
              ? "Searching…"
              : hasNextPage
                ? 'No match so far. Select "Load more" to search further.'
                : "Nothing matches."}
          </p>
        )}
      </div>
      {hasNextPage && (
        <div className="row">
          <Button
            kind="quiet"
            disabled={isFetchingNextPage}
            onClick={() => {
              setStarted({ search, pages })
              void fetchNextPage()
            }}
          >
            Load more
          </Button>
        </div>
      )}
    </div>
  )
}

/**
 * A form on a page. It keeps its input until the change has succeeded, and asks before the person leaves the page without
 * saving. If `submit` navigates, it passes `ignoreBlocker`.
 */
export const PageForm = ({
  action,
  changes,
  children,
  fields,
  isDirty,
  isDisabled = false,
  submit
}: FormOptions & {
  readonly action: string
  /** Whether there is something to save. Default: whether a field has been changed. */
  readonly isDirty?: boolean
  readonly isDisabled?: boolean
  readonly children: (problem: (field: string) => string | undefined) => ReactNode
}) => {
  const { failure, isBusy, onSubmit, problem } = useForm({ changes, fields, submit })
  const [hasInput, setHasInput] = useState(false)
  useUnsaved(isDirty ?? hasInput, false)
  return (
    <form className="stack page-form" onInput={() => setHasInput(true)} onSubmit={onSubmit}>
      {children(problem)}
      {failure !== undefined && <Failure error={failure} />}
      <div className="row">
        <Button kind="primary" type="submit" disabled={isBusy || isDisabled}>
          {action}
        </Button>
      </div>
    </form>
  )
}

/** Name and description, which most objects have. */
export const NameFields = ({
  description,
  name,
  nameMax = 255,
  onDescription,
  onName,
  problem
}: {
  readonly name: string
  readonly nameMax?: number
  readonly description: string
  readonly onName: (name: string) => void
  readonly onDescription: (description: string) => void
  readonly problem: (field: string) => string | undefined
}) => (
  <>
    <Field
      label="Name"
      required
      maxLength={nameMax}
      value={name}
      problem={problem("name")}
      onChange={({ target }) => onName(target.value)}
    />
    <Field
      label="Description (optional)"
      maxLength={2000}
      value={description}
      problem={problem("description")}
      onChange={({ target }) => onDescription(target.value)}
    />
  </>
)

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
