/** Removes several objects one after another, after a question that shows the effects. */
import { type ReactNode, useState } from "react"
import { reload } from "../../design/action.tsx"
import { attempt, RunProgress, Summary, useRun } from "../../design/bulk.tsx"
import { Dialog } from "../../design/dialog.tsx"
import { Impacts } from "../../design/impacts.tsx"
import { ReadsProvider, usePendingReads } from "../../design/pending.ts"
import { plural } from "../../design/text.ts"
import { Button } from "../../design/ui.tsx"

/** More calls than this take too long. */
const removedMax = 50

export const BulkRemove = <Row extends { readonly id: string }>({
  changes,
  clear,
  effectOf,
  nameOf,
  noun,
  plural: nouns,
  remove,
  rows
}: {
  readonly rows: ReadonlyArray<Row>
  readonly clear: () => void
  readonly noun: string
  readonly plural?: string
  /** The object in the list of those that were not removed. */
  readonly nameOf: (row: Row) => ReactNode
  readonly changes: ReadonlyArray<string>
  readonly remove: (row: Row) => Promise<unknown>
  /** How many members the removal of this object alone would affect. */
  readonly effectOf: (row: Row, signal: AbortSignal) => Promise<number>
}) => {
  const [isOpen, setOpen] = useState(false)
  const { isReading, report } = usePendingReads()
  const { outcome, progress, reset, run, stop } = useRun()
  const start = async () => {
    await run(rows, (row) => attempt(nameOf(row), () => remove(row)))
    await reload(changes)
  }
  const close = () => {
    // The summary follows.
    if (progress !== undefined) return stop()
    setOpen(false)
    if (outcome !== undefined) {
      reset()
      clear()
    }
  }
  const title = `Remove ${plural(rows.length, noun, nouns)}`
  return (
    <>
      <Button kind="danger" disabled={rows.length > removedMax} onClick={() => setOpen(true)}>
        {title}
      </Button>
      {rows.length > removedMax && <span className="muted">Select at most {removedMax}.</span>}
      <Dialog title={`${title}?`} isOpen={isOpen} onClose={close}>
        {outcome === undefined ? (
          <>
            <ReadsProvider value={report}>
              <Effects rows={rows} effectOf={effectOf} />
            </ReadsProvider>
            <RunProgress label="Removing" progress={progress} stop={stop} />
            <div className="row dialog-actions">
              <Button disabled={progress !== undefined} onClick={close}>
                Cancel
              </Button>
              <Button kind="danger" disabled={isReading || progress !== undefined} onClick={() => void start()}>
                {title}
              </Button>
            </div>
          </>
        ) : (
          <>
            <Summary
              outcome={outcome}
              done={`${plural(outcome.done, noun, nouns)} ${outcome.done === 1 ? "was" : "were"} removed.`}
            />
            <div className="row dialog-actions">
              <Button onClick={close}>Done</Button>
            </div>
          </>
        )}
      </Dialog>
    </>
  )
}

const Effects = <Row extends { readonly id: string }>({
  effectOf,
  rows
}: {
  readonly rows: ReadonlyArray<Row>
  readonly effectOf: (row: Row, signal: AbortSignal) => Promise<number>
}) => (
  <Impacts name="removal" rows={rows} impactOf={effectOf}>
    {(impacts) => (
      <p>
        {impacts.filter(([, affected]) => affected > 0).length} of {impacts.length} have an effect on members now. The
        removal of one alone affects up to {plural(Math.max(0, ...impacts.map(([, affected]) => affected)), "member")};
        together, they can affect more. It takes effect at once.
      </p>
    )}
  </Impacts>
)
