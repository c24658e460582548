/** The first steps of an organization, until all of them are done. */
import type { AdminOverview } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { client } from "../../api/client.ts"
import { Section } from "../../design/facts.tsx"
import { Badge } from "../../design/ui.tsx"

interface Step {
  readonly title: string
  readonly about: string
  readonly action: string
  readonly to: string
  readonly isDone: boolean
}

const stepsOf = (overview: AdminOverview, hasAssignments: boolean): ReadonlyArray<Step> => [
  {
    title: "Invite people",
    about: "By email, from a file, or with your identity provider.",
    action: "Invite people",
    to: "/invitations",
    isDone: overview.members > 1 || overview.pendingInvitations > 0
  },
  {
    title: "Connect a repository",
    about: "orgplane finds the plugins in it, and keeps them up to date.",
    action: "Connect a repository",
    to: "/connectors/new",
    isDone: overview.connectorInstances > 0
  },
  {
    title: "Create a plugin",
    about: "A repository brings its plugins. You can also write one here.",
    action: "Create a plugin",
    to: "/plugins",
    isDone: overview.plugins > 0
  },
  {
    title: "Assign it",
    about: "Choose who gets the plugin, and who must have it.",
    action: "Assign a plugin",
    to: "/assignments",
    isDone: hasAssignments
  }
]

/** Whether the organization has an assignment, for those who are shown the first steps. */
export const useHasAssignments = (isEnabled: boolean) =>
  useQuery({
    queryKey: ["assignments", "any"],
    queryFn: async ({ signal }) => (await client.assignments.list({ limit: 1 }, { signal })).items.length > 0,
    enabled: isEnabled
  })

export const FirstSteps = ({
  hasAssignments,
  overview
}: {
  readonly overview: AdminOverview
  readonly hasAssignments: boolean
}) => {
  const steps = stepsOf(overview, hasAssignments)
  const done = steps.filter(({ isDone }) => isDone).length
  if (done === steps.length) return null
  const next = steps.find(({ isDone }) => !isDone)
  return (
    <Section
      title="First steps"
      actions={
        <span className="muted">
          {done} of {steps.length} done
        </span>
      }
    >
      <ol className="first-steps">
        {steps.map((step) => (
          <li key={step.title}>
            <Badge tone={step.isDone ? "good" : "neutral"}>{step.isDone ? "done" : "to do"}</Badge>
            <strong>{step.title}</strong>
            <span className="muted">{step.about}</span>
            {!step.isDone && (
              <Link className="button" data-kind={step === next ? "primary" : "plain"} to={step.to}>
                {step.action}
              </Link>
            )}
          </li>
        ))}
      </ol>
    </Section>
  )
}
