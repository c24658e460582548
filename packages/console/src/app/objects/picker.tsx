/** Fields in which a person searches for objects and selects one or several. */
import { use, useId } from "react"
import { InputNoted } from "../design/input-noted.ts"
import { Button } from "../design/ui.tsx"
import { Chip } from "./chip.tsx"
import { searchedKind, type SearchedKind } from "./kinds.ts"
import { Name } from "./names.tsx"
import { Search } from "./search-field.tsx"
import "./picker.css"

interface Labelled {
  readonly kind: SearchedKind
  readonly label: string
  readonly hint?: string
  readonly problem?: string | undefined
}

const About = ({ hint, problem }: { readonly hint?: string | undefined; readonly problem?: string | undefined }) =>
  problem !== undefined ? (
    <span className="problem">{problem}</span>
  ) : hint !== undefined ? (
    <span className="hint">{hint}</span>
  ) : null

/** A choice is no input event, which a dialog would notice. */
const useNoted = <A,>(onChange: (value: A) => void): ((value: A) => void) => {
  const note = use(InputNoted)
  return (value) => {
    note()
    onChange(value)
  }
}

/** Selects one object. */
export const Picker = ({
  hint,
  kind,
  label,
  onChange,
  problem,
  value
}: Labelled & { readonly value: string | undefined; readonly onChange: (id: string | undefined) => void }) => {
  const id = useId()
  const change = useNoted(onChange)
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {value === undefined ? (
        <Search id={id} kind={kind} onPick={change} />
      ) : (
        <div className="row picked">
          <span className="picked-name">
            <Name kind={kind} id={value} link={false} />
          </span>
          <Button id={id} kind="quiet" aria-label={`${label}: change`} onClick={() => change(undefined)}>
            Change
          </Button>
        </div>
      )}
      <About hint={hint} problem={problem} />
    </div>
  )
}

/** Selects several objects. */
export const Pickers = ({
  hint,
  kind,
  label,
  max,
  onChange,
  problem,
  value
}: Labelled & {
  readonly value: ReadonlyArray<string>
  readonly max: number
  readonly onChange: (ids: ReadonlyArray<string>) => void
}) => {
  const id = useId()
  const change = useNoted(onChange)
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {value.length > 0 && (
        <div className="row chips">
          {value.map((each) => (
            <Chip
              key={each}
              label={`Remove this ${searchedKind(kind).noun}`}
              onRemove={() => change(value.filter((other) => other !== each))}
            >
              <Name kind={kind} id={each} link={false} />
            </Chip>
          ))}
        </div>
      )}
      {value.length < max && <Search id={id} kind={kind} exclude={value} onPick={(each) => change([...value, each])} />}
      <About hint={hint} problem={problem} />
    </div>
  )
}
