/** Names and values of an object. */
import type { ReactNode } from "react"

export const Facts = ({ rows }: { readonly rows: ReadonlyArray<readonly [name: string, value: ReactNode]> }) => (
  <dl className="facts-table">
    {rows.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value === null || value === undefined || value === "" ? <span className="muted">none</span> : value}</dd>
      </div>
    ))}
  </dl>
)

export const Section = ({
  actions,
  children,
  title
}: {
  readonly title: string
  readonly actions?: ReactNode
  readonly children: ReactNode
}) => (
  <section className="card stack" aria-label={title}>
    <div className="row spread">
      <h2>{title}</h2>
      {actions !== undefined && <div className="row">{actions}</div>}
    </div>
    {children}
  </section>
)

/** A part of a whole, with the numbers. */
export const Progress = ({
  label,
  total,
  value
}: {
  readonly label: string
  readonly value: number
  readonly total: number
}) => (
  <div className="progress">
    <progress aria-label={label} max={Math.max(1, total)} value={value} />
    <span>
      {value} of {total}
    </span>
  </div>
)
