/** Changes of many objects with one request each: one after another, with progress and a summary of what failed. */
import { OrgplaneError } from "@orgplane/client"
import { type ReactNode, useEffect, useRef, useState } from "react"
import { Progress } from "./facts.tsx"
import { Button, Notice } from "./ui.tsx"

export interface Problem {
  readonly name: ReactNode
  readonly message: string
}

export interface Outcome {
  readonly done: number
  readonly problems: ReadonlyArray<Problem>
}

export const messageOf = (error: unknown): string => {
  if (!(error instanceof OrgplaneError)) return String(error)
  return error.status === undefined ? "The server could not be reached." : error.message
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

/** The items in groups of at most `size`, each of which is sent with one request. */
export const chunksOf = <Item,>(items: ReadonlyArray<Item>, size: number): ReadonlyArray<ReadonlyArray<Item>> =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size))

export interface RunState {
  readonly value: number
  readonly total: number
}

/** Runs changes. It stops at the next step when the page closes or the person stops it. */
export const useRun = () => {
  const [progress, setProgress] = useState<RunState>()
  const [outcome, setOutcome] = useState<Outcome>()
  const controller = useRef<AbortController>(null)
  useEffect(() => () => controller.current?.abort(), [])

  const run = async <Item,>(
    items: ReadonlyArray<Item>,
    /** Changes one or several objects, and returns what failed. */
    work: (item: Item, signal: AbortSignal) => Promise<Outcome>
  ): Promise<Outcome> => {
    const abort = new AbortController()
    controller.current = abort
    setOutcome(undefined)
    setProgress({ value: 0, total: items.length })
    let result: Outcome = { done: 0, problems: [] }
    for (const [index, item] of items.entries()) {
      if (abort.signal.aborted) break
      const next = await work(item, abort.signal)
      result = { done: result.done + next.done, problems: [...result.problems, ...next.problems] }
      setProgress({ value: index + 1, total: items.length })
    }
    setProgress(undefined)
    setOutcome(result)
    return result
  }
  return { progress, outcome, run, stop: () => controller.current?.abort(), reset: () => setOutcome(undefined) }
}

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
  <Notice tone={outcome.problems.length === 0 ? "good" : "warn"} title={done}>
    {outcome.problems.length > 0 && (
      <>
        <span>{outcome.problems.length} failed and were not changed:</span>
        <Problems problems={outcome.problems} />
      </>
    )}
  </Notice>
)
