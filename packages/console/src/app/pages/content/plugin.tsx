/** A plugin: its objects, what it can do on a member's machine, and who has access. */
import type { ConfigObject, PluginGrant } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { useParameters, usePathParameter, useSetParameters } from "../../parameters.ts"
import { client } from "../../api/client.ts"
import type { Column } from "../../design/data-table.tsx"
import { DataTable } from "../../design/data-table.tsx"
import { Markdown } from "../../design/markdown.tsx"
import { Shown } from "../../design/query.tsx"
import { Tabs } from "../../design/tabs.tsx"
import { Badge, Empty, PageHeader, Time } from "../../design/ui.tsx"

const readAhead = 50

const Source = ({ object }: { readonly object: ConfigObject }) => {
  const version = object.latestVersion
  if (version === null) return <p className="muted">This object has no content yet.</p>
  const text = version.rawSourceText ?? JSON.stringify(version.normalizedPayloadJson, null, 2)
  const [, , body = text] = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?([\s\S]*)$/.exec(text) ?? []
  const isMarkdown = object.currentFileExtension === "md" || object.currentRelativePath?.endsWith(".md") === true
  return isMarkdown ? (
    <Markdown text={body} />
  ) : (
    <pre className="code" tabIndex={0}>
      {text}
    </pre>
  )
}

const Objects = ({ pluginId }: { readonly pluginId: string }) => {
  const { object: selected } = useParameters()
  const set = useSetParameters()
  const query = useQuery({
    queryKey: ["plugins", pluginId, "objects"],
    queryFn: ({ signal }) => client.plugins.listObjects(pluginId, { limit: readAhead }, { signal })
  })
  return (
    <Shown query={query}>
      {({ items, nextCursor }) => {
        const objects = items.map(({ configObject }) => configObject)
        const shown = objects.find(({ id }) => id === selected) ?? objects[0]
        if (shown === undefined) return <Empty title="This plugin has no objects yet" />
        return (
          <div className="split">
            <ul className="split-list" aria-label="Objects">
              {objects.map(({ id, objectType, title }) => (
                <li key={id}>
                  <button type="button" aria-current={id === shown.id} onClick={() => set({ object: id })}>
                    <span>{title}</span>
                    <Badge>{objectType}</Badge>
                  </button>
                </li>
              ))}
              {nextCursor !== null && <li className="muted">The first {readAhead} are shown.</li>}
            </ul>
            <article className="card stack" aria-label={shown.title}>
              <div className="row spread">
                <h2>{shown.title}</h2>
                <code className="muted">{shown.currentRelativePath ?? ""}</code>
              </div>
              {shown.description !== null && <p className="muted">{shown.description}</p>}
              <Source object={shown} />
            </article>
          </div>
        )
      }}
    </Shown>
  )
}

const Capabilities = ({ pluginId }: { readonly pluginId: string }) => {
  const query = useQuery({
    queryKey: ["plugins", pluginId, "capabilities"],
    queryFn: ({ signal }) => client.plugins.capabilities(pluginId, {}, { signal })
  })
  return (
    <Shown query={query}>
      {({ elements, signals, truncated }) => (
        <div className="stack">
          {signals.length > 0 && (
            <section className="stack" aria-label="Signals">
              <h2>Look at these first</h2>
              <ul className="facts">
                {signals.map(({ line, message, path, rule }) => (
                  <li key={`${rule} ${path} ${line}`}>
                    <Badge tone="warn">{rule}</Badge> <span>{message}</span>{" "}
                    <code className="muted">
                      {path}:{line}
                    </code>
                  </li>
                ))}
              </ul>
            </section>
          )}
          {elements.length === 0 ? (
            <Empty title="This plugin contains text only">
              <p>It starts no program, contacts no server, and changes no settings.</p>
            </Empty>
          ) : (
            <ul className="facts">
              {elements.map(({ id, kind, line, path, summary }) => (
                <li key={id}>
                  <Badge>{kind}</Badge> <span>{summary}</span>{" "}
                  <code className="muted">
                    {path}:{line}
                  </code>
                </li>
              ))}
            </ul>
          )}
          {truncated && <p className="muted">There are more than are shown.</p>}
        </div>
      )}
    </Shown>
  )
}

const receiverOf = ({ orgMembershipId, orgWide, teamId }: PluginGrant) =>
  orgWide ? "Everyone" : teamId !== null ? <code>{teamId}</code> : <code>{orgMembershipId ?? ""}</code>

const grantColumns: ReadonlyArray<Column<PluginGrant>> = [
  { name: "Who", width: "minmax(0, 2fr)", cell: receiverOf },
  { name: "Role", width: "minmax(0, 1fr)", cell: ({ role }) => <Badge>{role}</Badge> },
  { name: "Since", width: "160px", wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> }
]

const Access = ({ pluginId }: { readonly pluginId: string }) => (
  <DataTable
    label="Access"
    columns={grantColumns}
    queryKey={["plugins", pluginId, "access"]}
    load={(cursor, signal) =>
      client.plugins.listAccess(pluginId, { limit: 50, ...(cursor === undefined ? {} : { cursor }) }, { signal })
    }
    idOf={({ id }) => id}
    empty={<Empty title="Only owners, admins and the creator have access" />}
  />
)

export const Page = () => {
  const pluginId = usePathParameter("pluginId")
  const plugin = useQuery({
    queryKey: ["plugins", pluginId],
    queryFn: ({ signal }) => client.plugins.get(pluginId, { signal })
  })
  return (
    <Shown query={plugin}>
      {({ description, name, pendingReleaseId }) => (
        <>
          <PageHeader
            title={name}
            {...(description === null ? {} : { description })}
            actions={pendingReleaseId === null ? undefined : <Badge tone="warn">waits for approval</Badge>}
          />
          <Tabs
            tabs={[
              { value: "objects", label: "Objects", content: () => <Objects pluginId={pluginId} /> },
              { value: "capabilities", label: "Capabilities", content: () => <Capabilities pluginId={pluginId} /> },
              { value: "access", label: "Access", content: () => <Access pluginId={pluginId} /> }
            ]}
          />
        </>
      )}
    </Shown>
  )
}
