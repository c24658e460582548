/** A page about one object. It has a title for screen readers also while the object is read, and if it cannot be read. */
import type { UseQueryResult } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { Shown } from "../../design/query.tsx"

export const Loaded = <A,>({
  children,
  query,
  title
}: {
  /** What the page shows, such as "Plugin". */
  readonly title: string
  readonly query: UseQueryResult<A>
  readonly children: (value: A) => ReactNode
}) => (
  <>
    {query.data === undefined && <h1 className="visually-hidden">{title}</h1>}
    <Shown query={query} lines={8}>
      {children}
    </Shown>
  </>
)
