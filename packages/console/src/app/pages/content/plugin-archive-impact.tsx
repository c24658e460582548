/** What is affected by the removal of a plugin or of its objects: assignments, members, and other plugins. */
import type { Assignment } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { client } from "../../api/client.ts"
import { NamedList, readOnce } from "../../design/consequences.tsx"
import { Shown } from "../../design/query.tsx"
import { plural } from "../../design/text.ts"
import { modes } from "../../objects/assignment-modes.ts"

const readMax = 100

const byMode = (assignments: ReadonlyArray<Assignment>) =>
  modes.flatMap(([mode, label]) => {
    const count = assignments.filter((each) => each.mode === mode).length
    return count === 0 ? [] : [`${label.toLowerCase()}: ${count}`]
  })

/** The assignments of the plugin, which have no effect while it is archived. */
const Assignments = ({ pluginId }: { readonly pluginId: string }) => {
  const query = useQuery({
    queryKey: ["impacts", "plugin-assignments", pluginId],
    queryFn: ({ signal }) => client.assignments.list({ pluginId, limit: readMax }, { signal }),
    ...readOnce
  })
  return (
    <Shown query={query} lines={1}>
      {({ items, nextCursor }) => (
        <p>
          {items.length === 0
            ? "The plugin has no assignment of its own."
            : `${nextCursor === null ? "" : "At least "}${plural(items.length, "assignment")} no longer ${items.length === 1 ? "has" : "have"} an effect (${byMode(items).join(", ")}).`}
        </p>
      )}
    </Shown>
  )
}

/** The members with a device that should run the plugin. */
export const PluginMembers = ({ label, pluginId }: { readonly label: string; readonly pluginId: string }) => {
  const query = useQuery({
    queryKey: ["impacts", "plugin-members", pluginId],
    queryFn: ({ signal }) => client.delivery.listMembers({ pluginId, limit: readMax }, { signal }),
    ...readOnce
  })
  return (
    <Shown query={query} lines={2}>
      {({ items, nextCursor }) =>
        items.length === 0 ? (
          <p>No member has a device that should run the plugin.</p>
        ) : (
          <>
            <NamedList
              label={label}
              rows={items.map(({ email, name, orgMembershipId }) => ({
                id: orgMembershipId,
                name: name ?? email ?? orgMembershipId
              }))}
              total={items.length}
            />
            {nextCursor !== null && <p className="muted">Only the first {readMax} members were read.</p>}
          </>
        )
      }
    </Shown>
  )
}

export const PluginUse = ({ pluginId }: { readonly pluginId: string }) => (
  <>
    <Assignments pluginId={pluginId} />
    <PluginMembers pluginId={pluginId} label="Members with devices that should run the plugin" />
  </>
)

/** The other plugins that contain a config object. */
export const OtherPlugins = ({ objectId, pluginId }: { readonly objectId: string; readonly pluginId: string }) => {
  const query = useQuery({
    queryKey: ["impacts", "object-plugins", objectId],
    queryFn: ({ signal }) => client.plugins.list({ configObjectId: objectId, limit: readMax }, { signal }),
    ...readOnce
  })
  return (
    <Shown query={query} lines={1}>
      {({ items, nextCursor }) => {
        const others = items.filter(({ id }) => id !== pluginId)
        return others.length === 0 ? (
          <p>No other plugin that you can see contains the object.</p>
        ) : (
          <>
            <NamedList label="Other plugins that contain the object" rows={others} total={others.length} />
            {nextCursor !== null && <p className="muted">Only the first {readMax} plugins were read.</p>}
          </>
        )
      }}
    </Shown>
  )
}
