/** Who has a plugin that is archived: its assignments, and the members whose devices run it. */
import type { Assignment } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { client } from "../../api/client.ts"
import { Shown } from "../../design/query.tsx"
import { plural } from "../../design/text.ts"
import { NamedList, readOnce } from "./removals.tsx"

const readMax = 100

const modeNames = {
  required: "required",
  default_on: "on by default",
  available: "available",
  blocked: "blocked"
} as const

const byMode = (assignments: ReadonlyArray<Assignment>) =>
  Object.entries(modeNames).flatMap(([mode, name]) => {
    const count = assignments.filter((each) => each.mode === mode).length
    return count === 0 ? [] : [`${name}: ${count}`]
  })

export const PluginUse = ({ pluginId }: { readonly pluginId: string }) => {
  const assignments = useQuery({
    queryKey: ["impacts", "plugin-assignments", pluginId],
    queryFn: ({ signal }) => client.assignments.list({ pluginId, limit: readMax }, { signal }),
    ...readOnce
  })
  const members = useQuery({
    queryKey: ["impacts", "plugin-members", pluginId],
    queryFn: ({ signal }) => client.delivery.listMembers({ pluginId, limit: readMax }, { signal }),
    ...readOnce
  })
  return (
    <>
      <Shown query={assignments} lines={1}>
        {({ items, nextCursor }) => (
          <p>
            {items.length === 0
              ? "The plugin has no assignment of its own."
              : `${nextCursor === null ? "" : "At least "}${plural(items.length, "assignment")} no longer ${items.length === 1 ? "has" : "have"} an effect (${byMode(items).join(", ")}).`}
          </p>
        )}
      </Shown>
      <Shown query={members} lines={2}>
        {({ items, nextCursor }) =>
          items.length === 0 ? (
            <p>No member has reported a device with the plugin.</p>
          ) : (
            <>
              {nextCursor !== null && <p className="muted">The first {readMax} members are counted.</p>}
              <NamedList
                label="Members who lose it on their devices"
                rows={items.map(({ email, name, orgMembershipId }) => ({
                  id: orgMembershipId,
                  name: name ?? email ?? orgMembershipId
                }))}
                total={items.length}
              />
            </>
          )
        }
      </Shown>
    </>
  )
}
