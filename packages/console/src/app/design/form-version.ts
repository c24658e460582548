/** The version that a form sends in `If-Match`, so that it does not overwrite changes that the person has not seen. */
import { useState, useSyncExternalStore } from "react"
import { queries } from "../api/client.ts"

let loads = 0
const listeners = new Set<() => void>()

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Loads all data of the page again, at the request of the person after a 412 response. */
export const loadAgain = (): Promise<void> => {
  loads += 1
  for (const listener of listeners) listener()
  return queries.invalidateQueries({ type: "active" })
}

/**
 * The version that was current when the form opened. The page may load a later one while the form is open, which the form
 * uses only after the person has asked to load it.
 */
export const useFormVersion = (current: string | undefined): string | undefined => {
  const requested = useSyncExternalStore(subscribe, () => loads)
  const [held, setHeld] = useState({ version: current, requested })
  // A version that was loaded before the request is also accepted.
  if (held.requested !== requested && held.version !== current) setHeld({ version: current, requested })
  return held.version
}
