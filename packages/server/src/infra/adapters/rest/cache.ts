/** A least-recently-used cache, limited by the number of entries and their total size. */
export const makeCache = <A>(entriesMax: number, sizeMax: number) => {
  const entries = new Map<string, { readonly value: A; readonly size: number }>()
  let total = 0

  const forget = (key: string): void => {
    total -= entries.get(key)?.size ?? 0
    entries.delete(key)
  }

  return {
    get: (key: string): A | undefined => {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      entries.delete(key)
      entries.set(key, entry)
      return entry.value
    },
    put: (key: string, value: A, size: number): void => {
      forget(key)
      if (size > sizeMax) return
      entries.set(key, { value, size })
      total += size
      for (const oldest of entries.keys()) {
        if (entries.size <= entriesMax && total <= sizeMax) break
        forget(oldest)
      }
    },
    forget
  }
}
