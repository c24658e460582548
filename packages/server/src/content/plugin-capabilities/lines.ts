/** Characters that are searched for line numbers of one file. Later elements get line 1. */
const searchedMax = 20_000_000

/** Line numbers in a text, from 1. */
export const makeLines = (text: string) => {
  let starts: Array<number> | undefined
  let searched = 0
  const at = (index: number): number => {
    starts ??= [...text.matchAll(/\n/gu)].map((match) => match.index)
    let [low, high] = [0, starts.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) < index) low = middle + 1
      else high = middle
    }
    return low + 1
  }
  /** The line of the first mention of a value or name; 1 if it is written in another way. */
  const of = (mention: string): number => {
    if (mention === "" || searched > searchedMax) return 1
    const quoted = text.indexOf(JSON.stringify(mention))
    const index = quoted === -1 ? text.indexOf(mention) : quoted
    searched += index === -1 ? text.length * 2 : quoted === -1 ? text.length + index : index
    return index === -1 ? 1 : at(index)
  }
  return { at, of }
}
export type Lines = ReturnType<typeof makeLines>
