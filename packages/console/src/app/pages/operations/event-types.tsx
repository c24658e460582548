/** The choice of events: all of them, all of some resources, or single types. */
import type { EventTypeInfo } from "@orgplane/client"
import { useId, useState } from "react"
import { Checkbox } from "../../design/fields.tsx"
import { Badge } from "../../design/ui.tsx"
import { useEventTypes } from "./audit-filters.tsx"

const typesMax = 50

const resourceOf = (type: string) => type.split(".", 1)[0] ?? type

const groupsOf = (
  types: ReadonlyArray<EventTypeInfo>
): ReadonlyArray<readonly [string, ReadonlyArray<EventTypeInfo>]> => {
  const groups = new Map<string, Array<EventTypeInfo>>()
  for (const each of types) groups.set(resourceOf(each.type), [...(groups.get(resourceOf(each.type)) ?? []), each])
  return [...groups]
}

export const EventTypes = ({
  onChange,
  value
}: {
  /** Types, or `<resource>.*`. Empty for all events. */
  readonly value: ReadonlyArray<string>
  readonly onChange: (value: ReadonlyArray<string>) => void
}) => {
  const [isAll, setAll] = useState(value.length === 0)
  const [text, setText] = useState("")
  const types = useEventTypes()
  const id = useId()
  const q = text.trim().toLowerCase()
  const groups = groupsOf(
    (types.data?.items ?? []).filter(({ description, type }) => `${type} ${description}`.toLowerCase().includes(q))
  )
  const toggle = (type: string, isChecked: boolean) => {
    const isResource = type.endsWith(".*")
    const others = value.filter((each) => each !== type && !(isResource && resourceOf(each) === resourceOf(type)))
    onChange(isChecked ? [...others, type].slice(0, typesMax) : others)
  }
  return (
    <fieldset className="stack">
      <legend>Events</legend>
      <Checkbox
        label="All events"
        isChecked={isAll}
        onChange={(next) => {
          setAll(next)
          if (next) onChange([])
        }}
      />
      {!isAll && (
        <>
          <div className="row">
            {value.length === 0 ? (
              <span className="muted">No events are selected, so all are sent.</span>
            ) : (
              value.map((each) => <Badge key={each}>{each}</Badge>)
            )}
          </div>
          <label htmlFor={id} className="visually-hidden">
            Search events
          </label>
          <input
            id={id}
            className="input"
            type="search"
            placeholder="Search events"
            maxLength={100}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <div className="choices" tabIndex={0} role="group" aria-label="Types of events">
            {groups.map(([resource, members]) => {
              const all = `${resource}.*`
              const hasAll = value.includes(all)
              return (
                <div key={resource} className="choices-group">
                  <Checkbox
                    label={<code>{all}</code>}
                    isChecked={hasAll}
                    onChange={(isChecked) => toggle(all, isChecked)}
                  />
                  {members.map(({ description, type }) => (
                    <div key={type}>
                      <Checkbox
                        label={<code>{type}</code>}
                        hint={description}
                        isChecked={hasAll || value.includes(type)}
                        isDisabled={hasAll}
                        onChange={(isChecked) => toggle(type, isChecked)}
                      />
                    </div>
                  ))}
                </div>
              )
            })}
            {groups.length === 0 && <p className="muted">No event has this name.</p>}
          </div>
        </>
      )}
    </fieldset>
  )
}

/** The events that something is sent, in words. */
export const EventTypesText = ({ types }: { readonly types: ReadonlyArray<string> }) =>
  types.length === 0 ? (
    <>all events</>
  ) : (
    <span className="row">
      {types.map((each) => (
        <Badge key={each}>{each}</Badge>
      ))}
    </span>
  )
