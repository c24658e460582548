/** The number of letters that are inserted, removed, replaced or swapped between two words. */
const editDistance = (from: string, to: string): number => {
  let beforeLast: ReadonlyArray<number> = []
  let last: ReadonlyArray<number> = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1]
      const isSwap = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      current.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + (isSame ? 0 : 1),
          isSwap ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY
        )
      )
    }
    beforeLast = last
    last = current
  }
  return last[to.length] ?? 0
}

/** Whether a word is a typo of another: at most one letter in three differs, but always one. */
export const isTypo = (word: string, of: string): boolean => {
  const [typed, name] = [word.replace(/^-+/u, ""), of.replace(/^-+/u, "")]
  const distance = editDistance(typed, name)
  return distance <= Math.max(1, Math.floor(Math.min(typed.length, name.length) / 3)) && typed.length > 1
}
