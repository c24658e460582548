/** Fields of forms other than one line of text. */
import { type ReactNode, type SelectHTMLAttributes, type TextareaHTMLAttributes, useId } from "react"
import { FieldAbout } from "./ui.tsx"

interface Labelled {
  readonly label: string
  readonly hint?: string
  readonly problem?: string | undefined
}

export const SelectField = ({
  hint,
  label,
  options,
  problem,
  ...rest
}: SelectHTMLAttributes<HTMLSelectElement> &
  Labelled & { readonly options: ReadonlyArray<readonly [value: string, label: string]> }) => {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select {...rest} id={id} className="input" aria-invalid={problem !== undefined} aria-describedby={`${id}-about`}>
        {options.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
      <FieldAbout id={id} hint={hint} problem={problem} />
    </div>
  )
}

export const TextArea = ({ hint, label, problem, ...rest }: TextareaHTMLAttributes<HTMLTextAreaElement> & Labelled) => {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        rows={5}
        {...rest}
        id={id}
        className="input"
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-about`}
      />
      <FieldAbout id={id} hint={hint} problem={problem} />
    </div>
  )
}

export const Checkbox = ({
  hint,
  isChecked,
  isDisabled = false,
  label,
  onChange
}: {
  readonly label: ReactNode
  readonly hint?: string
  readonly isChecked: boolean
  readonly isDisabled?: boolean
  readonly onChange: (isChecked: boolean) => void
}) => {
  const id = useId()
  return (
    <div className="checkbox">
      <input
        id={id}
        type="checkbox"
        checked={isChecked}
        disabled={isDisabled}
        aria-describedby={hint === undefined ? undefined : `${id}-about`}
        onChange={(event) => onChange(event.target.checked)}
      />
      <div>
        <label htmlFor={id}>{label}</label>
        {hint !== undefined && <FieldAbout id={id} hint={hint} />}
      </div>
    </div>
  )
}
