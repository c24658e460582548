/** Filters of lists by one object. The search is loaded after the rows, because it is larger than the rest of a list page. */
import { type ComponentProps, useId, useState } from "react"
import { useLater } from "../design/later.ts"
import type { SearchFilter } from "../design/list-page.tsx"
import { notify } from "../design/toast.tsx"
import { Chip } from "./chip.tsx"
import { searchedKind, type SearchedKind } from "./kinds.ts"
import { Name, useName } from "./names.tsx"
import type { Search } from "./search-field.tsx"
import "./picker.css"

const loadSearch = () => import("./search-field.tsx")
const onFailure = (error: unknown) => notify("The search could not be loaded.", "bad", error)

/** A plain field until the search is loaded. */
const LaterSearch = (props: Omit<ComponentProps<typeof Search>, "initialText">) => {
  const [text, setText] = useState<string>()
  const module = useLater(loadSearch, text !== undefined, onFailure)
  if (module !== undefined) return <module.Search {...props} initialText={text} />
  return (
    <input
      id={props.id}
      className="input"
      aria-label={props.label}
      placeholder={props.placeholder}
      maxLength={100}
      value={text ?? ""}
      onFocus={() => setText((before) => before ?? "")}
      onBlur={() => setText((before) => (before === "" ? undefined : before))}
      onChange={({ target }) => setText(target.value)}
    />
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
      <LaterSearch
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
