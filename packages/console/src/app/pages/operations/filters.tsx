/** Filters whose values are in the URL: a text, a choice and a time. */
import { type ReactNode, useEffect, useId, useState } from "react"
import { useParameters, useSetParameters } from "../../parameters.ts"
import { localTime } from "../../design/text.ts"
import "./operations.css"

const typingMilliseconds = 400

interface FilterProps {
  /** The name in the URL. */
  readonly name: string
  readonly label: string
}

const Labelled = ({
  children,
  id,
  label
}: {
  readonly id: string
  readonly label: string
  readonly children: ReactNode
}) => (
  <div className="filter-field">
    <label htmlFor={id}>{label}</label>
    {children}
  </div>
)

/** A text, which filters as soon as the person stops to type. */
export const TextFilter = ({
  label,
  name,
  placeholder,
  suggestions = []
}: FilterProps & {
  readonly placeholder?: string
  readonly suggestions?: ReadonlyArray<readonly [value: string, label: string]>
}) => {
  const value = useParameters()[name] ?? ""
  const set = useSetParameters()
  const [text, setText] = useState(value)
  const [known, setKnown] = useState(value)
  const id = useId()
  // The URL has changed by something else, such as a link.
  if (value !== known) {
    setKnown(value)
    if (value !== text.trim()) setText(value)
  }
  useEffect(() => {
    const next = text.trim()
    if (next === value) return
    const timer = setTimeout(() => set({ [name]: next === "" ? undefined : next }), typingMilliseconds)
    return () => clearTimeout(timer)
  })
  return (
    <Labelled id={id} label={label}>
      <input
        id={id}
        className="input"
        type="search"
        maxLength={255}
        spellCheck={false}
        autoComplete="off"
        placeholder={placeholder}
        value={text}
        list={suggestions.length === 0 ? undefined : `${id}-list`}
        onChange={(event) => setText(event.target.value)}
      />
      {suggestions.length > 0 && (
        <datalist id={`${id}-list`}>
          {suggestions.map(([each, about]) => (
            <option key={each} value={each} label={about} />
          ))}
        </datalist>
      )}
    </Labelled>
  )
}

export const SelectFilter = ({
  all,
  label,
  name,
  options
}: FilterProps & {
  readonly options: ReadonlyArray<readonly [value: string, label: string]>
  /** The choice without a value, such as "All teams". */
  readonly all?: string
}) => {
  const value = useParameters()[name] ?? ""
  const set = useSetParameters()
  const id = useId()
  const isKnown = value === "" || options.some(([each]) => each === value)
  return (
    <Labelled id={id} label={label}>
      <select
        id={id}
        className="input"
        value={value}
        onChange={(event) => set({ [name]: event.target.value === "" ? undefined : event.target.value })}
      >
        {all !== undefined && <option value="">{all}</option>}
        {!isKnown && <option value={value}>{value}</option>}
        {options.map(([each, about]) => (
          <option key={each} value={each}>
            {about}
          </option>
        ))}
      </select>
    </Labelled>
  )
}

/** A date and a time, which the URL has in UTC. */
export const TimeFilter = ({ label, name }: FilterProps) => {
  const value = useParameters()[name]
  const set = useSetParameters()
  const id = useId()
  return (
    <Labelled id={id} label={label}>
      <input
        id={id}
        className="input"
        type="datetime-local"
        value={localTime(value)}
        onChange={(event) => {
          const time = Date.parse(event.target.value)
          set({ [name]: Number.isNaN(time) ? undefined : new Date(time).toISOString() })
        }}
      />
    </Labelled>
  )
}

export const Filters = ({ children }: { readonly children: ReactNode }) => (
  <div className="filters" role="search">
    {children}
  </div>
)
