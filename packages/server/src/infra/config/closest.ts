/** Edit distance in which a swap of neighbors counts as one edit. */
const editDistance = (from: string, to: string): number => {
  let beforeLast: ReadonlyArray<number> = []
  let last = Array.from({ length: to.length + 1 }, (_, column) => column)
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

/** The known name that a mistyped one is meant to be: at most a third of its letters differ, and no other is as close. */
export const closest = (name: string, known: ReadonlyArray<string>): string | undefined => {
  const near = known
    .map((candidate) => ({ candidate, distance: editDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= Math.min(3, Math.floor(candidate.length / 3)))
    .toSorted((left, right) => left.distance - right.distance)
  return near[0] !== undefined && near[0].distance !== near[1]?.distance ? near[0].candidate : undefined
}
