/** The plugins of the person: which are on, why, and the person's own choice, unless an assignment requires or blocks the plugin. */
import type { DesiredState, DesiredStateReason } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { useSetting } from "../../design/action.tsx"
import { NameLink } from "../../design/name-link.tsx"
import { Shown } from "../../design/query.tsx"
import { SimpleTable } from "../../design/simple-table.tsx"
import { Badge, Button, Empty, Notice, SearchInput } from "../../design/ui.tsx"
import { modeLabel, modeTones } from "../../objects/assignment-modes.ts"
import { StateVia } from "../../objects/state-via.tsx"

type Plugin = DesiredState["plugins"][number]
type Blocked = DesiredState["blocked"][number]

/** A plugin, or a plugin or marketplace that an assignment blocks. */
type Row =
  | { readonly id: string; readonly name: string; readonly plugin: Plugin }
  | { readonly id: string; readonly name: string; readonly blocked: Blocked }

const rules: Readonly<Record<Exclude<DesiredStateReason["rule"], "choice">, string>> = {
  required: "An assignment requires it",
  default_on: "An assignment turns it on",
  available: "An assignment makes it available",
  blocked: "An assignment blocks it",
  access: "You have access"
}

const Why = ({ isOn, reason }: { readonly isOn: boolean; readonly reason: DesiredStateReason }) => {
  const { rule, via } = reason
  if (rule === "choice") return <>You turned it {isOn ? "on" : "off"}.</>
  if (rule === "access" && via === "organization") return <>Everyone in the organization has access.</>
  if (rule === "access" && via === "member") return <>You have access through a grant to you.</>
  return (
    <>
      {rules[rule]} <StateVia person="you" reason={reason} />.
    </>
  )
}

const Choice = ({ plugin: { enabled, locked, mode, name, pluginId, reason } }: { readonly plugin: Plugin }) => {
  const {
    change,
    isBusy,
    value: isOn
  } = useSetting(enabled, { changes: ["desired-state", "assignments"], failed: `${name} was not changed.` })
  const badge = <Badge tone={isOn ? "good" : "neutral"}>{isOn ? "on" : "off"}</Badge>
  if (locked) return badge
  return (
    <span className="row">
      <input
        type="checkbox"
        role="switch"
        aria-label={`Use ${name}`}
        checked={isOn}
        disabled={isBusy}
        onChange={({ target: { checked } }) =>
          void change(checked, () => client.assignments.setChoice(pluginId, { enabled: checked }))
        }
      />
      {badge}
      {reason.rule === "choice" && (
        <Button
          kind="quiet"
          disabled={isBusy}
          onClick={() => void change(mode === "default_on", () => client.assignments.resetChoice(pluginId))}
        >
          Use the default
        </Button>
      )}
    </span>
  )
}

const Version = ({ plugin: { delivery, version } }: { readonly plugin: Plugin }) =>
  delivery === "pinned_not_stored" ? (
    <span title="An assignment pins a release whose files are no longer stored.">
      <Badge tone="bad">pin not stored</Badge>
    </span>
  ) : (
    <>
      {version ?? <span className="muted">unnamed</span>} {delivery === "pinned" && <Badge>pinned</Badge>}
    </>
  )

const rowsOf = ({ blocked, plugins }: DesiredState): ReadonlyArray<Row> =>
  [
    ...plugins.map((plugin) => ({ id: plugin.pluginId, name: plugin.name, plugin })),
    ...blocked.map((each) => ({ id: each.id, name: each.name, blocked: each }))
  ].toSorted((a, b) => a.name.localeCompare(b.name))

const Table = ({ state }: { readonly state: DesiredState }) => {
  const [text, setText] = useState("")
  const rows = rowsOf(state)
  if (rows.length === 0) {
    return (
      <Empty title="No plugin is shared with you yet">
        <NameLink to="/plugins">Plugins of the organization</NameLink>
      </Empty>
    )
  }
  return (
    <>
      <div className="row">
        <SearchInput label="Search your plugins" value={text} onChange={setText} />
      </div>
      <SimpleTable
        label="Your plugins"
        columns={[
          {
            name: "Plugin",
            cell: (row) =>
              "plugin" in row ? (
                <NameLink to={`/plugins/${row.id}`}>{row.name}</NameLink>
              ) : (
                <>
                  {row.name} {row.blocked.kind === "marketplace" && <Badge>marketplace</Badge>}
                </>
              )
          },
          {
            name: "Mode",
            cell: (row) => {
              const mode = "plugin" in row ? row.plugin.mode : "blocked"
              return <Badge tone={modeTones[mode]}>{modeLabel(mode)}</Badge>
            }
          },
          {
            name: "State",
            cell: (row) => ("plugin" in row ? <Choice plugin={row.plugin} /> : <Badge>off</Badge>)
          },
          { name: "Version", cell: (row) => ("plugin" in row ? <Version plugin={row.plugin} /> : null) },
          {
            name: "Why",
            cell: (row) =>
              "plugin" in row ? (
                <Why reason={row.plugin.reason} isOn={row.plugin.enabled} />
              ) : (
                <Why reason={row.blocked.reason} isOn={false} />
              )
          }
        ]}
        rows={rows.filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase()))}
        idOf={({ id }) => id}
      />
    </>
  )
}

export const OwnPlugins = () => {
  const query = useQuery({
    queryKey: ["desired-state"],
    queryFn: ({ signal }) => client.desiredState.get({ signal })
  })
  return (
    <Shown query={query} lines={8}>
      {(state) => (
        <div className="stack">
          <p className="muted">
            The plugins of this organization that you can use, and those that an assignment blocks for you. Your choice
            applies to all your devices, and is kept if the mode of the plugin changes later.
          </p>
          {state.truncated && (
            <Notice title="The list is incomplete" tone="warn">
              <span>Some plugins might be missing.</span>
            </Notice>
          )}
          <Table state={state} />
        </div>
      )}
    </Shown>
  )
}
