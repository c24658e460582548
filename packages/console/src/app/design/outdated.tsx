/** The notice above data that was loaded before, after a refresh of it has failed. */
import { OrgplaneError } from "@orgplane/client"
import { explain } from "./explain.ts"
import { useIsOnline } from "./online.ts"
import { Button, Notice, Time } from "./ui.tsx"
import "./outdated.css"

interface RefreshedQuery {
  readonly isRefetchError: boolean
  readonly isFetching: boolean
  readonly error: unknown
  /** When the data was loaded, in milliseconds. */
  readonly dataUpdatedAt: number
  readonly refetch: () => Promise<unknown>
}

export const Outdated = ({ query }: { readonly query: RefreshedQuery }) => {
  const isOnline = useIsOnline()
  // Without a network, the frame shows that the page is as it was loaded before.
  if (!query.isRefetchError || !isOnline) return null
  const { detail, title } = explain(query.error)
  const requestId = query.error instanceof OrgplaneError ? query.error.requestId : undefined
  return (
    <div className="outdated">
      <Notice title="Not up to date" tone="warn">
        <span>
          The last refresh failed. The data is from <Time at={new Date(query.dataUpdatedAt).toISOString()} />.
        </span>
        <small>
          {title}. {detail}
        </small>
        {requestId !== undefined && (
          <small>
            Request <code>{requestId}</code>
          </small>
        )}
        <div className="row">
          <Button disabled={query.isFetching} onClick={() => void query.refetch()}>
            Try again
          </Button>
        </div>
      </Notice>
    </div>
  )
}
