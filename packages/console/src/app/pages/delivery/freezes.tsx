/** Times in which no rollout and no ring starts. */
import type { RolloutFreeze, Weekday } from "@orgplane/client"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { FormDialog, reload } from "../../design/action.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { ChangedMeanwhile } from "../../design/explain.ts"
import { Checkbox, SelectField } from "../../design/fields.tsx"
import { localTime } from "../../design/text.ts"
import { notify } from "../../design/toast.tsx"
import { Button, Empty, Field } from "../../design/ui.tsx"
import { SimpleTable } from "../../design/simple-table.tsx"
import "./delivery.css"

const weekdays: ReadonlyArray<readonly [Weekday, string]> = [
  ["monday", "Monday"],
  ["tuesday", "Tuesday"],
  ["wednesday", "Wednesday"],
  ["thursday", "Thursday"],
  ["friday", "Friday"],
  ["saturday", "Saturday"],
  ["sunday", "Sunday"]
]

const freezesMax = 50
const date = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" })
const dateText = (at: string | null) => (at === null ? "without an end" : date.format(new Date(at)))

const whenText = ({ endTime, endsAt, startTime, startsAt, timeZone, weekdays: days }: RolloutFreeze): string =>
  days.length > 0
    ? `${weekdays.flatMap(([day, label]) => (days.includes(day) ? [label] : [])).join(", ")}, from ${startTime ?? ""} until ${endTime ?? ""} (${timeZone})`
    : `${dateText(startsAt)} – ${dateText(endsAt)}`

const empty: RolloutFreeze = {
  name: "",
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  weekdays: ["friday", "saturday", "sunday"],
  startTime: "15:00",
  endTime: "15:00",
  startsAt: null,
  endsAt: null
}

/** Freezes have no ID, so one is identified by its content. */
const keyOf = ({ endTime, endsAt, name, startTime, startsAt, timeZone, weekdays: days }: RolloutFreeze): string =>
  JSON.stringify([name, timeZone, days, startTime, endTime, startsAt, endsAt])

/**
 * Saves the current freezes with another one instead of `before`, or without it. They are read first: the settings have
 * no version, and another person may have changed them since the page was loaded.
 */
const replace = async (before: RolloutFreeze | undefined, after: RolloutFreeze | undefined): Promise<void> => {
  const { freezes } = await client.rollouts.getSettings()
  const next = after === undefined ? [] : [after]
  const index = before === undefined ? freezes.length : freezes.findIndex((each) => keyOf(each) === keyOf(before))
  if (index === -1) {
    throw new ChangedMeanwhile(
      `The freeze ${before?.name ?? ""} was changed or removed after you opened it, so nothing was saved. Close the dialog to see the current freezes.`
    )
  }
  await client.rollouts.updateSettings({ freezes: freezes.toSpliced(index, 1, ...next) })
}

