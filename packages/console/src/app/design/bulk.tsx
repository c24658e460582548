/** Changes of many objects with one request each: one after another, with progress and a summary of what failed. */
import { OrgplaneError } from "@orgplane/client"
import { type ReactNode, useEffect, useRef, useState } from "react"
import { reload } from "./action.tsx"
import { Dialog } from "./dialog.tsx"
import { Progress } from "./facts.tsx"
import { ReadsProvider, usePendingReads } from "./pending.ts"
import { plural } from "./text.ts"
import { notify } from "./toast.tsx"
import { Button, Notice } from "./ui.tsx"

export interface Problem {
  readonly name: ReactNode
  readonly message: string
}

export interface Outcome {
  readonly done: number
  readonly problems: ReadonlyArray<Problem>
  /** True if the person stopped it before all were attempted. */
  readonly isStopped?: boolean
}

/** A problem with the ID of the request that reported it, by which the operator finds it in the log. */
export const withRequest = (message: string, requestId: string | undefined): string =>
  requestId === undefined ? message : `${message} (request ${requestId})`

export const messageOf = (error: unknown): string => {
  if (!(error instanceof OrgplaneError)) return String(error)
  return error.status === undefined ? "The server could not be reached." : withRequest(error.message, error.requestId)
}

const problemsShownMax = 50

export const Problems = ({ problems }: { readonly problems: ReadonlyArray<Problem> }) => (
  <ul className="facts" aria-label="Problems">
    {problems.slice(0, problemsShownMax).map(({ message, name }, index) => (
      <li key={index}>
        <strong>{name}</strong>: {message}
      </li>
    ))}
    {problems.length > problemsShownMax && (
      <li className="muted">{problems.length - problemsShownMax} more are not shown.</li>
    )}
  </ul>
)

export interface RunState {
  readonly value: number
  readonly total: number
}

/**
 * Runs changes. It stops before the next one when the page closes or the person stops it: the server may have made a change
 * whose request is canceled.
 */
export const useRun = () => {
  const [progress, setProgress] = useState<RunState>()
  const [outcome, setOutcome] = useState<Outcome>()
  const controller = useRef<AbortController>(null)
  useEffect(() => () => controller.current?.abort(), [])

  const run = async <Item,>(
    items: ReadonlyArray<Item>,
    /** Changes one or several objects, and returns what failed. */
    work: (item: Item) => Promise<Outcome>
  ): Promise<Outcome> => {
    const abort = new AbortController()
    controller.current = abort
    setOutcome(undefined)
    setProgress({ value: 0, total: items.length })
    let result: Outcome = { done: 0, problems: [] }
    for (const [index, item] of items.entries()) {
      if (abort.signal.aborted) {
        result = { ...result, isStopped: true }
        break
      }
      const next = await work(item)
      result = { done: result.done + next.done, problems: [...result.problems, ...next.problems] }
      setProgress({ value: index + 1, total: items.length })
    }
    setProgress(undefined)
    setOutcome(result)
    return result
  }
  return { progress, outcome, run, stop: () => controller.current?.abort(), reset: () => setOutcome(undefined) }
}

/** A run in a dialog, which stays open with the summary. The selection is kept until it closes. */
export const useRunDialog = (clear: () => void) => {
  const [isOpen, setOpen] = useState(false)
  const { outcome, progress, reset, run, stop } = useRun()
  const finish = () => {
    reset()
    clear()
  }
  const close = () => {
    // The summary follows.
    if (progress !== undefined) return stop()
    setOpen(false)
    if (outcome !== undefined) finish()
  }
  return { close, finish, isOpen, open: () => setOpen(true), outcome, progress, run, stop }
}

/** The reason for which more rows cannot be changed. */
export const SelectAtMost = ({ count, max }: { readonly count: number; readonly max: number }) =>
  count > max ? <span className="muted">Select at most {max}.</span> : null

/** Runs a change of one object. */
export const attempt = async (name: ReactNode, work: () => Promise<unknown>): Promise<Outcome> => {
  try {
    await work()
    return { done: 1, problems: [] }
  } catch (error) {
    return { done: 0, problems: [{ name, message: messageOf(error) }] }
  }
}

