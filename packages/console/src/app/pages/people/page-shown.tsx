/** The page of an object: the title of its kind while it is read, and if it cannot be read. */
import type { UseQueryResult } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { Shown } from "../../design/query.tsx"
import { PageHeader } from "../../design/ui.tsx"

export const PageShown = <A,>({
  children,
  query,
  title
}: {
  readonly query: UseQueryResult<A>
  /** Such as "Team". */
  readonly title: string
  readonly children: (value: A) => ReactNode
}) => (
  <>
    {query.data === undefined && <PageHeader title={title} />}
    <Shown query={query} lines={8}>
      {children}
    </Shown>
  </>
)
