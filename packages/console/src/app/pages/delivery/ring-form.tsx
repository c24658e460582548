/** The form of one ring, and rings in words. */
import type { Ring, RingPromotion } from "@orgplane/client"
import { type FormEvent, useState } from "react"
import { Dialog } from "../../design/dialog.tsx"
import { SelectField } from "../../design/fields.tsx"
import { plural } from "../../design/text.ts"
import { Button, Field } from "../../design/ui.tsx"
import { Names } from "../../objects/names.tsx"
import { Pickers } from "../../objects/picker.tsx"
import "./delivery.css"

export const newRing: Ring = {
  name: "",
  teamIds: [],
  memberIds: [],
  percent: 0,
  soakMinutes: 1440,
  promotion: "automatic"
}

const unitMinutes = { minutes: 1, hours: 60, days: 1440 } as const
type Unit = keyof typeof unitMinutes

const unitOf = (minutes: number): Unit =>
  minutes > 0 && minutes % 1440 === 0 ? "days" : minutes > 0 && minutes % 60 === 0 ? "hours" : "minutes"

const unitNames: Readonly<Record<Unit, string>> = { minutes: "minute", hours: "hour", days: "day" }

export const soakText = (minutes: number): string =>
  plural(minutes / unitMinutes[unitOf(minutes)], unitNames[unitOf(minutes)])

export const RingAudience = ({ ring: { memberIds, percent, teamIds } }: { readonly ring: Ring }) => {
  const isEmpty = teamIds.length + memberIds.length + percent === 0
  return isEmpty ? (
    <span className="muted">No members</span>
  ) : (
    <ul className="plain-list">
      {teamIds.length > 0 && (
        <li>
          Teams: <Names kind="team" ids={teamIds} />
        </li>
      )}
      {memberIds.length > 0 && (
        <li>
          Members: <Names kind="member" ids={memberIds} />
        </li>
      )}
      {percent > 0 && <li>{percent}% of all members</li>}
    </ul>
  )
}

const audienceMax = 500
const soakMinutesMax = 43_200

export const RingDialog = ({
  isOpen,
  names,
  onClose,
  onSave,
  ring: initial
}: {
  readonly ring: Ring
  /** The names of the other rings. */
  readonly names: ReadonlyArray<string>
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onSave: (ring: Ring) => void
}) => {
  const [ring, setRing] = useState(initial)
  const [unit, setUnit] = useState(unitOf(initial.soakMinutes))
  const [soak, setSoak] = useState(initial.soakMinutes / unitMinutes[unitOf(initial.soakMinutes)])
  const name = ring.name.trim()
  const problem =
    name.toLowerCase() === "everyone"
      ? "The last ring has this name already."
      : names.some((each) => each.toLowerCase() === name.toLowerCase())
        ? "Another ring has this name."
        : undefined
  const soakMinutes = soak * unitMinutes[unit]
  const soakProblem = soakMinutes > soakMinutesMax ? "The soak time can be at most 30 days." : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (problem !== undefined || soakProblem !== undefined || Number.isNaN(soakMinutes)) return
    onSave({ ...ring, name, soakMinutes: Math.round(soakMinutes) })
    onClose()
  }
  return (
    <Dialog
      title={initial.name === "" ? "Add a ring" : `Edit the ring ${initial.name}`}
      description="A member belongs to the first ring that contains the member. After the last ring, everyone else gets the release."
      keepsInput
      isOpen={isOpen}
      onClose={onClose}
    >
      <form className="stack" onSubmit={submit}>
        <Field
          label="Name"
          required
          maxLength={100}
          value={ring.name}
          onChange={({ target }) => setRing({ ...ring, name: target.value })}
          problem={problem}
        />
        <Pickers
          kind="team"
          label="Teams"
          max={audienceMax}
          value={ring.teamIds}
          onChange={(teamIds) => setRing({ ...ring, teamIds })}
        />
        <Pickers
          kind="member"
          label="Members"
          max={audienceMax}
          value={ring.memberIds}
          onChange={(memberIds) => setRing({ ...ring, memberIds })}
        />
        <div className="two-columns">
          <Field
            label="Percentage of all members"
            type="number"
            min={0}
            max={100}
            step={1}
            required
            value={Number.isNaN(ring.percent) ? "" : ring.percent}
            onChange={({ target }) => setRing({ ...ring, percent: target.valueAsNumber })}
            hint="The selection never changes, and 50 includes the members of 20."
          />
          <SelectField
            label="Then"
            value={ring.promotion}
            options={[
              ["automatic", "Start the next ring after the soak time"],
              ["manual", "Wait until someone promotes the rollout"]
            ]}
            onChange={({ target }) =>
              setRing({
                ...ring,
                promotion: target.value === "manual" ? "manual" : ("automatic" satisfies RingPromotion)
              })
            }
          />
          <Field
            label="Soak time"
            type="number"
            min={0}
            step="any"
            required
            value={Number.isNaN(soak) ? "" : soak}
            onChange={({ target }) => setSoak(target.valueAsNumber)}
            problem={soakProblem}
          />
          <SelectField
            label="Unit of the soak time"
            value={unit}
            options={[
              ["minutes", "Minutes"],
              ["hours", "Hours"],
              ["days", "Days"]
            ]}
            onChange={({ target: { value } }) =>
              setUnit(value === "days" ? "days" : value === "hours" ? "hours" : "minutes")
            }
          />
        </div>
        <div className="row dialog-actions">
          <Button kind="primary" type="submit">
            {initial.name === "" ? "Add the ring" : "Change the ring"}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
