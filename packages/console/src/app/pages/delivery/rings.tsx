/** The rings of rollouts, when none starts, and when one is paused. */
import type { Ring, RolloutSettings } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { reload } from "../../design/action.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { Shown } from "../../design/query.tsx"
import { Tabs } from "../../design/tabs.tsx"
import { notify } from "../../design/toast.tsx"
import { Badge, Button, Empty, Notice, PageHeader } from "../../design/ui.tsx"
import { useUnsaved } from "../../design/unsaved.ts"
import { Freezes } from "./freezes.tsx"
import { newRing, RingAudience, RingDialog, soakText } from "./ring-form.tsx"
import { RingsPreview } from "./rings-preview.tsx"
import { Thresholds } from "./thresholds.tsx"
import "./delivery.css"

const ringsMax = 10

const moved = (rings: ReadonlyArray<Ring>, from: number, to: number): ReadonlyArray<Ring> => {
  const next = [...rings]
  const [ring] = next.splice(from, 1)
  if (ring !== undefined) next.splice(to, 0, ring)
  return next
}

type Draft = ReadonlyArray<Ring> | undefined

const Rings = ({
  draft,
  saved,
  setDraft
}: {
  readonly saved: ReadonlyArray<Ring>
  readonly draft: Draft
  readonly setDraft: (draft: Draft) => void
}) => {
  const [editing, setEditing] = useState<{ readonly index: number; readonly key: number }>()
  const [isSaving, setSaving] = useState(false)
  const rings = draft ?? saved
  const edited = editing === undefined ? undefined : (rings[editing.index] ?? newRing)
  const edit = (index: number) => setEditing({ index, key: (editing?.key ?? 0) + 1 })
  const add = (
    <Button permission="rollouts:manage" disabled={rings.length >= ringsMax} onClick={() => edit(rings.length)}>
      Add a ring
    </Button>
  )
  return (
    <div className="stack">
      {draft !== undefined && (
        <Notice title="The changes are not saved yet" tone="warn">
          <div className="row">
            <Button kind="primary" permission="rollouts:manage" onClick={() => setSaving(true)}>
              Save the rings…
            </Button>
            <Button onClick={() => setDraft(undefined)}>Discard the changes</Button>
          </div>
        </Notice>
      )}
      {rings.length === 0 ? (
        <Empty title="No rings yet">
          <p>Everyone gets an approved release at once. Add a ring to deliver it to a few people first.</p>
          {add}
        </Empty>
      ) : (
        <>
          <ol className="rings" aria-label="Rings">
            {rings.map((ring, index) => (
              <li className="ring" key={ring.name}>
                <span className="row spread">
                  <strong>
                    {index + 1}. {ring.name}
                  </strong>
                  <Badge>{ring.promotion}</Badge>
                </span>
                <RingAudience ring={ring} />
                <span className="muted">
                  {ring.promotion === "automatic"
                    ? `The next ring starts after ${soakText(ring.soakMinutes)}.`
                    : `Soaks for ${soakText(ring.soakMinutes)}, then waits for a promotion.`}
                </span>
                <span className="row">
                  <Button
                    kind="quiet"
                    permission="rollouts:manage"
                    aria-label={`Edit ${ring.name}`}
                    onClick={() => edit(index)}
                  >
                    Edit
                  </Button>
                  <Button
                    kind="quiet"
                    permission="rollouts:manage"
                    disabled={index === 0}
                    aria-label={`Move ${ring.name} earlier`}
                    onClick={() => setDraft(moved(rings, index, index - 1))}
                  >
                    ←
                  </Button>
                  <Button
                    kind="quiet"
                    permission="rollouts:manage"
                    disabled={index === rings.length - 1}
                    aria-label={`Move ${ring.name} later`}
                    onClick={() => setDraft(moved(rings, index, index + 1))}
                  >
                    →
                  </Button>
                  <Button
                    kind="quiet"
                    permission="rollouts:manage"
                    aria-label={`Remove ${ring.name}`}
                    onClick={() => setDraft(rings.filter((_, each) => each !== index))}
                  >
                    Remove
                  </Button>
                </span>
              </li>
            ))}
            <li className="ring" data-state="done">
              <strong>{rings.length + 1}. Everyone</strong>
              <span className="muted">All members who are in no ring before.</span>
            </li>
          </ol>
          <div className="row">{add}</div>
        </>
      )}
      <p className="muted">Rollouts that are open keep the rings that they were created with.</p>
      {editing !== undefined && edited !== undefined && (
        <RingDialog
          key={editing.key}
          ring={edited}
          names={rings.flatMap(({ name }, index) => (index === editing.index ? [] : [name]))}
          isOpen
          onClose={() => setEditing(undefined)}
          onSave={(ring) =>
            setDraft(
              editing.index < rings.length
                ? rings.map((each, index) => (index === editing.index ? ring : each))
                : [...rings, ring]
            )
          }
        />
      )}
      <Confirm
        title="Save the rings?"
        action="Save the rings"
        isOpen={isSaving}
        onClose={() => setSaving(false)}
        confirm={async () => {
          await client.rollouts.updateSettings({ rings })
          setDraft(undefined)
          notify("The rings were saved.")
          void reload(["rollouts"])
        }}
      >
        <p>
          {rings.length === 0
            ? "From the next release on, everyone gets an approved release at once."
            : "The rings apply to rollouts that start from now on."}
        </p>
        <RingsPreview rings={rings} />
      </Confirm>
    </div>
  )
}

export const Page = () => {
  const query = useQuery({
    queryKey: ["rollouts", "settings"],
    queryFn: ({ signal }) => client.rollouts.getSettings({ signal })
  })
  // The content of a tab is not kept when another one is selected.
  const [draft, setDraft] = useState<Draft>()
  useUnsaved(draft !== undefined)
  const tabs = ({ freezes, rings, thresholds }: RolloutSettings) => [
    { value: "rings", label: "Rings", content: () => <Rings saved={rings} draft={draft} setDraft={setDraft} /> },
    { value: "freezes", label: "Freezes", content: () => <Freezes saved={freezes} /> },
    { value: "thresholds", label: "Automatic pauses", content: () => <Thresholds saved={thresholds} /> }
  ]
  return (
    <>
      <PageHeader
        title="Rings"
        description="Who gets a release first, when no rollout starts, and when a rollout is paused automatically."
        actions={
          <Link to="/rollouts" className="button">
            Rollouts
          </Link>
        }
      />
      <Shown query={query} lines={6}>
        {(settings) => <Tabs tabs={tabs(settings)} />}
      </Shown>
    </>
  )
}
