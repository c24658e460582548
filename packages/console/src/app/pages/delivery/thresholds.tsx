/** When a rollout is paused automatically. */
import type { RolloutThresholds } from "@orgplane/client"
import { type FormEvent, useState } from "react"
import { client } from "../../api/client.ts"
import { useAction } from "../../design/action.tsx"
import { Checkbox } from "../../design/fields.tsx"
import { Button, Field } from "../../design/ui.tsx"
import { useUnsaved } from "../../design/unsaved.ts"
import "./delivery.css"

export const Thresholds = ({ saved }: { readonly saved: RolloutThresholds }) => {
  const [form, setForm] = useState({ saved, base: saved, value: saved })
  const { base, value } = form
  const isDirty = JSON.stringify(value) !== JSON.stringify(base)
  // A form without changes shows the thresholds that someone else has saved.
  if (form.saved !== saved) setForm(isDirty ? { ...form, saved } : { saved, base: saved, value: saved })
  const setValue = (next: RolloutThresholds) => setForm({ ...form, value: next })
  useUnsaved(isDirty, false)
  const { isBusy, run } = useAction({ done: "The thresholds were saved.", changes: ["rollouts"] })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void (async () => {
      const isSaved = await run(() => client.rollouts.updateSettings({ thresholds: value }))
      if (isSaved) setForm((before) => ({ ...before, base: value }))
    })()
  }
  return (
    <form className="card stack" onSubmit={submit}>
      <p className="muted">
        The results of a release are compared with those of the release before it. They apply to open rollouts at once.
      </p>
      <Checkbox
        label="Pause if installations fail more often"
        hint="The first result that the devices of a member report counts."
        isChecked={value.installFailures}
        onChange={(installFailures) => setValue({ ...value, installFailures })}
      />
      <Checkbox
        label="Pause if the release fails for more people"
        hint="The first telemetry event of each person with a result counts."
        isChecked={value.usageFailures}
        onChange={(usageFailures) => setValue({ ...value, usageFailures })}
      />
      <div className="two-columns">
        <Field
          label="Reports that are needed"
          type="number"
          min={1}
          step={1}
          required
          value={Number.isNaN(value.reportsMin) ? "" : value.reportsMin}
          onChange={({ target }) => setValue({ ...value, reportsMin: target.valueAsNumber })}
          hint="With fewer, a comparison cannot pause a rollout. Default: 20."
        />
        <Field
          label="Rate of false alarms"
          type="number"
          min={0}
          max={1}
          step="any"
          required
          value={Number.isNaN(value.falseAlarmRate) ? "" : value.falseAlarmRate}
          onChange={({ target }) => setValue({ ...value, falseAlarmRate: target.valueAsNumber })}
          hint="A lower rate needs more reports to find a release that fails. Default: 0.01."
        />
      </div>
      <div className="row">
        <Button kind="primary" type="submit" disabled={isBusy}>
          Save the thresholds
        </Button>
      </div>
    </form>
  )
}
