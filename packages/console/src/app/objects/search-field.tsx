/** A field in which a person searches for an object. */
import { Combobox } from "@base-ui/react/combobox"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useDeferredValue, useState } from "react"
import { Failure } from "../design/ui.tsx"
import { searchedKind, type SearchedKind } from "./kinds.ts"
import { searchQuery } from "./names.tsx"
import "./picker.css"

/** A search that hands over the object that is chosen, and starts again. */
export const Search = ({
  exclude = [],
  id,
  initialText,
  kind,
  label,
  onPick,
  placeholder = "Search",
  ...initial
}: {
  readonly kind: SearchedKind
  readonly id: string
  /** The name of the field, if it has no label with its ID. */
  readonly label?: string
  readonly placeholder?: string
  readonly exclude?: ReadonlyArray<string>
  /** The text that the person has typed before the search was loaded. */
  readonly initialText?: string | undefined
  /** Whether it takes the focus from the field that it replaces. Default: false. */
  readonly isFocused?: boolean
  /** Whether it shows results at first. Default: false. */
  readonly isOpen?: boolean
  readonly onPick: (id: string) => void
}) => {
  const { noun } = searchedKind(kind)
  const [text, setText] = useState(initialText ?? "")
  const [isOpen, setOpen] = useState(initial.isOpen === true)
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
        autoFocus={initial.isFocused === true}
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
