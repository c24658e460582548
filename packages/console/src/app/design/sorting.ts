/** The order of the rows of a table: in the URL for the table of a page, so that a link and Back restore it. */
import { useState } from "react"
import { useParameters, useSetParameters } from "../parameters.ts"

export interface Sorting {
  readonly column: string
  readonly isDescending: boolean
}

const nextSorting = (column: string, current: Sorting | undefined): Sorting | undefined => {
  if (current?.column !== column) return { column, isDescending: false }
  return current.isDescending ? undefined : { column, isDescending: true }
}

/** `Name` as ascending, `-Name` as descending; undefined if there is no such column. */
const sortingOf = (text: string | undefined, columns: ReadonlyArray<string>): Sorting | undefined => {
  if (text === undefined) return undefined
  if (columns.includes(text)) return { column: text, isDescending: false }
  const column = text.slice(1)
  return text.startsWith("-") && columns.includes(column) ? { column, isDescending: true } : undefined
}

/** The sorting by one of the columns, and a function that sorts by a column, in the other direction, or not at all. */
export const useSorting = (
  columns: ReadonlyArray<string>,
  isInUrl: boolean
): readonly [sorting: Sorting | undefined, sortBy: (column: string) => void] => {
  const [local, setLocal] = useState<Sorting>()
  const { sort } = useParameters()
  const set = useSetParameters()
  if (!isInUrl) return [local, (column) => setLocal((current) => nextSorting(column, current))]
  const sorting = sortingOf(sort, columns)
  const sortBy = (column: string) => {
    const next = nextSorting(column, sorting)
    set({ sort: next === undefined ? undefined : `${next.isDescending ? "-" : ""}${next.column}` })
  }
  return [sorting, sortBy]
}
