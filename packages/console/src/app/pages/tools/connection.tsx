/** An MCP connection: its state, its tools, who has access, and its settings. */
import type { McpConnection } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { Allowed, OnObject } from "../../design/allowed.tsx"
import { Facts, Section } from "../../design/facts.tsx"
import { Shown } from "../../design/query.tsx"
import { Tabs } from "../../design/tabs.tsx"
import { Badge, Notice, PageHeader, Time } from "../../design/ui.tsx"
import { Access } from "../../objects/access.tsx"
import { Author } from "../../objects/names.tsx"
import { usePathParameter } from "../../parameters.ts"
import { ConnectActions } from "./connection-connect.tsx"
import { ConnectionSettings } from "./connection-settings.tsx"
import { authNames, modeNames, StatusBadge } from "./connection-states.tsx"
import { ConnectionTools } from "./connection-tools.tsx"
import "./tools.css"

const pollMillis = 3_000

const Scopes = ({ scopes }: { readonly scopes: ReadonlyArray<string> }) => (
  <span className="tags">
    {scopes.map((scope) => (
      <Badge key={scope}>{scope}</Badge>
    ))}
  </span>
)

/** What the person can do next. */
const NextStep = ({ connection }: { readonly connection: McpConnection }) => {
  const { authType, credentialMode, id, missingScopes, scopes, status, statusReason } = connection
  switch (status) {
    case "review_required":
      return (
        <Notice title="The server differs from what was approved" tone="warn">
          <span>{statusReason ?? "New and changed tools are blocked until a manager accepts them."}</span>
          <Link to={`/mcp-connections/${id}/review`}>Review the changes</Link>
        </Notice>
      )
    case "reconnect_required":
      return (
        <Notice title="The credential no longer works" tone="bad">
          <span>{statusReason ?? "Connect again."}</span>
        </Notice>
      )
    case "not_connected":
      return (
        <Notice title={authType === "apikey" ? "No API key is set" : "No account is connected yet"} tone="warn">
          <span>
            {statusReason ??
              (credentialMode === "shared"
                ? "A manager of the connection connects it once for everyone."
                : "Connect your own account to use the tools.")}
          </span>
        </Notice>
      )
    case "ready":
      return missingScopes.length === 0 ? null : (
        <Notice title="Some tools need more permissions" tone="warn">
          <Scopes scopes={missingScopes} />
          <span>
            {scopes === null
              ? "Connect again to allow them."
              : "The connection has fixed scopes. A manager must add these, then connect again."}
          </span>
        </Notice>
      )
  }
}

const registrationNames = {
  pre_registered: "registered by you",
  client_id_metadata_document: "the address of this installation",
  dynamic: "registered automatically"
} as const

const Overview = ({
  connection,
  onWaiting
}: {
  readonly connection: McpConnection
  readonly onWaiting: (isWaiting: boolean) => void
}) => {
  const { apiKeyHeader, apiKeyScheme, authType, connectedForMe, credentialMode, oauthClient, scopes } = connection
  return (
    <div className="stack">
      <NextStep connection={connection} />
      <div className="columns">
        <Section title="Credential" actions={<ConnectActions connection={connection} onWaiting={onWaiting} />}>
          <Facts
            rows={[
              ["Sign-in", authType === "none" ? "not needed" : authNames[authType]],
              ...(authType === "none"
                ? []
                : [
                    ["Credential", modeNames[credentialMode]] as const,
                    ["Set for you", connectedForMe ? "yes" : "no"] as const
                  ]),
              ...(authType === "oauth"
                ? [
                    [
                      "OAuth client",
                      oauthClient === null ? (
                        "none until the first sign-in"
                      ) : (
                        <>
                          <code>{oauthClient.clientId}</code>, {registrationNames[oauthClient.registration]}
                        </>
                      )
                    ] as const,
                    ["Scopes", scopes === null ? "those that the server requires" : <Scopes scopes={scopes} />] as const
                  ]
                : []),
              ...(authType === "apikey"
                ? [["Header", <code key="header">{`${apiKeyHeader ?? ""}: ${apiKeyScheme ?? ""} …`}</code>] as const]
                : [])
            ]}
          />
        </Section>
        <Section title="Server">
          <Facts
            rows={[
              ["Address", <code key="url">{connection.url}</code>],
              ["Preset", connection.presetId],
              ["Tools read", <Time key="checked" at={connection.toolsCheckedAt} />],
              [
                "Approved state",
                connection.fingerprint === null ? (
                  "none until the tools are read"
                ) : (
                  <code key="fingerprint" title={connection.fingerprint}>
                    {connection.fingerprint.slice(0, 12)}
                  </code>
                )
              ],
              ["Created by", <Author key="creator" id={connection.createdByOrgMembershipId} />],
              ["Created", <Time key="created" at={connection.createdAt} />],
              ["Changed", <Time key="changed" at={connection.updatedAt} />]
            ]}
          />
        </Section>
      </div>
    </div>
  )
}

export const Page = () => {
  const connectionId = usePathParameter("connectionId")
  const [isWaiting, setWaiting] = useState(false)
  const query = useQuery({
    queryKey: ["mcp-connections", connectionId],
    queryFn: ({ signal }) => client.mcpConnections.get(connectionId, { signal }),
    refetchInterval: isWaiting ? pollMillis : false
  })
  return (
    <Shown query={query} lines={8}>
      {(connection) => (
        <OnObject kind="mcpConnection" id={connectionId}>
          <PageHeader
            title={connection.name}
            description={connection.url}
            actions={
              <>
                <StatusBadge status={connection.status} />
                <Allowed permission="mcp:call">
                  <Link className="button" to={`/mcp-connections/${connectionId}/try`}>
                    Try a tool
                  </Link>
                </Allowed>
              </>
            }
          />
          <Tabs
            tabs={[
              {
                value: "overview",
                label: "Overview",
                content: () => <Overview connection={connection} onWaiting={setWaiting} />
              },
              { value: "tools", label: "Tools", content: () => <ConnectionTools connection={connection} /> },
              {
                value: "access",
                label: "Access",
                access: "manager",
                content: () => (
                  <Access
                    kind="mcpConnection"
                    id={connection.id}
                    {...(connection.credentialMode === "shared"
                      ? { everyoneNote: "Everyone uses the server with the connected account." }
                      : {})}
                  />
                )
              },
              {
                value: "settings",
                label: "Settings",
                permission: "mcpConnections:write",
                access: "manager",
                content: () => <ConnectionSettings connection={connection} />
              }
            ]}
          />
        </OnObject>
      )}
    </Shown>
  )
}
