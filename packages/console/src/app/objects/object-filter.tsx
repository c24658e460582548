/** Filters of lists by one object. The search is loaded after the rows, because it is larger than the rest of a list page. */
import { type ComponentProps, useEffect, useId, useRef, useState } from "react"
import { useLater } from "../design/later.ts"
import type { SearchFilter } from "../design/list-page.tsx"
import { notify } from "../design/toast.tsx"
import { Chip } from "./chip.tsx"
import { isIdOf, searchedKind, type SearchedKind } from "./kinds.ts"
import { Name, useName } from "./names.tsx"
import type { Search } from "./search-field.tsx"
import "./picker.css"

const loadSearch = () => import("./search-field.tsx")
const onFailure = (error: unknown) => notify("The search could not be loaded. Reload the page.", "bad", error)

/** A plain field until the search is loaded. */
const LaterSearch = (props: Omit<ComponentProps<typeof Search>, "initialText" | "isFocused" | "isOpen">) => {
  const [text, setText] = useState<string>()
  const [isFocused, setFocused] = useState(false)
  const [isPressed, setPressed] = useState(false)
  const module = useLater(loadSearch, text !== undefined, onFailure)
  if (module !== undefined)
    return (
      <module.Search
        {...props}
        initialText={text}
        isFocused={isFocused}
        isOpen={isPressed || (isFocused && text !== "")}
      />
    )
  return (
    <input
      id={props.id}
      className="input"
      aria-label={props.label}
      placeholder={props.placeholder}
      maxLength={100}
      value={text ?? ""}
      onPointerDown={() => setPressed(true)}
      onFocus={() => {
        setFocused(true)
        setText((before) => before ?? "")
      }}
      onBlur={() => {
        setFocused(false)
        setPressed(false)
        setText((before) => (before === "" ? undefined : before))
      }}
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
  const control = useRef<HTMLDivElement>(null)
  const isChanged = useRef(false)
  const change = (next: string | undefined) => {
    isChanged.current = true
    onChange(next)
  }
  // The control that had the focus is replaced by another one.
  useEffect(() => {
    if (isChanged.current) control.current?.querySelector<HTMLElement>("input, button")?.focus()
    isChanged.current = false
  }, [value])
  return (
    <div ref={control} className={value === undefined ? "picker-filter" : ""}>
      {value === undefined ? (
        <LaterSearch
          id={id}
          kind={kind}
          label={`Filter by ${label.toLowerCase()}`}
          placeholder={`${label}: all`}
          onPick={change}
        />
      ) : (
        <Chip label={`Remove the filter by ${label.toLowerCase()}`} onRemove={() => change(undefined)}>
          {label}: <Name kind={kind} id={value} link={false} />
        </Chip>
      )}
    </div>
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
  isAllowed: (value) => isIdOf(searchedKind(kind), value),
  field: (value, onChange) => <PickerFilter kind={kind} label={label} value={value} onChange={onChange} />,
  explainEmpty: (value) => <Missing kind={kind} id={value} />
})
