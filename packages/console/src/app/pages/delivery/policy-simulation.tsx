/** Whose settings a change of desktop policies would change, from what to what, and which policy decides then. */
import type {
  DesktopPolicySimulation,
  DesktopSettingChange,
  DesktopSettingDecision,
  DesktopSettingValue
} from "@orgplane/client"
import { Graph, type GraphEdge, type GraphNode } from "../../design/graph.tsx"
import { plural } from "../../design/text.ts"
import { Badge, Notice } from "../../design/ui.tsx"
import { Name } from "../../objects/names.tsx"
import { settingLabel, valueText } from "./settings.ts"
import { Numbers, SimpleTable } from "../../design/simple-table.tsx"

export const Value = ({ value }: { readonly value: DesktopSettingValue }) =>
  typeof value === "boolean" ? (
    <Badge tone={value ? "good" : "warn"}>{valueText(value)}</Badge>
  ) : (
    <Badge>
      <span title={value.map(({ prompt }) => prompt).join("\n")}>{valueText(value)}</span>
    </Badge>
  )

const throughLabels = { member: "for the member", team: "for a team", organization: "for everyone" } as const

export const winnerText = (winner: DesktopSettingDecision["winner"]): string =>
  winner === null ? "no policy" : (winner.policyName ?? winner.id ?? "the new policy")

const winnerDetail = (winner: DesktopSettingDecision["winner"]): string =>
  winner === null ? "on by default" : `priority ${winner.priority}, ${throughLabels[winner.through]}`

const Decision = ({ decision: { value, winner } }: { readonly decision: DesktopSettingDecision }) => (
  <span className="change">
    <Value value={value} />
    <span className="muted" title={winnerDetail(winner)}>
      by {winnerText(winner)}
    </span>
  </span>
)

/** From the policy that decides now to the one that decides then, over the values, with the number of members. */
const flowOf = (changes: ReadonlyArray<DesktopSettingChange>) => {
  const nodes = new Map<string, GraphNode>()
  const flows = new Map<string, { readonly from: string; readonly to: string; members: number }>()
  for (const { after, before, setting } of changes) {
    const from = `now ${setting} ${valueText(before.value)} ${winnerText(before.winner)}`
    const to = `then ${setting} ${valueText(after.value)} ${winnerText(after.winner)}`
    nodes.set(from, {
      id: from,
      title: `${settingLabel(setting)}: ${valueText(before.value)}`,
      detail: `now by ${winnerText(before.winner)}`
    })
    nodes.set(to, {
      id: to,
      title: `${settingLabel(setting)}: ${valueText(after.value)}`,
      detail: `then by ${winnerText(after.winner)}`,
      tone: after.value === true ? "good" : after.value === false ? "warn" : "accent"
    })
    const flow = flows.get(`${from} ${to}`) ?? { from, to, members: 0 }
    flow.members += 1
    flows.set(`${from} ${to}`, flow)
  }
  const edges: ReadonlyArray<GraphEdge> = [...flows.values()].map(({ from, members, to }) => ({
    from,
    to,
    label: plural(members, "member")
  }))
  return { nodes: [...nodes.values()], edges }
}

export const PolicyEffects = ({ effects }: { readonly effects: DesktopPolicySimulation }) => {
  const { changeCount, changes, memberCount, settings, truncated } = effects
  if (changeCount === 0) {
    return (
      <Notice title="No member's settings change now" tone="good">
        <span>Every member keeps the same values. The change can matter later, for new members.</span>
      </Notice>
    )
  }
  const { edges, nodes } = flowOf(changes)
  return (
    <div className="stack">
      <Numbers
        rows={[
          ["Members affected", memberCount.toLocaleString("en")],
          ["Changed settings", changeCount.toLocaleString("en")]
        ]}
      />
      <SimpleTable
        label="Changes by setting"
        columns={[
          { name: "Setting", cell: ({ setting }) => settingLabel(setting) },
          { name: "Members", isNumber: true, cell: ({ memberCount: each }) => each },
          { name: "Turned on", isNumber: true, cell: ({ turnedOn }) => turnedOn ?? "" },
          { name: "Turned off", isNumber: true, cell: ({ turnedOff }) => turnedOff ?? "" }
        ]}
        rows={settings}
        idOf={({ setting }) => setting}
      />
      <Graph label="From what to what" nodes={nodes} edges={edges} />
      <SimpleTable
        label="Changes by member"
        columns={[
          { name: "Member", cell: ({ orgMembershipId }) => <Name kind="member" id={orgMembershipId} link={false} /> },
          { name: "Setting", cell: ({ setting }) => settingLabel(setting) },
          { name: "Now", cell: ({ before }) => <Decision decision={before} /> },
          { name: "Then", cell: ({ after }) => <Decision decision={after} /> }
        ]}
        rows={changes}
        idOf={({ orgMembershipId, setting }) => `${orgMembershipId} ${setting}`}
      />
      {truncated && (
        <p className="muted">
          The first {changes.length} changes are listed and drawn. The counts include all of them.
        </p>
      )}
    </div>
  )
}
