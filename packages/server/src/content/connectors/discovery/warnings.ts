/** Collects warnings without duplicates. Beyond `max`, the last warning is the number of omitted ones. */
export const makeWarnings = (max: number) => {
  const messages = new Set<string>()
  return {
    add: (warning: string): void => {
      messages.add(warning)
    },
    list: (): ReadonlyArray<string> => {
      const all = [...messages]
      return all.length <= max ? all : [...all.slice(0, max - 1), `and ${all.length - max + 1} more`]
    }
  }
}

export type Warnings = ReturnType<typeof makeWarnings>
