/** The effective desktop policy of a person: each setting, the policy that decides it, and why. */
import type { DesktopSettingExplanation } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { client } from "../../api/client.ts"
import { Section } from "../../design/facts.tsx"
import { Graph, type GraphEdge, type GraphNode } from "../../design/graph.tsx"
import { Shown } from "../../design/query.tsx"
import { useName } from "../../objects/names.tsx"
import { policyLosses, policyRules } from "./explanations.ts"
import { Value, winnerText } from "./policy-simulation.tsx"
import { settingLabel, settingMeaning, valueText } from "./settings.ts"
import { SimpleTable } from "../../design/simple-table.tsx"
import "./delivery.css"

const throughLabels = { member: "for the member", team: "through a team", organization: "for everyone" } as const

const graphOf = (name: string, explanations: ReadonlyArray<DesktopSettingExplanation>) => {
  const nodes = new Map<string, GraphNode>([
    ["person", { id: "person", title: name, detail: "member", tone: "accent" }]
  ])
  const edges = new Map<string, GraphEdge>()
  for (const { setting, value, winner } of explanations) {
    const policy = winner?.id ?? "none"
    nodes.set(policy, {
      id: policy,
      title: winner === null ? "No policy" : winnerText(winner),
      detail: winner === null ? "on by default" : `priority ${winner.priority}`
    })
    nodes.set(setting, {
      id: setting,
      title: settingLabel(setting),
      detail: valueText(value),
      tone: value === true ? "good" : value === false ? "warn" : "neutral"
    })
    edges.set(`person ${policy}`, {
      from: "person",
      to: policy,
      ...(winner === null ? {} : { label: throughLabels[winner.through] })
    })
    edges.set(`${policy} ${setting}`, { from: policy, to: setting })
  }
  return { nodes: [...nodes.values()], edges: [...edges.values()] }
}

const Others = ({ explanation: { loserCount, losers } }: { readonly explanation: DesktopSettingExplanation }) =>
  losers.length === 0 ? null : (
    <ul className="releases">
      {losers.map(({ id, lostBy, policyName, value }) => (
        <li key={id}>
          {policyName ?? id} <Value value={value} /> <span className="muted">{policyLosses[lostBy]}</span>
        </li>
      ))}
      {loserCount > losers.length && <li className="muted">and {loserCount - losers.length} more</li>}
    </ul>
  )

export const PersonPolicy = ({ orgMembershipId }: { readonly orgMembershipId: string }) => {
  const { name } = useName("member", orgMembershipId)
  const query = useQuery({
    queryKey: ["desktop-policies", "effective", orgMembershipId],
    queryFn: ({ signal }) => client.desktopPolicies.effective(orgMembershipId, { explain: true }, { signal })
  })
  return (
    <Shown query={query} lines={10}>
      {({ desktopPolicy: { onboardingPromptDescriptions, onboardingPrompts }, explanation }) => {
        const explanations = explanation ?? []
        const { edges, nodes } = graphOf(name ?? "The member", explanations)
        return (
          <div className="stack">
            <SimpleTable
              label="Settings"
              columns={[
                {
                  name: "Setting",
                  cell: ({ setting }) => <strong title={settingMeaning(setting)}>{settingLabel(setting)}</strong>
                },
                { name: "Value", cell: ({ value }) => <Value value={value} /> },
                {
                  name: "Decided by",
                  cell: ({ winner }) =>
                    winner === null || winner.id === null ? (
                      <span className="muted">no policy</span>
                    ) : (
                      <>
                        <Link to={`/desktop-policies/${winner.id}`}>{winnerText(winner)}</Link>{" "}
                        <span className="muted">{throughLabels[winner.through]}</span>
                      </>
                    )
                },
                {
                  name: "Why",
                  cell: ({ rule, setting }) =>
                    rule === "unstated" && setting === "onboardingPrompts"
                      ? "No policy sets them, so there are none."
                      : policyRules[rule]
                },
                { name: "Overridden", cell: (each) => <Others explanation={each} /> }
              ]}
              rows={explanations}
              idOf={({ setting }) => setting}
            />
            <Section title="As a graph">
              <Graph label="Policies that decide the settings" nodes={nodes} edges={edges} />
            </Section>
            {onboardingPrompts.length > 0 && (
              <Section title="Onboarding prompts">
                <ol className="plain-list">
                  {onboardingPrompts.map((prompt, index) => (
                    <li key={prompt}>
                      {prompt} <span className="muted">{onboardingPromptDescriptions[index]}</span>
                    </li>
                  ))}
                </ol>
              </Section>
            )}
          </div>
        )
      }}
    </Shown>
  )
}
