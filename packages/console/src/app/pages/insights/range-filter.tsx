/** The choice of a range of days, of the interval, and of the comparison with the previous period. */
import { useId } from "react"
import { Checkbox } from "../../design/fields.tsx"
import { useParameters, useSetParameters } from "../../parameters.ts"
import { SelectFilter } from "../operations/filters.tsx"
import { dayOf, defaultRange, rangeOf, ranges } from "./range.ts"
import "./insights.css"

const DayFilter = ({
  label,
  max,
  min,
  name,
  value
}: {
  readonly name: string
  readonly label: string
  readonly value: string
  readonly min?: string
  readonly max: string
}) => {
  const set = useSetParameters()
  const id = useId()
  return (
    <div className="filter-field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className="input"
        type="date"
        value={value}
        min={min}
        max={max}
        onChange={(event) => event.target.value !== "" && set({ [name]: event.target.value })}
      />
    </div>
  )
}

export const RangeFilter = () => {
  const parameters = useParameters()
  const set = useSetParameters()
  const id = useId()
  const today = dayOf(Date.now())
  const range = rangeOf(parameters, today)
  const selected = parameters["range"] ?? defaultRange
  const select = (value: string) =>
    value === "custom"
      ? set({ range: value, from: range.from, to: range.to })
      : set({ range: value === defaultRange ? undefined : value, from: undefined, to: undefined })
  return (
    <>
      <div className="filter-field">
        <label htmlFor={id}>Time</label>
        <select id={id} className="input" value={selected} onChange={(event) => select(event.target.value)}>
          {ranges.map(([days, label]) => (
            <option key={days} value={days}>
              {label}
            </option>
          ))}
          <option value="custom">From … to …</option>
        </select>
      </div>
      {selected === "custom" && (
        <>
          <DayFilter name="from" label="First day" value={range.from} max={range.to} />
          <DayFilter name="to" label="Last day" value={range.to} min={range.from} max={today} />
        </>
      )}
      <SelectFilter name="interval" label="Step" all="By day" options={[["week", "By week"]]} />
      <div className="filter-check">
        <Checkbox
          label="Compare with the previous period"
          isChecked={parameters["compare"] === "true"}
          onChange={(isChecked) => set({ compare: isChecked ? "true" : undefined })}
        />
      </div>
    </>
  )
}
