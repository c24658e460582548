/** An assignment: what it assigns, to whom, and who would be affected by a change. */
import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { Facts, Section } from "../../design/facts.tsx"
import { Shown } from "../../design/query.tsx"
import { Badge, Button, PageHeader, Time } from "../../design/ui.tsx"
import { modes } from "../../objects/assignment-modes.ts"
import { Name, useName } from "../../objects/names.tsx"
import { usePathParameter } from "../../parameters.ts"
import { EditAssignmentDialog } from "./assignment-form.tsx"
import { AssignmentEffects, Mode } from "./assignment-simulation.tsx"
import { PreviewConfirm } from "../../design/preview-dialog.tsx"
import { SimpleTable } from "../../design/simple-table.tsx"

const assignmentQuery = (id: string) => ({
  queryKey: ["assignments", id],
  queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
    const { data, response } = await client.assignments.get(id, { signal }).withResponse()
    return { assignment: data, etag: response.headers.get("etag") ?? undefined }
  }
})

export const Page = () => {
  const id = usePathParameter("assignmentId")
  const navigate = useNavigate()
  const query = useQuery(assignmentQuery(id))
  const [editing, setEditing] = useState(0)
  const [isEditing, setOpen] = useState(false)
  const [isRemoving, setRemoving] = useState(false)
  const { marketplaceId = null, pluginId = null } = query.data?.assignment ?? {}
  const plugin = useName("plugin", pluginId)
  const marketplace = useName("marketplace", marketplaceId)
  return (
    <Shown query={query} lines={6}>
      {({ assignment, etag }) => {
        const { audience, memberIds, mode, pinnedDigest, priority, teamIds } = assignment
        const name = (pluginId === null ? marketplace : plugin).name ?? "Assignment"
        const receivers = [
          ...teamIds.map((each) => ({ id: each, kind: "team" as const })),
          ...memberIds.map((each) => ({ id: each, kind: "member" as const }))
        ]
        return (
          <div className="stack">
            <PageHeader
              title={name}
              description={modes.find(([value]) => value === mode)?.[2] ?? ""}
              actions={
                <>
                  <Button
                    kind="primary"
                    onClick={() => {
                      setEditing(editing + 1)
                      setOpen(true)
                    }}
                  >
                    Edit the assignment
                  </Button>
                  <Button permission="assignments:manage" kind="danger" onClick={() => setRemoving(true)}>
                    Remove the assignment
                  </Button>
                </>
              }
            />
            <Section title="Assignment">
              <Facts
                rows={[
                  [
                    "What",
                    pluginId !== null ? (
                      <Name kind="plugin" id={pluginId} />
                    ) : (
                      <>
                        All plugins of <Name kind="marketplace" id={marketplaceId ?? ""} />
                      </>
                    )
                  ],
                  ["Mode", <Mode key="mode" mode={mode} />],
                  ["Priority", priority],
                  [
                    "Version",
                    pinnedDigest === null ? "The latest approved release" : <code key="digest">{pinnedDigest}</code>
                  ],
                  [
                    "Created by",
                    assignment.createdByOrgMembershipId === null ? null : (
                      <Name kind="member" id={assignment.createdByOrgMembershipId} />
                    )
                  ],
                  ["Created", <Time key="created" at={assignment.createdAt} />],
                  ["Changed", <Time key="changed" at={assignment.updatedAt} />]
                ]}
              />
            </Section>
            <Section title="Who">
              {audience === "organization" && <p>Everyone in the organization.</p>}
              {audience === "nobody" && (
                <p>
                  <Badge tone="warn">No members</Badge> All its members and teams were removed. Select others, or remove
                  the assignment.
                </p>
              )}
              {receivers.length > 0 && (
                <SimpleTable
                  label="Teams and members"
                  columns={[
                    { name: "Name", cell: ({ id: each, kind }) => <Name kind={kind} id={each} /> },
                    { name: "Kind", cell: ({ kind }) => <Badge>{kind}</Badge> }
                  ]}
                  rows={receivers}
                  idOf={(each) => each.id}
                />
              )}
            </Section>
            <EditAssignmentDialog
              key={editing}
              assignment={assignment}
              etag={etag}
              isOpen={isEditing}
              onClose={() => setOpen(false)}
            />
            <PreviewConfirm
              title="Remove this assignment?"
              action="Remove the assignment"
              done="The assignment was removed."
              changes={["assignments", "delivery"]}
              isOpen={isRemoving}
              onClose={() => setRemoving(false)}
              onDone={() => void navigate({ to: "/assignments" })}
              queryKey={["assignment-effects", id]}
              simulate={(signal) => client.assignments.simulate({ delete: { assignmentId: id } }, { signal })}
              preview={(effects) => <AssignmentEffects effects={effects} />}
              work={() => client.assignments.remove(id, { ifMatch: etag })}
            >
              <p>It takes effect at once. Other assignments of the same plugin then decide.</p>
            </PreviewConfirm>
          </div>
        )
      }}
    </Shown>
  )
}
