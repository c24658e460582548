/** Whom rings would reach, and when, for a release. */
import type { Ring, RolloutPreview } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { SelectField } from "../../design/fields.tsx"
import { Shown } from "../../design/query.tsx"
import { Time } from "../../design/ui.tsx"
import { SimpleTable } from "../../design/simple-table.tsx"

export const Reach = ({
  preview: { blockedCount, pinnedCount, rings, withoutAccessCount }
}: {
  readonly preview: RolloutPreview
}) => (
  <>
    <SimpleTable
      label="Reach of the rings"
      columns={[
        { name: "Ring", cell: ({ name }) => name },
        { name: "Members", isNumber: true, cell: ({ memberCount }) => memberCount },
        { name: "Get it", isNumber: true, cell: ({ enabledCount }) => enabledCount },
        { name: "Devices", isNumber: true, cell: ({ deviceCount }) => deviceCount },
        { name: "From", cell: ({ startsAt }) => (startsAt === null ? "waits" : <Time at={startsAt} />) }
      ]}
      rows={rings}
      idOf={({ name }) => name}
    />
    <p className="muted">
      {`${pinnedCount} members keep a pinned release, ${blockedCount} are blocked, and ${withoutAccessCount} cannot see the plugin.`}
    </p>
  </>
)

export const RingsPreview = ({ rings }: { readonly rings: ReadonlyArray<Ring> }) => {
  const [selected, setSelected] = useState<string>()
  const releases = useQuery({
    queryKey: ["rollouts", "recent"],
    queryFn: ({ signal }) => client.rollouts.list({ limit: 50 }, { signal })
  })
  const recent = [...new Map((releases.data?.items ?? []).map((each) => [each.pluginId, each])).values()]
  const releaseId = selected ?? recent[0]?.releaseId
  const preview = useQuery({
    queryKey: ["rollouts", "preview", releaseId, rings],
    queryFn: ({ signal }) => client.rollouts.preview({ releaseId: releaseId ?? "", rings }, { signal }),
    enabled: releaseId !== undefined
  })
  if (releases.isSuccess && recent.length === 0) {
    return <p className="muted">No release was rolled out yet, so there is nothing to show the reach with.</p>
  }
  return (
    <>
      <SelectField
        label="Show the reach with a release of"
        value={releaseId ?? ""}
        options={recent.map(
          ({ pluginName, releaseId: each, version }) => [each, `${pluginName} ${version ?? ""}`] as const
        )}
        onChange={({ target }) => setSelected(target.value)}
      />
      <Shown query={preview}>{(value) => <Reach preview={value} />}</Shown>
    </>
  )
}
