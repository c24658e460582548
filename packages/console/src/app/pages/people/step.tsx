/** A step of a setup, with its state. Steps are the items of a list with the class `people-steps`. */
import type { ReactNode } from "react"
import { Badge, type Tone } from "../../design/ui.tsx"

export interface StepState {
  readonly text: string
  readonly tone: Tone
}

export const todo: StepState = { text: "to do", tone: "neutral" }
export const done = (text = "done"): StepState => ({ text, tone: "good" })

export const Step = ({
  actions,
  children,
  number,
  state,
  title
}: {
  readonly number: number
  readonly title: string
  readonly state: StepState | undefined
  readonly actions?: ReactNode
  readonly children: ReactNode
}) => (
  <li>
    <section className="card stack" aria-label={title}>
      <div className="row spread">
        <h2>
          {number}. {title}
        </h2>
        <div className="row">
          {actions}
          {state !== undefined && <Badge tone={state.tone}>{state.text}</Badge>}
        </div>
      </div>
      {children}
    </section>
  </li>
)
