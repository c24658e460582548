/** The forms that create and edit an assignment, with who is affected before it is saved. */
import type { Assignment, AssignmentMode, CreateAssignment, UpdateAssignment } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useId, useState } from "react"
import { client } from "../../api/client.ts"
import { SelectField } from "../../design/fields.tsx"
import { useFormField, useFormVersion } from "../../design/form-version.ts"
import { Field } from "../../design/ui.tsx"
import { modes } from "../../objects/assignment-modes.ts"
import { AssignmentEffects, shortDigest } from "./assignment-simulation.tsx"
import { audienceInput, audienceOf, AudienceFields, type AudienceValue, everyone, isComplete } from "./audience.tsx"
import { Picker } from "../../objects/picker.tsx"
import { PreviewDialog } from "../../design/preview-dialog.tsx"
import "./delivery.css"

type Problem = (field: string) => string | undefined

const ModeField = ({
  onChange,
  value
}: {
  readonly value: AssignmentMode
  readonly onChange: (mode: AssignmentMode) => void
}) => {
  const name = useId()
  return (
    <fieldset className="radios">
      <legend>Mode</legend>
      {modes.map(([mode, label, meaning]) => (
        <div className="radio" key={mode}>
          <input
            id={`${name}-${mode}`}
            type="radio"
            name={name}
            checked={value === mode}
            onChange={() => onChange(mode)}
          />
          <label htmlFor={`${name}-${mode}`}>
            {label} <span className="hint">{meaning}</span>
          </label>
        </div>
      ))}
    </fieldset>
  )
}

/** Which release members receive. Only approved releases can be pinned. */
const VersionField = ({
  onChange,
  pluginId,
  problem,
  value
}: {
  readonly pluginId: string
  readonly value: string | null
  readonly onChange: (digest: string | null) => void
  readonly problem: string | undefined
}) => {
  const releases = useQuery({
    queryKey: ["approvals", "approved", pluginId],
    queryFn: ({ signal }) => client.approvals.list({ state: "approved", pluginId, limit: 100 }, { signal })
  })
  const approved = (releases.data?.items ?? []).flatMap(({ digest, number, served, version }) =>
    digest === null
      ? []
      : [
          [
            digest,
            `${version ?? `Release ${number}`} · ${shortDigest(digest)}${served ? " · served now" : ""}`
          ] as const
        ]
  )
  const current =
    value === null || approved.some(([digest]) => digest === value)
      ? []
      : [[value, `Pinned now: ${shortDigest(value)}`] as const]
  return (
    <SelectField
      label="Version"
      hint={
        releases.isError
          ? "You cannot read the releases of this plugin, so you cannot pin one."
          : "A pinned release stays, and later releases do not reach these members."
      }
      value={value ?? ""}
      options={[["", "Latest approved release"], ...current, ...approved]}
      onChange={({ target }) => onChange(target.value === "" ? null : target.value)}
      problem={problem}
    />
  )
}

const PriorityField = ({
  onChange,
  problem,
  value
}: {
  readonly value: number
  readonly onChange: (value: number) => void
  readonly problem: string | undefined
}) => (
  <Field
    label="Priority"
    type="number"
    step={1}
    required
    value={Number.isNaN(value) ? "" : value}
    onChange={({ target }) => onChange(target.valueAsNumber)}
    hint="The assignment with the highest priority wins, unless one blocks the plugin."
    problem={problem}
  />
)

