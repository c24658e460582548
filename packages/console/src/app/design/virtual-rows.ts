/** Rows of which only the visible ones are in the page: the focus moves to rows that are not there yet. */
import { type RefObject, useEffect, useRef } from "react"

/** The indexes of the rows, with one more. */
export const withRow = (indexes: ReadonlyArray<number>, index: number): Array<number> =>
  index < 0 || indexes.includes(index) ? [...indexes] : [...indexes, index].sort((a, b) => a - b)

/** Focuses the row with an index (`data-index`) as soon as it is rendered. */
export const useRowFocus = (container: RefObject<HTMLElement | null>): ((index: number) => void) => {
  const wanted = useRef<number>(undefined)
  const tryFocus = () => {
    const row = container.current?.querySelector<HTMLElement>(`[data-index="${wanted.current}"]`)
    if (wanted.current === undefined || row === null || row === undefined) return
    wanted.current = undefined
    row.focus({ preventScroll: true })
  }
  // Scrolling renders again.
  useEffect(tryFocus)
  return (index) => {
    wanted.current = index
    tryFocus()
  }
}