export const RunProgress = ({
  label,
  progress,
  stop
}: {
  readonly label: string
  readonly progress: RunState | undefined
  readonly stop: () => void
}) =>
  progress === undefined ? null : (
    <div className="row">
      <Progress label={label} {...progress} />
      <Button kind="quiet" onClick={stop}>
        Stop
      </Button>
    </div>
  )

export const Summary = ({ done, outcome }: { readonly outcome: Outcome; readonly done: string }) => (
  <Notice tone={outcome.problems.length === 0 && outcome.isStopped !== true ? "good" : "warn"} title={done}>
    {outcome.isStopped === true && <span>You stopped before the others were attempted.</span>}
    {outcome.problems.length > 0 && (
      <>
        <span>{outcome.problems.length} failed and were not changed:</span>
        <Problems problems={outcome.problems} />
      </>
    )}
  </Notice>
)

/** More rows than this take too long. */
const rowsMax = 500

/**
 * Changes the selected rows one after another. With `consequences`, a dialog shows them first, and the summary at the end.
 * Without, the button starts the change at once, and a dialog opens only for the rows that failed.
 */
export const BulkButton = <Row,>({
  action,
  changes,
  clear,
  consequences,
  done,
  isDangerous = false,
  label = action,
  max = rowsMax,
  nameOf,
  nouns: [one, many],
  rows,
  title: givenTitle,
  work
}: {
  /** A verb, such as "Remove". The dialog and its button add the number of rows. */
  readonly action: string
  /** The participle of the verb, such as "removed". */
  readonly done: string
  /** The button. Default: `action`. */
  readonly label?: string
  /** The dialog and its button. Default: `action` and the number of rows. */
  readonly title?: string
  readonly isDangerous?: boolean
  readonly nouns: readonly [one: string, many: string]
  readonly rows: ReadonlyArray<Row>
  readonly max?: number
  readonly clear: () => void
  /** The row in the list of those that failed. */
  readonly nameOf: (row: Row) => ReactNode
  readonly work: (row: Row) => Promise<unknown>
  /** First parts of the keys of queries that are loaded again. */
  readonly changes: ReadonlyArray<string>
  readonly consequences?: ReactNode
}) => {
  const { isReading, reads } = usePendingReads()
  const { close, finish, isOpen, open, outcome, progress, run, stop } = useRunDialog(clear)
  const summaryOf = (count: number) => `${plural(count, one, many)} ${count === 1 ? "was" : "were"} ${done}.`
  const start = async () => {
    const result = await run(rows, (row) => attempt(nameOf(row), () => work(row)))
    await reload(changes)
    return result
  }
  const startAtOnce = async () => {
    const result = await start()
    if (result.problems.length > 0 || result.isStopped === true) return open()
    notify(summaryOf(result.done))
    finish()
  }
  const title = givenTitle ?? `${action} ${plural(rows.length, one, many)}`
  const isAtOnce = consequences === undefined
  return (
    <>
      <Button
        kind={isDangerous ? "danger" : "plain"}
        disabled={progress !== undefined || rows.length === 0 || rows.length > max}
        onClick={() => (isAtOnce ? void startAtOnce() : open())}
      >
        {isAtOnce && progress !== undefined ? `${progress.value} of ${progress.total}` : label}
      </Button>
      <SelectAtMost count={rows.length} max={max} />
      <Dialog title={title} isOpen={isOpen} onClose={close}>
        {outcome === undefined ? (
          <>
            <ReadsProvider value={reads}>{consequences}</ReadsProvider>
            <RunProgress label={title} progress={progress} stop={stop} />
            <div className="row dialog-actions">
              <Button disabled={progress !== undefined} onClick={close}>
                Cancel
              </Button>
              <Button
                kind={isDangerous ? "danger" : "primary"}
                disabled={isReading || progress !== undefined}
                onClick={() => void start()}
              >
                {title}
              </Button>
            </div>
          </>
        ) : (
          <>
            <Summary outcome={outcome} done={summaryOf(outcome.done)} />
            <div className="row dialog-actions">
              <Button onClick={close}>Done</Button>
            </div>
          </>
        )}
      </Dialog>
    </>
  )
}