const FreezeDialog = ({
  freeze,
  isOpen,
  onClose,
  save
}: {
  readonly freeze: RolloutFreeze
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly save: (freeze: RolloutFreeze) => Promise<unknown>
}) => {
  const [value, setValue] = useState(freeze)
  const [isWeekly, setWeekly] = useState(freeze.weekdays.length > 0)
  const [start, setStart] = useState(localTime(freeze.startsAt))
  const [end, setEnd] = useState(localTime(freeze.endsAt))
  const toggle = (day: Weekday, isChecked: boolean) =>
    setValue({
      ...value,
      weekdays: weekdays.flatMap(([each]) => ((each === day ? isChecked : value.weekdays.includes(each)) ? [each] : []))
    })
  const input = (): RolloutFreeze =>
    isWeekly
      ? { ...value, name: value.name.trim(), startsAt: null, endsAt: null }
      : {
          ...value,
          name: value.name.trim(),
          weekdays: [],
          startTime: null,
          endTime: null,
          startsAt: new Date(start).toISOString(),
          endsAt: new Date(end).toISOString()
        }
  return (
    <FormDialog
      title={freeze.name === "" ? "Add a freeze" : `Edit the freeze ${freeze.name}`}
      description="No rollout starts, and no further ring starts automatically. Pauses, rollbacks and withdrawals are not delayed."
      action="Save the freeze"
      done="The freeze was saved. It applies at once."
      changes={["rollouts"]}
      isOpen={isOpen}
      onClose={onClose}
      submit={() => save(input())}
    >
      {(problem) => (
        <>
          <Field
            label="Name"
            required
            maxLength={100}
            value={value.name}
            onChange={({ target }) => setValue({ ...value, name: target.value })}
            problem={problem("name")}
          />
          <SelectField
            label="When"
            value={isWeekly ? "weekly" : "once"}
            options={[
              ["weekly", "Every week"],
              ["once", "A single period"]
            ]}
            onChange={({ target }) => {
              setWeekly(target.value === "weekly")
              if (value.startTime === null) setValue({ ...value, startTime: "00:00", endTime: "00:00" })
            }}
          />
          {isWeekly ? (
            <>
              <fieldset className="row">
                <legend>Starts on</legend>
                {weekdays.map(([day, label]) => (
                  <Checkbox
                    key={day}
                    label={label}
                    isChecked={value.weekdays.includes(day)}
                    onChange={(isChecked) => toggle(day, isChecked)}
                  />
                ))}
              </fieldset>
              <div className="two-columns">
                <Field
                  label="Starts at"
                  type="time"
                  required
                  value={value.startTime ?? ""}
                  onChange={({ target }) => setValue({ ...value, startTime: target.value })}
                />
                <Field
                  label="Ends at"
                  type="time"
                  required
                  value={value.endTime ?? ""}
                  onChange={({ target }) => setValue({ ...value, endTime: target.value })}
                  hint="If it is not later than the start, it ends on the next day."
                />
                <SelectField
                  label="Time zone"
                  value={value.timeZone}
                  options={[...new Set([value.timeZone, "UTC", ...Intl.supportedValuesOf("timeZone")])].map(
                    (zone) => [zone, zone] as const
                  )}
                  onChange={({ target }) => setValue({ ...value, timeZone: target.value })}
                  problem={problem("timeZone")}
                />
              </div>
            </>
          ) : (
            <div className="two-columns">
              <Field
                label="Starts"
                type="datetime-local"
                required
                value={start}
                onChange={({ target }) => setStart(target.value)}
                hint="In your time zone."
                problem={problem("startsAt")}
              />
              <Field
                label="Ends"
                type="datetime-local"
                required
                value={end}
                onChange={({ target }) => setEnd(target.value)}
                hint="In your time zone."
                problem={problem("endsAt")}
              />
            </div>
          )}
        </>
      )}
    </FormDialog>
  )
}

export const Freezes = ({ saved }: { readonly saved: ReadonlyArray<RolloutFreeze> }) => {
  const [editing, setEditing] = useState<RolloutFreeze | "new">()
  const [removing, setRemoving] = useState<RolloutFreeze>()
  const edited = editing === "new" ? undefined : editing
  const rows = saved.map((freeze, index) => ({ freeze, index }))
  const add = (
    <Button permission="rollouts:manage" disabled={saved.length >= freezesMax} onClick={() => setEditing("new")}>
      Add a freeze
    </Button>
  )
  return (
    <div className="stack">
      {saved.length === 0 ? (
        <Empty title="No freezes yet">
          <p>Rollouts and rings can start at any time. Add a freeze for weekends or holidays.</p>
          {add}
        </Empty>
      ) : (
        <>
          <SimpleTable
            label="Freezes"
            columns={[
              { name: "Name", cell: ({ freeze: { name } }) => <strong>{name}</strong> },
              { name: "When", cell: ({ freeze }) => whenText(freeze) },
              {
                name: "Change",
                cell: ({ freeze }) => (
                  <span className="row">
                    <Button
                      kind="quiet"
                      permission="rollouts:manage"
                      aria-label={`Edit ${freeze.name}`}
                      onClick={() => setEditing(freeze)}
                    >
                      Edit
                    </Button>
                    <Button
                      kind="quiet"
                      permission="rollouts:manage"
                      aria-label={`Remove ${freeze.name}`}
                      onClick={() => setRemoving(freeze)}
                    >
                      Remove
                    </Button>
                  </span>
                )
              }
            ]}
            rows={rows}
            idOf={({ freeze: { name }, index }) => `${index} ${name}`}
          />
          <div className="row">{add}</div>
        </>
      )}
      {editing !== undefined && (
        <FreezeDialog
          freeze={edited ?? empty}
          isOpen
          onClose={() => setEditing(undefined)}
          save={(freeze) => replace(edited, freeze)}
        />
      )}
      {removing !== undefined && (
        <Confirm
          title={`Remove the freeze ${removing.name}?`}
          action="Remove the freeze"
          isOpen
          onClose={() => setRemoving(undefined)}
          confirm={async () => {
            try {
              await replace(removing, undefined)
              notify("The freeze was removed.")
            } finally {
              void reload(["rollouts"])
            }
          }}
        >
          <p>{whenText(removing)}</p>
          <p>It takes effect at once: rollouts and rings that wait only for its end start.</p>
        </Confirm>
      )}
    </div>
  )
}
