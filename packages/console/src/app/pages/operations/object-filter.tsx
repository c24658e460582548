/** A filter by an object: the person types a part of its name, or its ID, and selects one. */
import type { SearchKind } from "@orgplane/client"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { type KeyboardEvent, useDeferredValue, useId, useState } from "react"
import { client } from "../../api/client.ts"
import { Button } from "../../design/ui.tsx"
import { kindOfId } from "../../objects/kinds.ts"
import { Name } from "../../objects/names.tsx"
import { useParameters, useSetParameters } from "../../parameters.ts"

const idPattern = /^[a-z]{2,4}_[0-9a-z]{10,40}$/

interface Choice {
  readonly id: string
  readonly name: string
  readonly about: string
}

const useChoices = (text: string, kind: SearchKind | undefined): ReadonlyArray<Choice> => {
  const isId = idPattern.test(text)
  const { data } = useQuery({
    queryKey: ["search", kind ?? "all", text],
    queryFn: ({ signal }) =>
      client.search.objects({ q: text, limit: 8, ...(kind === undefined ? {} : { kind }) }, { signal }),
    enabled: text.length > 1 && !isId,
    staleTime: 60_000,
    placeholderData: keepPreviousData
  })
  if (isId) return [{ id: text, name: text, about: "this ID" }]
  return text.length > 1
    ? (data?.items ?? []).map(({ detail, id, kind: found, name }) => ({
        id,
        name,
        about: detail ?? kindOfId(id)?.noun ?? found
      }))
    : []
}

export const ObjectFilter = ({
  kind,
  label,
  name
}: {
  /** The name in the URL. */
  readonly name: string
  readonly label: string
  readonly kind?: SearchKind
}) => {
  const value = useParameters()[name]
  const set = useSetParameters()
  const [text, setText] = useState("")
  const [index, setIndex] = useState(0)
  const id = useId()
  const choices = useChoices(useDeferredValue(text.trim()), kind)
  const selected = Math.min(index, choices.length - 1)
  const select = (choice: Choice | undefined) => {
    if (choice === undefined) return
    setText("")
    setIndex(0)
    set({ [name]: choice.id })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) setIndex((selected + step + choices.length) % Math.max(1, choices.length))
    else if (event.key === "Enter") select(choices[selected])
    else if (event.key === "Escape") setText("")
    else return
    event.preventDefault()
  }
  if (value !== undefined) {
    return (
      <div className="filter-field" role="group" aria-label={label}>
        <span className="filter-label">{label}</span>
        <div className="filter-chip">
          <span className="filter-chip-name">
            <Name id={value} link={false} />
          </span>
          <Button kind="quiet" aria-label={`Remove the filter: ${label}`} onClick={() => set({ [name]: undefined })}>
            ✕
          </Button>
        </div>
      </div>
    )
  }
  return (
    <div className="filter-field">
      <label htmlFor={id}>{label}</label>
      <div className="filter-search">
        <input
          id={id}
          className="input"
          role="combobox"
          aria-expanded={choices.length > 0}
          aria-controls={`${id}-list`}
          aria-activedescendant={selected >= 0 ? `${id}-${selected}` : undefined}
          autoComplete="off"
          spellCheck={false}
          maxLength={100}
          placeholder="Name or ID"
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            setIndex(0)
          }}
          onKeyDown={onKeyDown}
          onBlur={() => setText("")}
        />
        <div
          id={`${id}-list`}
          role="listbox"
          aria-label={`${label}: results`}
          className="filter-list"
          hidden={choices.length === 0}
        >
          {choices.map((choice, each) => (
            <div
              key={choice.id}
              id={`${id}-${each}`}
              role="option"
              aria-selected={each === selected}
              onMouseDown={(event) => {
                // The input keeps the focus, so that it does not forget the text first.
                event.preventDefault()
                select(choice)
              }}
            >
              {choice.name} <span className="muted">{choice.about}</span>
            </div>
          ))}
        </div>
      </div>
    </div>
  )
}
