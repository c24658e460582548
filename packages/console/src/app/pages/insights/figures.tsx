/** Numbers with a name, and how they changed. */
import type { ReactNode } from "react"
import "./insights.css"

const number = new Intl.NumberFormat("en", { maximumFractionDigits: 1 })
const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 })
const signed = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 0, signDisplay: "exceptZero" })

export type Unit = "count" | "ratio" | "milliseconds"

export const format = (value: number | null, unit: Unit = "count"): string => {
  if (value === null) return "–"
  if (unit === "ratio") return percent.format(value)
  if (unit === "count") return number.format(value)
  if (value < 1000) return `${number.format(value)} ms`
  return value < 120_000 ? `${number.format(value / 1000)} s` : `${number.format(value / 60_000)} min`
}

/** How a number changed, such as `+12%`. */
export const changeOf = (now: number | null, then: number | null): string => {
  if (now === null || then === null) return "–"
  if (then === 0) return now === 0 ? "no change" : "none before"
  return now === then ? "no change" : signed.format((now - then) / then)
}

export const Figures = ({ children }: { readonly children: ReactNode }) => <dl className="figures">{children}</dl>

export const Figure = ({
  name,
  note,
  then,
  unit = "count",
  value
}: {
  readonly name: string
  readonly value: number | null
  readonly unit?: Unit
  /** The value of the previous period, if it is compared. */
  readonly then?: number | null | undefined
  readonly note?: string
}) => (
  <div className="figure">
    <dt>{name}</dt>
    <dd>{format(value, unit)}</dd>
    {then !== undefined ? (
      <dd className="figure-note">
        {then === null || then === 0
          ? "none in the previous period"
          : `${changeOf(value, then)}, ${format(then, unit)} in the previous period`}
      </dd>
    ) : (
      note !== undefined && <dd className="figure-note">{note}</dd>
    )}
  </div>
)

/** When the numbers were counted: events that came later may be missing. */
export const CountedUntil = ({ at }: { readonly at: string }) => {
  const isBehind = Date.now() - Date.parse(at) > 60_000
  return (
    <p className="muted">
      {isBehind ? "There is a backlog. " : ""}Events that were acknowledged until{" "}
      <time dateTime={at}>{new Date(at).toLocaleString("en")}</time> are counted. Days are in UTC.
    </p>
  )
}