export const CreateAssignmentDialog = ({
  isOpen,
  onClose,
  pluginId: initial
}: {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly pluginId?: string | undefined
}) => {
  const navigate = useNavigate()
  const [target, setTarget] = useState<"plugin" | "marketplace">("plugin")
  const [pluginId, setPlugin] = useState(initial)
  const [marketplaceId, setMarketplace] = useState<string>()
  const [mode, setMode] = useState<AssignmentMode>("default_on")
  const [priority, setPriority] = useState(0)
  const [pinnedDigest, setPinned] = useState<string | null>(null)
  const [audience, setAudience] = useState<AudienceValue>(everyone)
  const input = (): CreateAssignment => ({
    ...(target === "plugin" ? { pluginId, ...(pinnedDigest === null ? {} : { pinnedDigest }) } : { marketplaceId }),
    mode,
    priority,
    ...audienceInput(audience)
  })
  return (
    <PreviewDialog
      title="Create an assignment"
      action="Create the assignment"
      done="The assignment was created."
      changes={["assignments", "delivery"]}
      isOpen={isOpen}
      isReady={(target === "plugin" ? pluginId : marketplaceId) !== undefined && isComplete(audience)}
      onClose={onClose}
      onDone={() => void navigate({ to: "/assignments" })}
      simulate={() => client.assignments.simulate({ create: input() })}
      preview={(effects) => <AssignmentEffects effects={effects} />}
      submit={() => client.assignments.create(input())}
    >
      {(problem: Problem) => (
        <>
          <SelectField
            label="What"
            value={target}
            options={[
              ["plugin", "A plugin"],
              ["marketplace", "All plugins of a marketplace, now and later"]
            ]}
            onChange={({ target: { value } }) => setTarget(value === "marketplace" ? "marketplace" : "plugin")}
          />
          {target === "plugin" ? (
            <Picker
              kind="plugin"
              label="Plugin"
              value={pluginId}
              onChange={(id) => {
                setPlugin(id)
                setPinned(null)
              }}
              problem={problem("pluginId")}
            />
          ) : (
            <Picker
              kind="marketplace"
              label="Marketplace"
              value={marketplaceId}
              onChange={setMarketplace}
              problem={problem("marketplaceId")}
            />
          )}
          <ModeField value={mode} onChange={setMode} />
          <AudienceFields value={audience} onChange={setAudience} problem={problem} />
          <div className="two-columns">
            <PriorityField value={priority} onChange={setPriority} problem={problem("priority")} />
            {target === "plugin" && pluginId !== undefined && (
              <VersionField
                pluginId={pluginId}
                value={pinnedDigest}
                onChange={setPinned}
                problem={problem("pinnedDigest")}
              />
            )}
          </div>
        </>
      )}
    </PreviewDialog>
  )
}

export const EditAssignmentDialog = ({
  assignment,
  etag,
  isOpen,
  onClose
}: {
  readonly assignment: Assignment
  readonly etag: string | undefined
  readonly isOpen: boolean
  readonly onClose: () => void
}) => {
  const [mode, setMode] = useFormField(assignment.mode)
  const [priority, setPriority] = useFormField(assignment.priority)
  const [pinnedDigest, setPinned] = useFormField(assignment.pinnedDigest)
  const [audience, setAudience] = useFormField(audienceOf(assignment))
  const ifMatch = useFormVersion(etag)
  const input = (): UpdateAssignment => ({
    mode,
    priority,
    ...(pinnedDigest === assignment.pinnedDigest ? {} : { pinnedDigest }),
    ...audienceInput(audience)
  })
  return (
    <PreviewDialog
      title="Edit the assignment"
      action="Save the assignment"
      done="The assignment was changed."
      changes={["assignments", "delivery"]}
      isOpen={isOpen}
      isReady={isComplete(audience)}
      onClose={onClose}
      simulate={() => client.assignments.simulate({ patch: { assignmentId: assignment.id, changes: input() } })}
      preview={(effects) => <AssignmentEffects effects={effects} />}
      submit={() => client.assignments.update(assignment.id, input(), { ifMatch })}
    >
      {(problem: Problem) => (
        <>
          <ModeField value={mode} onChange={setMode} />
          <AudienceFields
            value={audience}
            onChange={setAudience}
            problem={problem}
            wasNobody={assignment.audience === "nobody"}
          />
          <div className="two-columns">
            <PriorityField value={priority} onChange={setPriority} problem={problem("priority")} />
            {assignment.pluginId !== null && (
              <VersionField
                pluginId={assignment.pluginId}
                value={pinnedDigest}
                onChange={setPinned}
                problem={problem("pinnedDigest")}
              />
            )}
          </div>
        </>
      )}
    </PreviewDialog>
  )
}
