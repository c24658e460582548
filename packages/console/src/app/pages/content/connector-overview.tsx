/** What a connector reads and imports, and whether updates are held for approval. */
import type { ConnectorInstance } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { client } from "../../api/client.ts"
import { Allowed } from "../../design/allowed.tsx"
import { useSetting } from "../../design/action.tsx"
import { Facts, Section } from "../../design/facts.tsx"
import { Checkbox } from "../../design/fields.tsx"
import { Shown } from "../../design/query.tsx"
import { plural } from "../../design/text.ts"
import { Badge, Empty, Notice, Time } from "../../design/ui.tsx"
import { Author } from "../../objects/names.tsx"
import { Credential } from "./connector-credential.tsx"
import { ConnectorDeliveryMode } from "./delivery-mode.tsx"
import { branchOf, shortRevision, syncNames, syncTones } from "./words.ts"

const AutoImport = ({ id, isEnabled }: { readonly id: string; readonly isEnabled: boolean }) => {
  const { change, isBusy, value } = useSetting(isEnabled, {
    changes: ["connectors"],
    failed: "The setting was not changed."
  })
  return (
    <Checkbox
      label="Import plugins that are added to the repository later"
      hint="Takes effect with the next sync. Imported plugins are kept up to date either way."
      isChecked={value}
      isDisabled={isBusy}
      onChange={(enabled) => void change(enabled, () => client.connectors.setAutoImport(id, { enabled }))}
    />
  )
}

export const Overview = ({ instance }: { readonly instance: ConnectorInstance }) => {
  const { adapter, connectorAccountId, createdAt, createdByOrgMembershipId, id, lastSyncCursor, lastSyncedAt } =
    instance
  const configuration = useQuery({
    queryKey: ["connectors", id, "configuration"],
    queryFn: ({ signal }) => client.connectors.configuration(id, { signal })
  })
  const account = useQuery({
    queryKey: ["connector-accounts", connectorAccountId],
    queryFn: ({ signal }) => client.connectors.getAccount(connectorAccountId, { signal })
  })
  return (
    <div className="cards">
      <Section title="Repository">
        <Facts
          rows={[
            ["Repository", <code key="repository">{instance.remoteId}</code>],
            ["Read through", adapter === "rest" ? "the app on the code host" : "plain Git"],
            [
              "Account",
              <Link key="account" to={`/connector-accounts/${connectorAccountId}`}>
                {account.data?.name ?? connectorAccountId}
              </Link>
            ],
            ["Imported revision", lastSyncCursor === null ? null : <code>{lastSyncCursor}</code>],
            ["Last sync", <Time key="sync" at={lastSyncedAt} />],
            ["Connected", <Time key="connected" at={createdAt} />],
            ["Connected by", <Author key="author" id={createdByOrgMembershipId} />]
          ]}
        />
        {account.data?.status === "error" && (
          <Notice title="The account does not work" tone="warn">
            <span>{account.data.statusReason ?? "The app was removed or suspended on the code host."}</span>
          </Notice>
        )}
        {adapter === "git" && <Credential instance={instance} />}
      </Section>
      <Section title="Imported plugins">
        <Shown query={configuration} lines={5}>
          {({ autoImportNewPlugins, plugins, targets }) => (
            <>
              <AutoImport id={id} isEnabled={autoImportNewPlugins} />
              {plugins.length === 0 ? (
                <Empty title="Nothing is imported yet">
                  <Link className="button" to="." search={{ tab: "import" }}>
                    Choose plugins
                  </Link>
                </Empty>
              ) : (
                <ul className="bullets">
                  {plugins.slice(0, 100).map((plugin) => (
                    <li key={plugin.id}>
                      <Link to={`/plugins/${plugin.id}`}>{plugin.name}</Link>
                    </li>
                  ))}
                  {plugins.length > 100 && <li className="muted">and {plugins.length - 100} more</li>}
                </ul>
              )}
              {targets.map(({ connectorTarget, lastSyncEvent, mappings, marketplace }) => (
                <Facts
                  key={connectorTarget.id}
                  rows={[
                    ["Branch", <code key="branch">{branchOf(connectorTarget.externalTargetRef)}</code>],
                    [
                      "Marketplace",
                      marketplace === null ? null : (
                        <Link to={`/marketplaces/${marketplace.id}`}>{marketplace.name}</Link>
                      )
                    ],
                    [
                      "Contents",
                      `${plural(mappings.objects, "object")} through ${plural(mappings.imported + mappings.byHand, "mapping")}`
                    ],
                    [
                      "Last sync",
                      lastSyncEvent === null ? null : (
                        <Link to={`/connectors/${id}/syncs/${lastSyncEvent.id}`}>
                          <Badge tone={syncTones[lastSyncEvent.status]}>{syncNames[lastSyncEvent.status]}</Badge>{" "}
                          <code>{shortRevision(lastSyncEvent.revision)}</code>
                        </Link>
                      )
                    ]
                  ]}
                />
              ))}
            </>
          )}
        </Shown>
      </Section>
      <Allowed permission="approvals:read">
        <Section title="Approval of updates">
          <ConnectorDeliveryMode instanceId={id} />
        </Section>
      </Allowed>
    </div>
  )
}
