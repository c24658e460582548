/** The version that a form sends in `If-Match`, so that it does not overwrite changes that the person has not seen. */
import type { Call } from "@orgplane/client"
import { useState, useSyncExternalStore } from "react"
import { isServerDown, queries } from "../api/client.ts"

/** An object with its version; undefined if the response had none. */
export interface Versioned<A> {
  readonly item: A
  readonly version: string | undefined
}

/** Reads an object with the version that an update sends in `If-Match`. */
export const readVersioned = async <A>(call: Call<A>): Promise<Versioned<A>> => {
  const { data, response } = await call.withResponse()
  return { item: data, version: response.headers.get("etag") ?? undefined }
}

let loads = 0
const listeners = new Set<() => void>()

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Loads all data of the page again, at the request of the person after a 412 response. */
export const loadAgain = async (): Promise<void> => {
  await queries.invalidateQueries({ type: "active" })
  const failed = queries
    .getQueryCache()
    .findAll({ type: "active" })
    .find(({ state }) => state.status === "error" && isServerDown(state.error))
  if (failed !== undefined) throw failed.state.error
  loads += 1
  for (const listener of listeners) listener()
}

/** How often the person has loaded the current values. */
export const useLoads = (): number => useSyncExternalStore(subscribe, () => loads)

/**
 * The version that was current when the form opened. The page may load a later one while the form is open, which the form
 * uses only after the person has asked to load it.
 */
export const useFormVersion = (current: string | undefined): string | undefined => {
  const requested = useLoads()
  const [held, setHeld] = useState({ version: current, requested })
  // A version that was loaded before the request is also accepted.
  if (held.requested !== requested && held.version !== current) setHeld({ version: current, requested })
  return held.version
}

/**
 * The value of a field of such a form. When the current values are loaded at the request of the person, a field that the
 * person has not changed gets its current value: otherwise, saving it would undo the change of someone else.
 */
export const useFormField = <A>(current: A): readonly [value: A, set: (value: A) => void] => {
  const requested = useLoads()
  const [field, setField] = useState({ initial: current, value: current, requested })
  const isChanged = (one: A, other: A) => JSON.stringify(one) !== JSON.stringify(other)
  if (field.requested !== requested && isChanged(field.initial, current)) {
    const value = isChanged(field.value, field.initial) ? field.value : current
    setField({ initial: current, value, requested })
  }
  return [field.value, (value) => setField((before) => ({ ...before, value }))]
}
