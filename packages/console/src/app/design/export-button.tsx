/** The export of a list. */
import { useState } from "react"
import { saveCsv } from "./download.ts"
import { allRows, exportedMax, type RowsPage } from "./rows.ts"
import { notify } from "./toast.tsx"
import { Button } from "./ui.tsx"

/** Saves all rows of a list as CSV. */
export const ExportButton = <Row extends object>({
  load,
  name
}: {
  readonly name: string
  readonly load: (cursor: string | undefined) => Promise<RowsPage<Row>>
}) => {
  const [count, setCount] = useState<number>()
  const save = async () => {
    setCount(0)
    try {
      const { isComplete, rows } = await allRows(load, setCount)
      saveCsv(`${name}.csv`, rows)
      if (!isComplete) notify(`The file contains the first ${exportedMax} rows.`, "warn")
    } catch (error) {
      notify("The export failed.", "bad", error)
    }
    setCount(undefined)
  }
  return (
    <Button kind="quiet" disabled={count !== undefined} onClick={() => void save()}>
      {count === undefined ? "Export CSV" : `Exporting, ${count} rows`}
    </Button>
  )
}
