/** Keeps what was used last, up to so many entries of so much size together. */
export const makeRemembered = <A>(entriesMax: number, sizeMax: number) => {
  const kept = new Map<string, { readonly value: A; readonly size: number }>()
  let total = 0

  const forget = (key: string): void => {
    total -= kept.get(key)?.size ?? 0
    kept.delete(key)
  }

  return {
    get: (key: string): A | undefined => {
      const entry = kept.get(key)
      if (entry === undefined) return undefined
      kept.delete(key)
      kept.set(key, entry)
      return entry.value
    },
    put: (key: string, value: A, size: number): void => {
      forget(key)
      if (size > sizeMax) return
      kept.set(key, { value, size })
      total += size
      for (const oldest of kept.keys()) {
        if (kept.size <= entriesMax && total <= sizeMax) break
        forget(oldest)
      }
    },
    forget
  }
}
