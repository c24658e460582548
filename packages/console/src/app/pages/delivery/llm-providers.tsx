/** LLM providers of the organization. */
import type { LlmProvider } from "@orgplane/client"
import { Link } from "@tanstack/react-router"
import { client } from "../../api/client.ts"
import type { Column } from "../../design/data-table.tsx"
import { ListPage } from "../../design/list-page.tsx"
import { Badge, Button, Time } from "../../design/ui.tsx"
import { useParameters, useSetParameters } from "../../parameters.ts"
import { LlmProviderDialog } from "./llm-form.tsx"
import { credentialModes } from "./llm-words.ts"

const columns: ReadonlyArray<Column<LlmProvider>> = [
  {
    name: "Name",
    width: "minmax(0, 2fr)",
    cell: ({ name }) => <strong title={name}>{name}</strong>,
    sort: ({ name }) => name
  },
  { name: "Provider", width: "minmax(0, 1fr)", wide: true, cell: ({ providerId }) => <code>{providerId}</code> },
  {
    name: "Status",
    width: "130px",
    cell: ({ status, statusReason }) => (
      <span title={statusReason ?? ""}>
        <Badge tone={status === "ready" ? "good" : "warn"}>{status === "ready" ? "ready" : "not connected"}</Badge>
      </span>
    )
  },
  {
    name: "Key",
    width: "minmax(0, 1fr)",
    wide: true,
    cell: ({ connectedForMe, credentialMode }) => (
      <>
        {credentialModes[credentialMode].short} {!connectedForMe && <span className="muted">(yours is missing)</span>}
      </>
    )
  },
  { name: "Models", width: "80px", cell: ({ models }) => (models === null ? "all" : models.length) },
  {
    name: "Changed",
    width: "130px",
    wide: true,
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
    sort: ({ updatedAt }) => updatedAt
  }
]

export const Page = () => {
  const { create } = useParameters()
  const set = useSetParameters()
  const button = (
    <Button
      permission="llmProviders:write"
      kind="primary"
      onClick={() => {
        set({ create: "1" })
      }}
    >
      Add a provider
    </Button>
  )
  return (
    <>
      <ListPage
        title="LLM providers"
        name="llm-providers"
        description="The models that members can use, and the keys that they use them with. Machines of members send their requests directly to the provider."
        columns={columns}
        searches
        load={(input, signal) => client.llmProviders.list(input, { signal })}
        idOf={({ id }) => id}
        to={({ id }) => `/llm-providers/${id}`}
        actions={
          <>
            <Link to="/models" className="button">
              Model catalog
            </Link>
            {button}
          </>
        }
        empty={
          <>
            <p>Add a provider from the catalog, or your own URL.</p>
            {button}
          </>
        }
      />
      {create === "1" && <LlmProviderDialog isOpen onClose={() => set({ create: undefined })} />}
    </>
  )
}
