/** What is shown while something is read, and if it cannot be read. */
import type { UseQueryResult } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { statusOf } from "../api/client.ts"
import { Outdated } from "./outdated.tsx"
import { useReportRead } from "./pending.ts"
import { Failure, Loading, Skeleton } from "./ui.tsx"

export const Shown = <A,>({
  children,
  lines = 3,
  query
}: {
  readonly query: UseQueryResult<A>
  readonly children: (value: A) => ReactNode
  /** The height that is reserved, in lines, so that the page does not move. */
  readonly lines?: number
}) => {
  // Without the permission to read the consequences of a change, the change itself is still possible.
  useReportRead(query.data === undefined && statusOf(query.error) !== 403)
  if (query.data !== undefined) {
    return (
      <>
        <Outdated query={query} />
        {children(query.data)}
      </>
    )
  }
  if (query.isError) return <Failure error={query.error} retry={() => void query.refetch()} />
  return (
    <Loading>
      {Array.from({ length: lines }, (_, index) => (
        <Skeleton key={index} width={index === lines - 1 ? "60%" : "100%"} />
      ))}
    </Loading>
  )
}
