/** What was done one after the other, what was found, and what the person can do. */
import type { ReactNode } from "react"
import "./tools.css"

export type StepState = "done" | "attention" | "failed" | "skipped" | "waiting"

export interface Step {
  readonly title: string
  readonly state: StepState
  /** What was found. */
  readonly summary: ReactNode
  /** What the person can do about it. */
  readonly todo?: string
  readonly details?: ReactNode
}

const marks: Readonly<Record<StepState, readonly [mark: string, name: string]>> = {
  done: ["✓", "Done"],
  attention: ["!", "Needs attention"],
  failed: ["✕", "Failed"],
  skipped: ["–", "Not needed"],
  waiting: ["…", "Not done yet"]
}

export const Steps = ({ label, steps }: { readonly label: string; readonly steps: ReadonlyArray<Step> }) => (
  <ol className="steps" aria-label={label}>
    {steps.map(({ details, state, summary, title, todo }) => (
      <li key={title} data-state={state}>
        <span className="step-mark" aria-hidden="true">
          {marks[state][0]}
        </span>
        <div className="step-body">
          <h3>
            {title}
            <span className="visually-hidden">: {marks[state][1]}</span>
          </h3>
          <div>{summary}</div>
          {todo !== undefined && <p className="step-todo">{todo}</p>}
          {details}
        </div>
      </li>
    ))}
  </ol>
)
