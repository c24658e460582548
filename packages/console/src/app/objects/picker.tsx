/** Fields in which a person searches for objects and selects one or several. */
import { Combobox } from "@base-ui/react/combobox"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { type ReactNode, useDeferredValue, useId, useState } from "react"
import type { SearchFilter } from "../design/list-page.tsx"
import { Button, Failure } from "../design/ui.tsx"
import { searchedKind, type SearchedKind } from "./kinds.ts"
import { Name, searchQuery, useName } from "./names.tsx"
import "./picker.css"

/** A search that hands over the object that is chosen, and starts again. */
const Search = ({
  exclude = [],
  id,
  kind,
  label,
  onPick,
  placeholder = "Search"
}: {
  readonly kind: SearchedKind
  readonly id: string
  /** The name of the field, if it has no label with its ID. */
  readonly label?: string
  readonly placeholder?: string
  readonly exclude?: ReadonlyArray<string>
  readonly onPick: (id: string) => void
}) => {
  const { noun } = searchedKind(kind)
  const [text, setText] = useState("")
  const [isOpen, setOpen] = useState(false)
  const q = useDeferredValue(text.trim())
  const query = useQuery({
    ...searchQuery(searchedKind(kind), q),
    enabled: isOpen,
    placeholderData: keepPreviousData,
    staleTime: 10_000
  })
  const found = (query.data ?? []).filter((each) => !exclude.includes(each.id))
  const byId = new Map(found.map((each) => [each.id, each]))
  return (
    <Combobox.Root
      items={found.map((each) => each.id)}
      filter={null}
      value={null}
      onValueChange={(value: string | null) => {
        if (value !== null) onPick(value)
        setText("")
      }}
      inputValue={text}
      onInputValueChange={(value, { reason }) => {
        if (reason !== "item-press") setText(value)
      }}
      itemToStringLabel={(value: string) => byId.get(value)?.name ?? value}
      open={isOpen}
      onOpenChange={setOpen}
    >
      <Combobox.Input
        id={id}
        className="input"
        placeholder={placeholder}
        maxLength={100}
        {...(label === undefined ? {} : { "aria-label": label })}
      />
      <Combobox.Portal>
        <Combobox.Positioner className="picker-position" sideOffset={4}>
          <Combobox.Popup className="picker">
            {query.isError && <Failure error={query.error} />}
            <Combobox.Empty className="muted picker-empty">
              {query.isFetching ? "Searching…" : query.isError ? "" : `No ${noun} has this name.`}
            </Combobox.Empty>
            <Combobox.List className="picker-list" aria-label="Results">
              {(each: string) => (
                <Combobox.Item key={each} value={each} className="picker-item">
                  <span>{byId.get(each)?.name ?? each}</span>
                  <span className="muted">{byId.get(each)?.detail}</span>
                </Combobox.Item>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  )
}

const Chip = ({
  children,
  label,
  onRemove
}: {
  readonly children: ReactNode
  readonly label: string
  readonly onRemove: () => void
}) => (
  <span className="chip">
    <span className="chip-text">{children}</span>
    <button type="button" aria-label={label} onClick={onRemove}>
      ✕
    </button>
  </span>
)

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
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {value === undefined ? (
        <Search id={id} kind={kind} onPick={onChange} />
      ) : (
        <div className="row picked">
          <span className="picked-name">
            <Name kind={kind} id={value} link={false} />
          </span>
          <Button id={id} kind="quiet" aria-label={`${label}: change`} onClick={() => onChange(undefined)}>
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
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {value.length > 0 && (
        <div className="row chips">
          {value.map((each) => (
            <Chip
              key={each}
              label={`Remove this ${searchedKind(kind).noun}`}
              onRemove={() => onChange(value.filter((other) => other !== each))}
            >
              <Name kind={kind} id={each} link={false} />
            </Chip>
          ))}
        </div>
      )}
      {value.length < max && (
        <Search id={id} kind={kind} exclude={value} onPick={(each) => onChange([...value, each])} />
      )}
      <About hint={hint} problem={problem} />
    </div>
  )
}

/** A filter of a list by one object. */
export const PickerFilter = ({
  kind,
  label,
  onChange,
  value
}: {
  readonly kind: SearchedKind
  readonly label: string
  readonly value: string | undefined
  readonly onChange: (id: string | undefined) => void
}) => {
  const id = useId()
  return value === undefined ? (
    <div className="picker-filter">
      <Search
        id={id}
        kind={kind}
        label={`Filter by ${label.toLowerCase()}`}
        placeholder={`${label}: all`}
        onPick={onChange}
      />
    </div>
  ) : (
    <Chip label={`Remove the filter by ${label.toLowerCase()}`} onRemove={() => onChange(undefined)}>
      {label}: <Name kind={kind} id={value} link={false} />
    </Chip>
  )
}

const Missing = ({ id, kind }: { readonly kind: SearchedKind; readonly id: string }) =>
  useName(kind, id).isMissing ? (
    <p>The {searchedKind(kind).noun} of the filter does not exist, or you have no access to it.</p>
  ) : null

/** A filter of a list page by one object, with a search that also finds objects after the first 100. */
export const objectFilter = (kind: SearchedKind, name: string, label: string): SearchFilter => ({
  name,
  label,
  field: (value, onChange) => <PickerFilter kind={kind} label={label} value={value} onChange={onChange} />,
  explainEmpty: (value) => <Missing kind={kind} id={value} />
})
