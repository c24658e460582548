/** The messages while the browser is offline, and while the server does not respond. */
import { ServerError } from "@orgplane/client"
import { useEffect, useState } from "react"
import { isServerDown, queries } from "../api/client.ts"
import { useIsOnline } from "../design/online.ts"
import { Notice } from "../design/ui.tsx"

const retryMilliseconds = 5000
const retryMillisecondsMax = 300_000

/** The delay before the next attempt if the last response was that the server is not available. */
const useServerState = () => {
  const [retryAfter, setRetryAfter] = useState<number>()
  useEffect(
    () =>
      queries.getQueryCache().subscribe((event) => {
        if (event.type !== "updated") return
        if (event.action.type === "success") setRetryAfter(undefined)
        if (event.action.type === "error") {
          const error: unknown = event.action.error
          const asked = error instanceof ServerError ? (error.retryAfterMillis ?? 0) : 0
          setRetryAfter(
            isServerDown(error) ? Math.min(Math.max(asked, retryMilliseconds), retryMillisecondsMax) : undefined
          )
        }
      }),
    []
  )
  // What failed is tried again, so that the message goes away by itself.
  useEffect(() => {
    if (retryAfter === undefined) return
    const timer = setInterval(
      () => void queries.refetchQueries({ type: "active", predicate: ({ state }) => state.status === "error" }),
      retryAfter
    )
    return () => clearInterval(timer)
  }, [retryAfter])
  return retryAfter
}

export const Connection = () => {
  const isOnline = useIsOnline()
  const retryAfter = useServerState()
  if (!isOnline) {
    return (
      <Notice title="You are offline" tone="warn">
        <span>The page shows what was loaded before. It loads again when you are online.</span>
      </Notice>
    )
  }
  return retryAfter !== undefined ? (
    <Notice title="The server does not respond" tone="warn">
      <span>The page tries again every {Math.ceil(retryAfter / 1000)} seconds. What you typed stays.</span>
    </Notice>
  ) : null
}
