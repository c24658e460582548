/** The edit distance of two words: how many letters are inserted, removed, replaced or swapped with their neighbor. */
export const editDistance = (from: string, to: string): number => {
  let beforeLast: ReadonlyArray<number> = []
  let last: ReadonlyArray<number> = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1]
      const edits = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1)
      )
      const isSwap = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      current.push(isSwap ? Math.min(edits, (beforeLast[column - 2] ?? 0) + 1) : edits)
    }
    beforeLast = last
    last = current
  }
  return last[to.length] ?? 0
}
