/** The version that a form changes: a change that the person has not seen is not overwritten. */
import { useState, useSyncExternalStore } from "react"
import { queries } from "../api/client.ts"

let loads = 0
const listeners = new Set<() => void>()

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Loads everything that the page shows, as the person asks after someone else has changed it. */
export const loadAgain = (): Promise<void> => {
  loads += 1
  for (const listener of listeners) listener()
  return queries.invalidateQueries({ type: "active" })
}

/**
 * The version that was current when the form opened. The page may load a later one while the form is open, which the form
 * uses only after the person has asked to load it.
 */
export const useHeldVersion = (current: string | undefined): string | undefined => {
  const requested = useSyncExternalStore(subscribe, () => loads)
  const [held, setHeld] = useState({ version: current, requested })
  // The next version counts as loaded on request, also if it arrived before.
  if (held.requested !== requested && held.version !== current) setHeld({ version: current, requested })
  return held.version
}
