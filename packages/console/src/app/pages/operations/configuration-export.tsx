/** The configuration of the organization as a document. */
import type { ConfigurationKind } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { copyText } from "../../design/copy.ts"
import { saveFile } from "../../design/download.ts"
import { Section } from "../../design/facts.tsx"
import { Checkbox } from "../../design/fields.tsx"
import { notify } from "../../design/toast.tsx"
import { Button, Failure, Loading, Skeleton } from "../../design/ui.tsx"
import { useParameters, useSetParameters } from "../../parameters.ts"
import "./operations.css"

const kinds: Readonly<
  Record<"organization" | "memberRoles" | "rolloutSettings" | "approvalSettings" | ConfigurationKind, string>
> = {
  organization: "Organization",
  memberRoles: "Roles of members",
  rolloutSettings: "Rollout settings",
  approvalSettings: "Approval settings",
  roles: "Roles",
  teams: "Teams",
  marketplaces: "Marketplaces",
  plugins: "Plugins",
  assignments: "Assignments",
  templates: "Templates",
  desktopPolicies: "Desktop policies",
  llmProviders: "LLM providers",
  mcpConnections: "MCP connections",
  connectorAccounts: "Connector accounts",
  connectors: "Connectors",
  domains: "Domains",
  ssoConnections: "SSO connections",
  scimDirectories: "SCIM directories",
  webhookEndpoints: "Webhook endpoints",
  eventStreams: "Event streams"
}

const all = Object.keys(kinds)
/** More of the document is in the file only. */
const shownMax = 200_000

export const ConfigurationExport = () => {
  const parameter = useParameters()["kinds"]
  const set = useSetParameters()
  const selected = parameter === undefined ? all : parameter.split(",").filter((each) => all.includes(each))
  const [isOpen, setOpen] = useState(false)
  const query = useQuery({
    queryKey: ["configuration", "export", parameter],
    queryFn: ({ signal }) =>
      client.configuration.export(parameter === undefined ? {} : { kinds: selected.join(",") }, { signal }),
    enabled: isOpen && selected.length > 0
  })
  const text = query.data === undefined ? "" : `${JSON.stringify(query.data, null, 2)}\n`
  const toggle = (kind: string, isChecked: boolean) => {
    const next = all.filter((each) => (each === kind ? isChecked : selected.includes(each)))
    set({ kinds: next.length === all.length ? undefined : next.join(",") })
  }
  const copy = async () => {
    if (await copyText(text)) notify("The document was copied.")
  }
  return (
    <div className="stack">
      <Section title="Kinds of objects">
        <div className="kinds">
          {Object.entries(kinds).map(([kind, label]) => (
            <Checkbox
              key={kind}
              label={label}
              isChecked={selected.includes(kind)}
              onChange={(isChecked) => toggle(kind, isChecked)}
            />
          ))}
        </div>
        <div className="row">
          <Button kind="primary" disabled={selected.length === 0} onClick={() => setOpen(true)}>
            Show the document
          </Button>
          <Button kind="quiet" onClick={() => set({ kinds: selected.length === all.length ? "" : undefined })}>
            {selected.length === all.length ? "Select none" : "Select all"}
          </Button>
        </div>
        <p className="muted">
          The document is JSON, which YAML files may contain too. It never contains secrets. Objects without a key are
          shown with a key that is derived from their name; an apply stores it.
        </p>
      </Section>
      {isOpen && selected.length > 0 && (
        <Section
          title="Document"
          actions={
            query.data !== undefined && (
              <>
                <Button onClick={() => void copy()}>Copy</Button>
                <Button onClick={() => saveFile("orgplane.json", new Blob([text], { type: "application/json" }))}>
                  Save as orgplane.json
                </Button>
              </>
            )
          }
        >
          {query.isError ? (
            <Failure error={query.error} retry={() => void query.refetch()} />
          ) : query.data === undefined ? (
            <Loading>
              <Skeleton height={320} />
            </Loading>
          ) : (
            <>
              <pre className="exchange document" tabIndex={0} aria-label="Configuration document">
                {text.slice(0, shownMax)}
              </pre>
              {text.length > shownMax && <p className="muted">The rest of the document is in the file.</p>}
            </>
          )}
        </Section>
      )}
    </div>
  )
}
