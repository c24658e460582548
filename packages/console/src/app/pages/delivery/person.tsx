/** The effective state of one person: every plugin and every setting, with the reason, and the devices. */
import type { EffectiveAssignment } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { client } from "../../api/client.ts"
import { type Column, DataTable } from "../../design/data-table.tsx"
import { ExportButton } from "../../design/export-button.tsx"
import { Section } from "../../design/facts.tsx"
import { Shown } from "../../design/query.tsx"
import { Tabs } from "../../design/tabs.tsx"
import { Badge, Empty, PageHeader } from "../../design/ui.tsx"
import { useName } from "../../objects/names.tsx"
import { useParameters, usePathParameter, useSetParameters } from "../../parameters.ts"
import { Mode, shortDigest, sourceText } from "./assignment-simulation.tsx"
import { Counts } from "./counts.tsx"
import { assignmentRules } from "./explanations.ts"
import { Devices } from "./fleet-tables.tsx"
import { OnOff, PluginExplanation } from "./person-plugin.tsx"
import { PersonPolicy } from "./person-policy.tsx"
import { MemberState, OwnState, useIsOwn } from "./person-state.tsx"
import { Picker } from "../../objects/picker.tsx"
import "./delivery.css"

const columns: ReadonlyArray<Column<EffectiveAssignment>> = [
  {
    name: "Plugin",
    width: "minmax(0, 2fr)",
    cell: ({ pluginId, pluginName }) => (
      <strong title={pluginName ?? pluginId}>{pluginName ?? <code>{pluginId}</code>}</strong>
    ),
    sort: ({ pluginName }) => pluginName
  },
  {
    name: "State",
    width: "minmax(90px, 1fr)",
    cell: ({ enabled, hasAccess }) => (
      <>
        <OnOff enabled={enabled} /> {!hasAccess && <Badge tone="bad">no access</Badge>}
      </>
    ),
    sort: ({ enabled }) => (enabled ? 0 : 1)
  },
  { name: "Mode", width: "130px", wide: true, cell: ({ mode }) => <Mode mode={mode} />, sort: ({ mode }) => mode },
  {
    name: "Version",
    width: "130px",
    wide: true,
    cell: ({ pinnedDigest, version }) =>
      version === "pinned_not_stored" ? (
        <Badge tone="bad">pin not stored</Badge>
      ) : pinnedDigest !== null ? (
        <code title={pinnedDigest}>{shortDigest(pinnedDigest)}</code>
      ) : version === "none" ? (
        <span className="muted">none</span>
      ) : (
        <span className="muted">latest approved</span>
      )
  },
  {
    name: "Why",
    width: "minmax(0, 3fr)",
    wide: true,
    cell: ({ explanation }) => {
      if (explanation === null) return ""
      const text = explanation.winner === null ? assignmentRules[explanation.rule] : sourceText(explanation.winner)
      return <span title={`${text}. ${assignmentRules[explanation.rule]}`}>{text}</span>
    }
  }
]

const Plugins = ({ orgMembershipId }: { readonly orgMembershipId: string }) => {
  const { plugin } = useParameters()
  const set = useSetParameters()
  const load = (limit: number, cursor: string | undefined, signal?: AbortSignal) =>
    Promise.resolve(
      client.assignments.effective(
        orgMembershipId,
        { explain: true, limit, ...(cursor === undefined ? {} : { cursor }) },
        { signal }
      )
    )
  if (plugin !== undefined) {
    return (
      <PluginExplanation
        key={plugin}
        orgMembershipId={orgMembershipId}
        pluginId={plugin}
        onClose={() => set({ plugin: undefined })}
      />
    )
  }
  return (
    <div className="stack">
      <div className="row spread">
        <div className="explain-field">
          <Picker
            kind="plugin"
            label="Explain a plugin"
            value={undefined}
            onChange={(id) => set({ plugin: id })}
            hint="Including plugins without an assignment."
          />
        </div>
        <ExportButton name="effective-assignments" load={(cursor) => load(100, cursor)} />
      </div>
      <DataTable
        label="Plugins of the member"
        columns={columns}
        queryKey={["assignments", "effective", orgMembershipId]}
        load={(cursor, signal) => load(50, cursor, signal)}
        idOf={({ pluginId }) => pluginId}
        isExported={false}
        open={({ pluginId }) => set({ plugin: pluginId })}
        empty={
          <Empty title="No assignment names a plugin for this member">
            <p>Every plugin that the member can see is available, and off until the member turns it on.</p>
            <Link to="/assignments">Show the assignments</Link>
          </Empty>
        }
      />
    </div>
  )
}

const Running = ({ orgMembershipId }: { readonly orgMembershipId: string }) => {
  const query = useQuery({
    queryKey: ["delivery", "status", { orgMembershipId }],
    queryFn: ({ signal }) => client.delivery.status({ orgMembershipId }, { signal }),
    refetchInterval: 15_000
  })
  return (
    <Section title="Wanted and running">
      <Shown query={query} lines={2}>
        {({ devices, installations }) =>
          devices.total === 0 ? (
            <p className="muted">No device of this member has reported yet.</p>
          ) : (
            <Counts counts={installations} />
          )
        }
      </Shown>
    </Section>
  )
}

export const Page = () => {
  const orgMembershipId = usePathParameter("orgMembershipId")
  const member = useName("member", orgMembershipId)
  const isOwn = useIsOwn(orgMembershipId)
  return (
    <div className="stack">
      <PageHeader
        title={member.name ?? (member.isMissing ? "Removed member" : "Member")}
        description="Desired and installed content of this member, with the reasons."
        actions={
          <>
            <Link className="button" to={`/members/${orgMembershipId}`}>
              Show the member
            </Link>
            <Link className="button" to="/access" search={{ member: orgMembershipId }}>
              Explain access
            </Link>
          </>
        }
      />
      <Running orgMembershipId={orgMembershipId} />
      <Tabs
        tabs={[
          { value: "plugins", label: "Plugins", content: () => <Plugins orgMembershipId={orgMembershipId} /> },
          {
            value: "policy",
            label: "Desktop policy",
            content: () => <PersonPolicy orgMembershipId={orgMembershipId} />
          },
          { value: "devices", label: "Devices", content: () => <Devices orgMembershipId={orgMembershipId} /> },
          {
            value: "state",
            label: "Desired state",
            content: () => (isOwn ? <OwnState /> : <MemberState orgMembershipId={orgMembershipId} />)
          }
        ]}
      />
    </div>
  )
}
