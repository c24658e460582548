/** Why a plugin is on or off for a person, which release arrives, and how the person reaches it. */
import type { AssignmentExplanation, AssignmentId, AssignmentMode } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { client } from "../../api/client.ts"
import { Facts, Section } from "../../design/facts.tsx"
import { Shown } from "../../design/query.tsx"
import { Badge, Button, Time } from "../../design/ui.tsx"
import { Name } from "../../objects/names.tsx"
import { AccessGraph } from "./access-graph.tsx"
import { Mode, shortDigest, sourceText } from "./assignment-simulation.tsx"
import { assignmentLosses, assignmentRules, deliveryRules, withheldTexts } from "./explanations.ts"
import { SimpleTable } from "../../design/simple-table.tsx"

export const OnOff = ({ enabled }: { readonly enabled: boolean }) => (
  <Badge tone={enabled ? "good" : "neutral"}>{enabled ? "on" : "off"}</Badge>
)

const AssignmentLink = ({ children, id }: { readonly id: AssignmentId | null; readonly children: string }) =>
  id === null ? <>{children}</> : <Link to={`/assignments/${id}`}>{children}</Link>

const choiceText = (mode: AssignmentMode, choice: boolean | null): string =>
  choice === null
    ? "The member made no choice."
    : `The member turned it ${choice ? "on" : "off"}.${mode === "required" || mode === "blocked" ? " The choice has no effect in this mode." : ""}`

const Rule = ({ explanation }: { readonly explanation: AssignmentExplanation }) => {
  const { loserCount, losers, rule, winner } = explanation
  return (
    <>
      {winner !== null && (
        <p>
          Decided by <AssignmentLink id={winner.id}>{sourceText(winner)}</AssignmentLink>.
        </p>
      )}
      <p>{assignmentRules[rule]}</p>
      {losers.length > 0 && (
        <SimpleTable
          label="Assignments that do not decide"
          columns={[
            { name: "Assignment", cell: (loser) => <AssignmentLink id={loser.id}>{sourceText(loser)}</AssignmentLink> },
            { name: "Mode", cell: ({ mode }) => <Mode mode={mode} /> },
            { name: "Why not", cell: ({ lostBy }) => assignmentLosses[lostBy] }
          ]}
          rows={losers}
          idOf={({ id }) => id ?? ""}
        />
      )}
      {loserCount > losers.length && <p className="muted">{loserCount - losers.length} more do not decide.</p>}
    </>
  )
}

const WhyMode = ({ orgMembershipId, pluginId }: { readonly orgMembershipId: string; readonly pluginId: string }) => {
  const query = useQuery({
    queryKey: ["assignments", "effective", orgMembershipId, pluginId],
    queryFn: ({ signal }) =>
      client.assignments.effective(orgMembershipId, { pluginId, explain: true, limit: 1 }, { signal })
  })
  return (
    <Section title="Why it is on or off">
      <Shown query={query}>
        {({ items: [effective] }) =>
          effective === undefined ? (
            <p>
              <Mode mode="available" /> {assignmentRules.default} The member made no choice, so it is off.
            </p>
          ) : (
            <div className="stack">
              <p>
                <Mode mode={effective.mode} /> <OnOff enabled={effective.enabled} />{" "}
                {!effective.hasAccess && <Badge tone="bad">no access</Badge>}
              </p>
              {!effective.hasAccess && (
                <p>The member cannot see the plugin. An assignment does not grant access, so it does not arrive.</p>
              )}
              {effective.explanation !== null && <Rule explanation={effective.explanation} />}
              <p>{choiceText(effective.mode, effective.choice)}</p>
            </div>
          )
        }
      </Shown>
    </Section>
  )
}

const WhyRelease = ({ orgMembershipId, pluginId }: { readonly orgMembershipId: string; readonly pluginId: string }) => {
  const query = useQuery({
    queryKey: ["rollouts", "explanation", orgMembershipId, pluginId],
    queryFn: ({ signal }) => client.rollouts.explain(orgMembershipId, pluginId, { signal })
  })
  return (
    <Section title="Which release">
      <Shown query={query}>
        {({ assignmentId, digest, newer, releaseId, ring, rule, version }) => (
          <div className="stack">
            <p>{deliveryRules[rule]}</p>
            <Facts
              rows={[
                [
                  "Release",
                  releaseId === null ? null : (
                    <Link key="release" to={`/releases/${releaseId}`}>
                      {version ?? "Open the release"}
                    </Link>
                  )
                ],
                ["Digest", digest === null ? null : <code key="digest">{shortDigest(digest)}</code>],
                ["Ring of the member", ring],
                [
                  "Assignment",
                  assignmentId === null ? null : (
                    <Link key="assignment" to={`/assignments/${assignmentId}`}>
                      Open the assignment
                    </Link>
                  )
                ]
              ]}
            />
            {newer !== null && (
              <p>
                There is <Link to={`/releases/${newer.releaseId}`}>a newer release</Link>
                {newer.version === null ? "" : `, ${newer.version}`}. {withheldTexts[newer.reason]}{" "}
                {newer.expectedAt !== null && (
                  <>
                    It is expected <Time at={newer.expectedAt} />.{" "}
                  </>
                )}
                {newer.rolloutId !== null && <Link to={`/rollouts/${newer.rolloutId}`}>Open the rollout</Link>}
              </p>
            )}
          </div>
        )}
      </Shown>
    </Section>
  )
}

export const PluginExplanation = ({
  onClose,
  orgMembershipId,
  pluginId
}: {
  readonly orgMembershipId: string
  readonly pluginId: string
  readonly onClose: () => void
}) => (
  <div className="stack">
    <div className="row spread">
      <h2>
        <Name kind="plugin" id={pluginId} />
      </h2>
      <Button onClick={onClose}>Show all plugins</Button>
    </div>
    <WhyMode orgMembershipId={orgMembershipId} pluginId={pluginId} />
    <WhyRelease orgMembershipId={orgMembershipId} pluginId={pluginId} />
    <Section title="Access of this member">
      <AccessGraph object={{ kind: "plugin", id: pluginId }} orgMembershipId={orgMembershipId} />
    </Section>
  </div>
)
