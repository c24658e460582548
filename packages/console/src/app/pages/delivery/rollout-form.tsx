/** Starts a rollout of a release that was approved before, such as an earlier one. */
import type { Rollout } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { SelectField } from "../../design/fields.tsx"
import { Failure, Field } from "../../design/ui.tsx"
import { shortDigest } from "./assignment-simulation.tsx"
import { Picker } from "../../objects/picker.tsx"
import { PreviewDialog } from "../../design/preview-dialog.tsx"
import { Reach } from "./rings-preview.tsx"

export const StartRolloutDialog = ({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) => {
  const navigate = useNavigate()
  const [pluginId, setPlugin] = useState<string>()
  const [selected, setSelected] = useState("")
  const [start, setStart] = useState("")
  const releases = useQuery({
    queryKey: ["approvals", "approved", pluginId],
    queryFn: ({ signal }) => client.approvals.list({ state: "approved", pluginId, limit: 100 }, { signal }),
    enabled: pluginId !== undefined
  })
  const others = (releases.data?.items ?? []).filter(({ served }) => !served)
  const releaseId = others.some(({ id }) => id === selected) ? selected : ""
  return (
    <PreviewDialog
      title="Start a rollout"
      description="A release starts its rollout automatically when it is approved. Start one here for a release that was rolled back, or for an earlier one."
      action="Start the rollout"
      done="The rollout was created."
      changes={["rollouts", "approvals", "delivery"]}
      isOpen={isOpen}
      isReady={releaseId !== ""}
      onClose={onClose}
      simulate={() => client.rollouts.preview({ releaseId })}
      preview={(preview) => (
        <>
          <Reach preview={preview} />
          <p>The rollout of the plugin that is open, if there is one, ends.</p>
        </>
      )}
      submit={async () => {
        const { id }: Rollout = await client.rollouts.create({
          releaseId,
          ...(start === "" ? {} : { startsAt: new Date(start).toISOString() })
        })
        void navigate({ to: `/rollouts/${id}` })
      }}
    >
      {(problem) => (
        <>
          <Picker kind="plugin" label="Plugin" value={pluginId} onChange={setPlugin} />
          {releases.isError && <Failure error={releases.error} retry={() => void releases.refetch()} />}
          {pluginId !== undefined && releases.isSuccess && (
            <SelectField
              label="Release"
              value={releaseId}
              hint={others.length === 0 ? "The plugin has no approved release other than the one that is served." : ""}
              options={[
                ["", "Choose…"],
                ...others.map(
                  ({ digest, id, number, version }) =>
                    [
                      id,
                      `${version ?? `Release ${number}`}${digest === null ? "" : ` · ${shortDigest(digest)}`}`
                    ] as const
                )
              ]}
              onChange={({ target }) => setSelected(target.value)}
              problem={problem("releaseId")}
            />
          )}
          <Field
            label="Start (optional)"
            type="datetime-local"
            value={start}
            onChange={({ target }) => setStart(target.value)}
            hint="In your time zone. Without a time, it starts as soon as no freeze applies."
            problem={problem("startsAt")}
          />
        </>
      )}
    </PreviewDialog>
  )
}
