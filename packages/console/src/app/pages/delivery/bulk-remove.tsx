/** Removes several objects one after another, after a question that shows the effects. */
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { reload } from "../../design/action.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { Shown } from "../../design/query.tsx"
import { plural } from "../../design/text.ts"
import { notify } from "../../design/toast.tsx"
import { Button } from "../../design/ui.tsx"

/** More calls than this take too long. */
const removedMax = 50

/** How many objects of a selection are simulated one by one. */
const simulatedMax = 20

export const BulkRemove = <Row extends { readonly id: string }>({
  changes,
  clear,
  effectOf,
  noun,
  plural: nouns,
  remove,
  rows
}: {
  readonly rows: ReadonlyArray<Row>
  readonly clear: () => void
  readonly noun: string
  readonly plural?: string
  readonly changes: ReadonlyArray<string>
  readonly remove: (row: Row) => Promise<unknown>
  /** How many members the removal of this object alone would affect. */
  readonly effectOf: (row: Row, signal: AbortSignal) => Promise<number>
}) => {
  const [isOpen, setOpen] = useState(false)
  const work = async () => {
    const failures: Array<unknown> = []
    for (const row of rows) {
      try {
        await remove(row)
      } catch (error) {
        failures.push(error)
      }
    }
    const removed = rows.length - failures.length
    if (failures.length === 0) notify(`Removed ${plural(removed, noun, nouns)}.`)
    else notify(`Removed ${removed} of ${plural(rows.length, noun, nouns)}. The first failure:`, "bad", failures[0])
    clear()
    void reload(changes)
  }
  const title = `Remove ${plural(rows.length, noun, nouns)}`
  return (
    <>
      <Button kind="danger" disabled={rows.length > removedMax} onClick={() => setOpen(true)}>
        {title}
      </Button>
      {rows.length > removedMax && <span className="muted">Select at most {removedMax}.</span>}
      <Confirm title={`${title}?`} action={title} isOpen={isOpen} onClose={() => setOpen(false)} confirm={work}>
        <Effects rows={rows} effectOf={effectOf} />
      </Confirm>
    </>
  )
}

const Effects = <Row extends { readonly id: string }>({
  effectOf,
  rows
}: {
  readonly rows: ReadonlyArray<Row>
  readonly effectOf: (row: Row, signal: AbortSignal) => Promise<number>
}) => {
  const query = useQuery({
    queryKey: ["bulk-effects", ...rows.map(({ id }) => id)],
    queryFn: async ({ signal }) => {
      const affected: Array<number> = []
      for (const row of rows.slice(0, simulatedMax)) affected.push(await effectOf(row, signal))
      return affected
    },
    staleTime: 0,
    gcTime: 0
  })
  return (
    <Shown query={query} lines={2}>
      {(affected) => (
        <p>
          {affected.filter((each) => each > 0).length} of {affected.length} have an effect on members now. The removal
          of one alone affects up to {plural(Math.max(0, ...affected), "member")}; together, they can affect more.
          {rows.length > simulatedMax && ` Only the first ${simulatedMax} were checked.`} It takes effect at once.
        </p>
      )}
    </Shown>
  )
}
