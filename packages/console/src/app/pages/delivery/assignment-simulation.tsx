/** What a change of assignments would change, for whom. */
import type { AssignmentDecision, AssignmentMode, AssignmentSimulation, AssignmentSource } from "@orgplane/client"
import { plural } from "../../design/text.ts"
import { Badge, Notice } from "../../design/ui.tsx"
import { modeLabel, modeTones } from "../../objects/assignment-modes.ts"
import { Name } from "../../objects/names.tsx"
import { Numbers, SimpleTable } from "../../design/simple-table.tsx"
import "./delivery.css"

export const Mode = ({ mode }: { readonly mode: AssignmentMode }) => (
  <Badge tone={modeTones[mode]}>{modeLabel(mode)}</Badge>
)

export const shortDigest = (digest: string): string => digest.slice(0, 12)

const throughLabels = { member: "the member", team: "a team", organization: "everyone" } as const

export const sourceText = (source: AssignmentSource | null): string =>
  source === null
    ? "no assignment"
    : `${source.id === null ? "the new assignment" : "an assignment"} of the ${source.target} for ${throughLabels[source.through]}, priority ${source.priority}`

const Decision = ({ decision: { mode, pinnedDigest, winner } }: { readonly decision: AssignmentDecision }) => (
  <span className="change">
    <Mode mode={mode} />
    {pinnedDigest !== null && <code title={pinnedDigest}>{shortDigest(pinnedDigest)}</code>}
    <span className="muted">by {sourceText(winner)}</span>
  </span>
)

export const AssignmentEffects = ({ effects }: { readonly effects: AssignmentSimulation }) => {
  const { changeCount, changes, memberCount, modes: byMode, truncated } = effects
  if (changeCount === 0) {
    return (
      <Notice title="No one is affected now" tone="good">
        <span>The same assignments win as before. The change can matter later, for new members or plugins.</span>
      </Notice>
    )
  }
  return (
    <div className="stack">
      <Numbers
        rows={[
          ["Members affected", memberCount.toLocaleString("en")],
          ["Changes", changeCount.toLocaleString("en")]
        ]}
      />
      <ul className="plain-list" aria-label="Changes by mode">
        {byMode.map(({ after, before, changeCount: each }) => (
          <li key={`${before} ${after}`}>
            {before === after ? (
              <>
                Another release, still <Mode mode={after} />
              </>
            ) : (
              <>
                <Mode mode={before} /> → <Mode mode={after} />
              </>
            )}
            : {plural(each, "change")}
          </li>
        ))}
      </ul>
      <SimpleTable
        label="Changes by member"
        columns={[
          { name: "Member", cell: ({ orgMembershipId }) => <Name kind="member" id={orgMembershipId} link={false} /> },
          { name: "Plugin", cell: ({ pluginId }) => <Name kind="plugin" id={pluginId} link={false} /> },
          { name: "Now", cell: ({ before }) => <Decision decision={before} /> },
          { name: "Then", cell: ({ after }) => <Decision decision={after} /> }
        ]}
        rows={changes}
        idOf={({ orgMembershipId, pluginId }) => `${orgMembershipId} ${pluginId}`}
      />
      {truncated && (
        <p className="muted">The first {changes.length} changes are listed. The counts include all of them.</p>
      )}
      <p className="muted">
        An assignment does not grant access: members without access to a plugin do not receive it, whatever its mode.
      </p>
    </div>
  )
}
