/** Short messages about what happened, which go away by themselves unless something failed. */
import { useSyncExternalStore } from "react"
import { Button, Failure, type Tone } from "./ui.tsx"
import "./toast.css"

interface Toast {
  readonly id: number
  readonly text: string
  readonly tone: Tone
  readonly error: unknown
}

const shownMax = 4
const shownMilliseconds = 6000
let toasts: ReadonlyArray<Toast> = []
let lastId = 0
const listeners = new Set<() => void>()

const change = (next: ReadonlyArray<Toast>) => {
  toasts = next
  for (const listener of listeners) listener()
}

const dismiss = (id: number) => change(toasts.filter((toast) => toast.id !== id))

/** Shows a message; a failure stays until the person closes it. */
export const notify = (text: string, tone: Tone = "good", error?: unknown): void => {
  const id = ++lastId
  change([...toasts, { id, text, tone, error }].slice(-shownMax))
  if (tone !== "bad") setTimeout(() => dismiss(id), shownMilliseconds)
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const Toasts = () => (
  <div className="toasts" role="region" aria-label="Messages" aria-live="polite">
    {useSyncExternalStore(subscribe, () => toasts).map(({ error, id, text, tone }) => (
      <div className="toast" data-tone={tone} key={id}>
        <div className="row spread">
          <span>{text}</span>
          <Button kind="quiet" aria-label="Close the message" onClick={() => dismiss(id)}>
            ✕
          </Button>
        </div>
        {error !== undefined && <Failure error={error} />}
      </div>
    ))}
  </div>
)
