/** The messages while the browser is offline, and while the server does not respond. */
import { onlineManager } from "@tanstack/react-query"
import { useEffect, useState, useSyncExternalStore } from "react"
import { queries, statusOf } from "../api/client.ts"
import { Notice } from "../design/ui.tsx"

const subscribe = (listener: () => void) => onlineManager.subscribe(listener)

/** Whether the last answer was that the server is not available. Any later success ends it. */
const useServerState = () => {
  const [isDown, setDown] = useState(false)
  useEffect(
    () =>
      queries.getQueryCache().subscribe((event) => {
        if (event.type !== "updated") return
        if (event.action.type === "success") setDown(false)
        if (event.action.type === "error") {
          const status = statusOf(event.action.error)
          setDown(status === undefined || status === 502 || status === 503 || status === 504)
        }
      }),
    []
  )
  // What failed is tried again, so that the message goes away by itself.
  useEffect(() => {
    if (!isDown) return
    const timer = setInterval(
      () => void queries.refetchQueries({ type: "active", predicate: ({ state }) => state.status === "error" }),
      5000
    )
    return () => clearInterval(timer)
  }, [isDown])
  return isDown
}

export const Connection = () => {
  const isOnline = useSyncExternalStore(subscribe, () => onlineManager.isOnline())
  const isDown = useServerState()
  if (!isOnline) {
    return (
      <Notice title="You are offline" tone="warn">
        <span>The page shows what was loaded before. It loads again when you are online.</span>
      </Notice>
    )
  }
  return isDown ? (
    <Notice title="The server does not respond" tone="warn">
      <span>The page tries again every five seconds. What you typed stays.</span>
    </Notice>
  ) : null
}
