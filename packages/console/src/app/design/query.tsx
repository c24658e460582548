/** What is shown while something is read, and if it cannot be read. */
import type { UseQueryResult } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { statusOf } from "../api/client.ts"
import { Outdated } from "./outdated.tsx"
import { useIsConfirmation, useReportRead } from "./pending.ts"
import { Failure, Loading, Notice, Skeleton } from "./ui.tsx"

/** Instead of the consequences, for a person who can make a change without the permission to read them. */
export const ConsequencesForbidden = ({ of = "" }: { readonly of?: string }) => (
  <Notice tone="warn" title={`The consequences${of} cannot be shown`}>
    <span>You are not allowed to read the consequences, but you can still make the change.</span>
  </Notice>
)

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
  const isConfirmation = useIsConfirmation()
  const isForbidden = statusOf(query.error) === 403
  // A form keeps what was read before, and with it what the person has typed. A confirmation keeps it only if the object no longer exists.
  const isKept = query.data !== undefined && (!isConfirmation || statusOf(query.error) === 404)
  const isFailed = query.isError && !isKept
  useReportRead(query.isPending || (isFailed && !isForbidden))
  if (isFailed && isConfirmation && isForbidden) return <ConsequencesForbidden />
  if (query.data !== undefined && !isFailed) {
    return (
      <>
        {!isConfirmation && <Outdated query={query} />}
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
