/** Parts of the consequences of a change, which a person reads before making it. */
import type { ReactNode } from "react"

/** Read once for each dialog, so that the consequences do not change while the person decides or the change runs. */
export const readOnce = { staleTime: 0, gcTime: 0, refetchOnWindowFocus: false, refetchOnReconnect: false } as const

const namedMax = 20

export interface NamedRow {
  readonly id: string
  readonly name: ReactNode
}

/** The first 20 of many. */
export const NamedItems = ({
  children,
  label,
  rows,
  total = rows.length
}: {
  readonly label: string
  readonly rows: ReadonlyArray<NamedRow>
  /** The number of all, of which `rows` can contain only the first. */
  readonly total?: number
  /** Items below the list. */
  readonly children?: ReactNode
}) => {
  const first = rows.slice(0, namedMax)
  return (
    <ul className="facts" aria-label={label}>
      {first.map(({ id, name }) => (
        <li key={id}>{name}</li>
      ))}
      {total > first.length && <li className="muted">{(total - first.length).toLocaleString("en")} more</li>}
      {children}
    </ul>
  )
}

/** The first 20 of many, with their total. Nothing if there are none. */
export const NamedList = ({
  label,
  rows,
  total
}: {
  readonly label: string
  readonly rows: ReadonlyArray<NamedRow>
  /** The number of all, of which `rows` can contain only the first. */
  readonly total: number
}) =>
  total === 0 ? null : (
    <>
      <p>
        {label}: {total.toLocaleString("en")}
      </p>
      <NamedItems label={label} rows={rows} total={total} />
    </>
  )
