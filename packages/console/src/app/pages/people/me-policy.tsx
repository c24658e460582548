/** The desktop policy that applies to the person, and why. */
import type { DesktopSetting, DesktopSettingExplanation } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { client } from "../../api/client.ts"
import { Facts, Section } from "../../design/facts.tsx"
import { NameLink } from "../../design/name-link.tsx"
import { Shown } from "../../design/query.tsx"
import { Badge } from "../../design/ui.tsx"

const labels: Readonly<Record<DesktopSetting, string>> = {
  allowCustomProviders: "Add your own model providers",
  allowPartnerModel: "Use the partner's models",
  allowMultipleWorkspaces: "Open more than one workspace",
  allowControlSettings: "Change the settings of the app",
  allowManageExtensions: "Install and remove extensions",
  allowBuiltInExtensions: "Run built-in extensions",
  allowAlphaUpdates: "Update to alpha releases",
  showWelcomePage: "Show the welcome page",
  onboardingPrompts: "Onboarding prompts"
}

const scopes = { member: "for you", team: "for a team", organization: "for everyone" } as const

const Reason = ({ explanation: { loserCount, winner } }: { readonly explanation: DesktopSettingExplanation }) => {
  if (winner === null) return <span className="muted">default, because no policy sets it</span>
  const name = winner.policyName ?? "a policy"
  return (
    <span className="muted">
      {winner.id === null || winner.policyName === null ? (
        name
      ) : (
        <NameLink to={`/desktop-policies/${winner.id}`}>{name}</NameLink>
      )}
      , {scopes[winner.through]}
      {loserCount > 0 && `, before ${loserCount} other${loserCount === 1 ? "" : "s"}`}
    </span>
  )
}

const Value = ({ value }: { readonly value: DesktopSettingExplanation["value"] }) => {
  if (typeof value === "boolean")
    return value ? <Badge tone="good">allowed</Badge> : <Badge tone="warn">not allowed</Badge>
  return value.length === 0 ? (
    <span className="muted">none</span>
  ) : (
    <ul className="facts">
      {value.map(({ description, prompt }, index) => (
        <li key={index}>
          {prompt} <span className="muted">{description}</span>
        </li>
      ))}
    </ul>
  )
}

export const DesktopPolicy = () => {
  const query = useQuery({
    queryKey: ["desktop-policies", "own"],
    queryFn: ({ signal }) => client.users.desktopPolicy({ explain: true }, { signal })
  })
  return (
    <Section title="Desktop app settings">
      <Shown query={query} lines={9}>
        {({ explanation }) => (
          <Facts
            rows={(explanation ?? []).map((each) => [
              labels[each.setting],
              <span className="row" key={each.setting}>
                <Value value={each.value} />
                <Reason explanation={each} />
              </span>
            ])}
          />
        )}
      </Shown>
    </Section>
  )
}
