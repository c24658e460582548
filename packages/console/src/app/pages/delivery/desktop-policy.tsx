/** A desktop policy: its settings, whom it applies to, and who would be affected by a change. */
import type { DesktopPolicy } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { Facts, Section } from "../../design/facts.tsx"
import { Shown } from "../../design/query.tsx"
import { Badge, Button, PageHeader, Time } from "../../design/ui.tsx"
import { Name } from "../../objects/names.tsx"
import { usePathParameter } from "../../parameters.ts"
import { PolicyDialog } from "./policy-form.tsx"
import { PolicyEffects, Value } from "./policy-simulation.tsx"
import { PreviewConfirm } from "../../design/preview-dialog.tsx"
import { promptsLabel, promptsMeaning, setCount, switches } from "./settings.ts"
import { SimpleTable } from "../../design/simple-table.tsx"
import "./delivery.css"

const Settings = ({ policy }: { readonly policy: DesktopPolicy["policy"] }) => {
  const prompts = policy.onboardingPrompts
  const rows = [
    ...switches.map(({ label, meaning, setting }) => ({ label, meaning, value: policy[setting] })),
    {
      label: promptsLabel,
      meaning: promptsMeaning,
      value:
        prompts === null
          ? null
          : prompts.map((prompt, index) => ({
              prompt,
              description: policy.onboardingPromptDescriptions?.[index] ?? ""
            }))
    }
  ]
  return (
    <>
      <SimpleTable
        label="Values of the settings"
        columns={[
          { name: "Setting", cell: ({ label }) => <strong>{label}</strong> },
          { name: "Meaning", cell: ({ meaning }) => <span className="muted">{meaning}</span> },
          {
            name: "Value",
            cell: ({ value }) =>
              value === null ? <span className="muted short">not set</span> : <Value value={value} />
          }
        ]}
        rows={rows}
        idOf={({ label }) => label}
      />
      {prompts !== null && prompts.length > 0 && (
        <ol className="plain-list" aria-label={promptsLabel}>
          {prompts.map((prompt, index) => (
            <li key={prompt}>
              {prompt} <span className="muted">{policy.onboardingPromptDescriptions?.[index] ?? ""}</span>
            </li>
          ))}
        </ol>
      )}
    </>
  )
}

const Audience = ({ policy: { audience, memberIds, teamIds } }: { readonly policy: DesktopPolicy }) => {
  const receivers = [
    ...teamIds.map((id) => ({ id, kind: "team" as const })),
    ...memberIds.map((id) => ({ id, kind: "member" as const }))
  ]
  return (
    <Section title="Who">
      {audience === "organization" && <p>Everyone in the organization.</p>}
      {audience === "nobody" && (
        <p>
          <Badge tone="warn">No members</Badge> All its members and teams were removed. Select others, or remove the
          policy.
        </p>
      )}
      {receivers.length > 0 && (
        <SimpleTable
          label="Teams and members"
          columns={[
            {
              name: "Name",
              cell: ({ id, kind }) =>
                kind === "team" ? (
                  <Name kind="team" id={id} />
                ) : (
                  <Link to={`/fleet/members/${id}`} search={{ tab: "policy" }}>
                    <Name kind="member" id={id} link={false} />
                  </Link>
                )
            },
            { name: "Kind", cell: ({ kind }) => <Badge>{kind}</Badge> }
          ]}
          rows={receivers}
          idOf={({ id }) => id}
        />
      )}
    </Section>
  )
}

export const Page = () => {
  const id = usePathParameter("desktopPolicyId")
  const navigate = useNavigate()
  const query = useQuery({
    queryKey: ["desktop-policies", id],
    queryFn: async ({ signal }) => {
      const { data, response } = await client.desktopPolicies.get(id, { signal }).withResponse()
      return { policy: data, etag: response.headers.get("etag") ?? undefined }
    }
  })
  const [editing, setEditing] = useState(0)
  const [open, setOpen] = useState<"edit" | "switch" | "remove">()
  const close = () => setOpen(undefined)
  return (
    <Shown query={query} lines={8}>
      {({ etag, policy }) => {
        const { isEnabled, policyName, priority } = policy
        const changes = { isEnabled: !isEnabled }
        return (
          <div className="stack">
            <PageHeader
              title={policyName}
              description={`Sets ${setCount(policy.policy)} of ${switches.length + 1} settings, with priority ${priority}.`}
              actions={
                <>
                  <Badge tone={isEnabled ? "good" : "neutral"}>{isEnabled ? "enabled" : "disabled"}</Badge>
                  <Button
                    kind="primary"
                    onClick={() => {
                      setEditing(editing + 1)
                      setOpen("edit")
                    }}
                  >
                    Edit the policy
                  </Button>
                  <Button permission="desktopPolicies:write" onClick={() => setOpen("switch")}>
                    {isEnabled ? "Disable the policy" : "Enable the policy"}
                  </Button>
                  <Button permission="desktopPolicies:manage" kind="danger" onClick={() => setOpen("remove")}>
                    Remove the policy
                  </Button>
                </>
              }
            />
            <Section title="Settings">
              <Settings policy={policy.policy} />
            </Section>
            <Audience policy={policy} />
            <Section title="About">
              <Facts
                rows={[
                  ["Priority", priority],
                  [
                    "Created by",
                    policy.createdByOrgMembershipId === null ? null : (
                      <Name kind="member" id={policy.createdByOrgMembershipId} />
                    )
                  ],
                  ["Created", <Time key="created" at={policy.createdAt} />],
                  ["Changed", <Time key="changed" at={policy.updatedAt} />]
                ]}
              />
            </Section>
            <PolicyDialog key={editing} policy={policy} etag={etag} isOpen={open === "edit"} onClose={close} />
            <PreviewConfirm
              title={isEnabled ? "Disable this policy?" : "Enable this policy?"}
              action={isEnabled ? "Disable the policy" : "Enable the policy"}
              done={isEnabled ? "The policy was disabled." : "The policy was enabled."}
              changes={["desktop-policies"]}
              isOpen={open === "switch"}
              onClose={close}
              queryKey={["policy-effects", id, "switch", isEnabled]}
              simulate={(signal) =>
                client.desktopPolicies.simulate({ patch: { desktopPolicyId: id, changes } }, { signal })
              }
              preview={(effects) => <PolicyEffects effects={effects} />}
              work={() => client.desktopPolicies.update(id, changes, { ifMatch: etag })}
            />
            <PreviewConfirm
              title="Remove this policy?"
              action="Remove the policy"
              done="The policy was removed."
              changes={["desktop-policies"]}
              isOpen={open === "remove"}
              onClose={close}
              onDone={() => void navigate({ to: "/desktop-policies" })}
              queryKey={["policy-effects", id, "remove"]}
              simulate={(signal) => client.desktopPolicies.simulate({ delete: { desktopPolicyId: id } }, { signal })}
              preview={(effects) => <PolicyEffects effects={effects} />}
              work={() => client.desktopPolicies.remove(id, { ifMatch: etag })}
            >
              <p>It takes effect with the next request. Other policies then decide, and what none sets is on.</p>
            </PreviewConfirm>
          </div>
        )
      }}
    </Shown>
  )
}
