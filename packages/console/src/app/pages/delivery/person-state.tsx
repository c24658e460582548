/** The desired state: everything that the devices of a person should have, with the reasons. */
import type { DesiredStateReason, DesiredStateRule, MemberDesiredState } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { client, selectedOrganization } from "../../api/client.ts"
import { Facts, Section } from "../../design/facts.tsx"
import { Shown } from "../../design/query.tsx"
import { Badge, Notice, Time } from "../../design/ui.tsx"
import { Name } from "../../objects/names.tsx"
import { StateVia } from "../../objects/state-via.tsx"
import { Mode } from "./assignment-simulation.tsx"
import { OnOff } from "./person-plugin.tsx"
import { SimpleTable } from "../../design/simple-table.tsx"

/** Whether a membership is the one of the caller in the organization that is shown. */
export const useIsOwn = (orgMembershipId: string): boolean => {
  const { data } = useQuery({
    queryKey: ["organizations"],
    queryFn: ({ signal }) => client.users.organizations({ limit: 100 }, { signal })
  })
  const items = data?.items ?? []
  const current =
    items.find(({ organization }) => organization.id === selectedOrganization()) ?? items.find(({ active }) => active)
  return current?.orgMembershipId === orgMembershipId
}

const rules: Readonly<Record<DesiredStateRule, string>> = {
  required: "An assignment requires it",
  default_on: "An assignment turns it on",
  available: "An assignment makes it available",
  blocked: "An assignment blocks it",
  choice: "The member chose it",
  access: "The member has access"
}

const Reason = ({ reason }: { readonly reason: DesiredStateReason }) => (
  <>
    {rules[reason.rule]}, <StateVia person="this member" reason={reason} />.
  </>
)

const Connected = ({ connected }: { readonly connected: boolean }) => (
  <Badge tone={connected ? "good" : "warn"}>{connected ? "connected" : "not connected"}</Badge>
)

/** The lists that the own state and that of another member have in common. */
type StateLists = Pick<MemberDesiredState, "blocked" | "marketplaces" | "mcpConnections" | "models" | "plugins">

const Lists = ({ blocked, marketplaces, mcpConnections, models, plugins }: StateLists) => (
  <>
    <Section title="Plugins to have">
      {plugins.length === 0 ? (
        <p className="muted">None.</p>
      ) : (
        <SimpleTable
          label="Plugins"
          columns={[
            { name: "Plugin", cell: ({ pluginId }) => <Name kind="plugin" id={pluginId} /> },
            {
              name: "State",
              cell: ({ enabled, locked }) => (
                <>
                  <OnOff enabled={enabled} /> {locked && <Badge>locked</Badge>}
                </>
              )
            },
            { name: "Mode", cell: ({ mode }) => <Mode mode={mode} /> },
            {
              name: "Version",
              cell: ({ delivery, version }) => (
                <>
                  {version ?? <span className="muted">unnamed</span>}{" "}
                  {delivery !== "latest_approved" && (
                    <Badge tone={delivery === "pinned" ? "neutral" : "bad"}>
                      {delivery === "pinned" ? "pinned" : "pin not stored"}
                    </Badge>
                  )}
                </>
              )
            },
            { name: "Why", cell: ({ reason }) => <Reason reason={reason} /> }
          ]}
          rows={plugins}
          idOf={({ pluginId }) => pluginId}
        />
      )}
    </Section>
    {blocked.length > 0 && (
      <Section title="Blocked">
        <SimpleTable
          label="Blocked plugins and marketplaces"
          columns={[
            { name: "Name", cell: ({ name }) => name },
            { name: "Kind", cell: ({ kind }) => <Badge>{kind}</Badge> },
            { name: "Why", cell: ({ reason }) => <Reason reason={reason} /> }
          ]}
          rows={blocked}
          idOf={({ id }) => id}
        />
      </Section>
    )}
    <Section title="Marketplaces to see">
      {marketplaces.length === 0 ? (
        <p className="muted">None.</p>
      ) : (
        <SimpleTable
          label="Marketplaces"
          columns={[
            { name: "Marketplace", cell: ({ marketplaceId }) => <Name kind="marketplace" id={marketplaceId} /> },
            { name: "Plugins", isNumber: true, cell: ({ plugins: each }) => each.length },
            { name: "Why", cell: ({ reason }) => <Reason reason={reason} /> }
          ]}
          rows={marketplaces}
          idOf={({ marketplaceId }) => marketplaceId}
        />
      )}
    </Section>
    <Section title="MCP connections to use">
      {mcpConnections.length === 0 ? (
        <p className="muted">None.</p>
      ) : (
        <SimpleTable
          label="MCP connections"
          columns={[
            { name: "Connection", cell: ({ mcpConnectionId }) => <Name kind="mcpConnection" id={mcpConnectionId} /> },
            { name: "State", cell: ({ connected }) => <Connected connected={connected} /> },
            { name: "Why", cell: ({ reason }) => <Reason reason={reason} /> }
          ]}
          rows={mcpConnections}
          idOf={({ mcpConnectionId }) => mcpConnectionId}
        />
      )}
    </Section>
    <Section title="Models to use">
      {models.length === 0 ? (
        <p className="muted">None.</p>
      ) : (
        <SimpleTable
          label="LLM providers"
          columns={[
            { name: "Provider", cell: ({ llmProviderId }) => <Name kind="llmProvider" id={llmProviderId} /> },
            { name: "Models", cell: ({ models: each }) => (each === null ? "all" : each.length) },
            { name: "State", cell: ({ connected }) => <Connected connected={connected} /> },
            { name: "Why", cell: ({ reason }) => <Reason reason={reason} /> }
          ]}
          rows={models}
          idOf={({ llmProviderId }) => llmProviderId}
        />
      )}
    </Section>
  </>
)

const Incomplete = () => (
  <Notice title="The state is incomplete" tone="warn">
    <span>At least one list has more items than it can contain.</span>
  </Notice>
)

export const MemberState = ({ orgMembershipId }: { readonly orgMembershipId: string }) => {
  const query = useQuery({
    queryKey: ["desired-state", orgMembershipId],
    queryFn: ({ signal }) => client.desiredState.getMember(orgMembershipId, { signal })
  })
  return (
    <Shown query={query} lines={10}>
      {(state) => (
        <div className="stack">
          {state.truncated && <Incomplete />}
          {state.partial && (
            <Notice title="Some objects are not shown" tone="warn">
              <span>You do not have access to everything that this member has.</span>
            </Notice>
          )}
          <Facts
            rows={[
              [
                "Last received",
                state.revision === null ? "No device of this member has requested it" : `revision ${state.revision}`
              ]
            ]}
          />
          <Lists {...state} />
        </div>
      )}
    </Shown>
  )
}

export const OwnState = () => {
  const query = useQuery({
    queryKey: ["desired-state"],
    queryFn: ({ signal }) => client.desiredState.get({ signal })
  })
  return (
    <Shown query={query} lines={10}>
      {(state) => (
        <div className="stack">
          {state.truncated && <Incomplete />}
          <Facts
            rows={[
              ["Revision", state.revision],
              ["Issued", <Time key="issued" at={state.generatedAt} />],
              ["Valid until", <Time key="valid" at={state.validUntil} />]
            ]}
          />
          <Lists {...state} />
        </div>
      )}
    </Shown>
  )
}
