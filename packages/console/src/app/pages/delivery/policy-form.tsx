/** The forms that create and edit a desktop policy, with whose settings change before it is saved. */
import type { DesktopPolicy, DesktopPolicySettings, DesktopPolicySettingsInput } from "@orgplane/client"
import { useNavigate } from "@tanstack/react-router"
import { client } from "../../api/client.ts"
import { Checkbox, SelectField } from "../../design/fields.tsx"
import { useFormField, useFormVersion } from "../../design/form-version.ts"
import { Button, Field } from "../../design/ui.tsx"
import { audienceInput, audienceOf, AudienceFields, everyone, isComplete } from "./audience.tsx"
import { PolicyEffects } from "./policy-simulation.tsx"
import { PreviewDialog } from "../../design/preview-dialog.tsx"
import { promptsLabel, promptsMeaning, switches } from "./settings.ts"
import "./delivery.css"

type Problem = (field: string) => string | undefined

const nothingSet: DesktopPolicySettings = {
  allowCustomProviders: null,
  allowPartnerModel: null,
  allowMultipleWorkspaces: null,
  allowControlSettings: null,
  allowManageExtensions: null,
  allowBuiltInExtensions: null,
  allowAlphaUpdates: null,
  showWelcomePage: null,
  onboardingPrompts: null,
  onboardingPromptDescriptions: null
}

const promptsMax = 3

const PromptFields = ({
  onChange,
  policy,
  problem
}: {
  readonly policy: DesktopPolicySettings
  readonly onChange: (policy: DesktopPolicySettings) => void
  readonly problem: Problem
}) => {
  const prompts = policy.onboardingPrompts
  const descriptions = policy.onboardingPromptDescriptions ?? []
  const rows = (prompts ?? []).map((prompt, index) => ({ prompt, description: descriptions[index] ?? "" }))
  const change = (next: ReadonlyArray<{ readonly prompt: string; readonly description: string }> | null) =>
    onChange({
      ...policy,
      onboardingPrompts: next === null ? null : next.map(({ prompt }) => prompt),
      onboardingPromptDescriptions: next === null ? null : next.map(({ description }) => description)
    })
  const edit = (index: number, part: { readonly prompt?: string; readonly description?: string }) =>
    change(rows.map((row, each) => (each === index ? { ...row, ...part } : row)))
  return (
    <fieldset className="stack">
      <legend>{promptsLabel}</legend>
      <Checkbox
        label="Set the prompts"
        hint={promptsMeaning}
        isChecked={prompts !== null}
        onChange={(isChecked) => change(isChecked ? [] : null)}
      />
      {rows.map(({ description, prompt }, index) => (
        <div className="two-columns" key={`prompt-${String(index)}`}>
          <Field
            label={`Prompt ${index + 1}`}
            required
            maxLength={500}
            value={prompt}
            onChange={({ target }) => edit(index, { prompt: target.value })}
          />
          <Field
            label={`Description ${index + 1} (optional)`}
            maxLength={120}
            value={description}
            onChange={({ target }) => edit(index, { description: target.value })}
          />
          <div className="row">
            <Button
              kind="quiet"
              aria-label={`Remove prompt ${index + 1}`}
              onClick={() => change(rows.filter((_, each) => each !== index))}
            >
              Remove
            </Button>
          </div>
        </div>
      ))}
      {prompts !== null && rows.length < promptsMax && (
        <div className="row">
          <Button onClick={() => change([...rows, { prompt: "", description: "" }])}>Add a prompt</Button>
        </div>
      )}
      {problem("onboardingPrompts") !== undefined && <span className="problem">{problem("onboardingPrompts")}</span>}
    </fieldset>
  )
}

const SettingFields = ({
  onChange,
  policy,
  problem
}: {
  readonly policy: DesktopPolicySettings
  readonly onChange: (policy: DesktopPolicySettings) => void
  readonly problem: Problem
}) => (
  <>
    <fieldset className="two-columns">
      <legend>Settings</legend>
      {switches.map(({ label, meaning, setting }) => {
        const value = policy[setting]
        return (
          <SelectField
            key={setting}
            label={label}
            hint={meaning}
            value={value === null ? "" : value ? "on" : "off"}
            options={[
              ["", "Not set: other policies decide"],
              ["on", "On"],
              ["off", "Off"]
            ]}
            onChange={({ target }) =>
              onChange({ ...policy, [setting]: target.value === "" ? null : target.value === "on" })
            }
            problem={problem(setting)}
          />
        )
      })}
    </fieldset>
    <PromptFields policy={policy} onChange={onChange} problem={problem} />
  </>
)

export const PolicyDialog = ({
  etag,
  isOpen,
  onClose,
  policy: existing
}: {
  /** The policy to edit; without it, a new one is created. */
  readonly policy?: DesktopPolicy
  readonly etag?: string | undefined
  readonly isOpen: boolean
  readonly onClose: () => void
}) => {
  const navigate = useNavigate()
  const ifMatch = useFormVersion(etag)
  const [policyName, setName] = useFormField(existing?.policyName ?? "")
  const [policy, setPolicy] = useFormField(existing?.policy ?? nothingSet)
  const [priority, setPriority] = useFormField(existing?.priority ?? 0)
  const [isEnabled, setEnabled] = useFormField(existing?.isEnabled ?? true)
  const [audience, setAudience] = useFormField(existing === undefined ? everyone : audienceOf(existing))
  const input = () => ({
    policyName: policyName.trim(),
    policy: policy satisfies DesktopPolicySettingsInput,
    priority,
    isEnabled,
    ...audienceInput(audience)
  })
  return (
    <PreviewDialog
      title={existing === undefined ? "Create a desktop policy" : "Edit the desktop policy"}
      action={existing === undefined ? "Create the policy" : "Save the policy"}
      done={existing === undefined ? "The policy was created." : "The policy was changed."}
      changes={["desktop-policies"]}
      isOpen={isOpen}
      isReady={isComplete(audience) && policyName.trim() !== ""}
      onClose={onClose}
      onDone={() => {
        if (existing === undefined) void navigate({ to: "/desktop-policies" })
      }}
      simulate={() =>
        client.desktopPolicies.simulate(
          existing === undefined ? { create: input() } : { patch: { desktopPolicyId: existing.id, changes: input() } }
        )
      }
      preview={(effects) => <PolicyEffects effects={effects} />}
      submit={async () =>
        existing === undefined
          ? client.desktopPolicies.create(input())
          : client.desktopPolicies.update(existing.id, input(), { ifMatch })
      }
    >
      {(problem: Problem) => (
        <>
          <div className="two-columns">
            <Field
              label="Name"
              required
              maxLength={255}
              value={policyName}
              onChange={({ target }) => setName(target.value)}
              problem={problem("policyName")}
            />
            <Field
              label="Priority"
              type="number"
              step={1}
              required
              value={Number.isNaN(priority) ? "" : priority}
              onChange={({ target }) => setPriority(target.valueAsNumber)}
              hint="For each setting, the policy with the highest priority wins."
              problem={problem("priority")}
            />
          </div>
          <Checkbox
            label="Enabled"
            hint="A policy that is not enabled sets nothing."
            isChecked={isEnabled}
            onChange={setEnabled}
          />
          <SettingFields policy={policy} onChange={setPolicy} problem={problem} />
          <AudienceFields
            value={audience}
            onChange={setAudience}
            problem={problem}
            wasNobody={existing?.audience === "nobody"}
          />
        </>
      )}
    </PreviewDialog>
  )
}
