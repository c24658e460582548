/** An LLM provider: its connection, its models, its key, and who has access. */
import type { LlmProvider } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { OnObject } from "../../design/allowed.tsx"
import { reload } from "../../design/action.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { Facts, Section } from "../../design/facts.tsx"
import { Shown } from "../../design/query.tsx"
import { Tabs } from "../../design/tabs.tsx"
import { notify } from "../../design/toast.tsx"
import { Badge, Button, Notice, PageHeader, Time } from "../../design/ui.tsx"
import { Access } from "../../objects/access.tsx"
import { Name } from "../../objects/names.tsx"
import { usePathParameter } from "../../parameters.ts"
import { grantsOf } from "../../objects/grants.ts"
import { LlmProviderDialog } from "./llm-form.tsx"
import { Key, Test } from "./llm-key.tsx"
import { Models } from "./llm-models.tsx"
import { apiFormats } from "./llm-words.ts"

/** A link only to the web: the URL comes from the catalog. */
const WebLink = ({ url }: { readonly url: string }) =>
  /^https?:\/\//i.test(url) ? (
    <a href={url} rel="noreferrer" target="_blank">
      {url}
    </a>
  ) : (
    <>{url}</>
  )

const About = ({ provider }: { readonly provider: LlmProvider }) => {
  const { apiFormat, baseUrl, createdAt, createdByOrgMembershipId, docUrl, env, headers, npm, options, providerId } =
    provider
  return (
    <Section title="Connection">
      <Facts
        rows={[
          ["Provider", providerId === "custom" ? "your own URL" : <code key="provider">{providerId}</code>],
          ["URL", baseUrl === null ? "built into the library of the provider" : <code key="url">{baseUrl}</code>],
          ["API format", apiFormats.find(([value]) => value === apiFormat)?.[1]],
          ["Environment variables", env.length === 0 ? null : <code key="env">{env.join(", ")}</code>],
          ["npm package", npm === null ? null : <code key="npm">{npm}</code>],
          ["Documentation", docUrl === null ? null : <WebLink key="doc" url={docUrl} />],
          [
            "Headers",
            Object.keys(headers).length === 0
              ? null
              : Object.entries(headers)
                  .map(([name, value]) => `${name}: ${value}`)
                  .join(", ")
          ],
          ["Options", Object.keys(options).length === 0 ? null : <code key="options">{JSON.stringify(options)}</code>],
          [
            "Created by",
            createdByOrgMembershipId === null ? null : <Name key="by" kind="member" id={createdByOrgMembershipId} />
          ],
          ["Created", <Time key="created" at={createdAt} />]
        ]}
      />
    </Section>
  )
}

const RemoveConfirm = ({
  etag,
  isOpen,
  onClose,
  provider: { id, name }
}: {
  readonly provider: LlmProvider
  readonly etag: string | undefined
  readonly isOpen: boolean
  readonly onClose: () => void
}) => {
  const navigate = useNavigate()
  const grants = useQuery({
    queryKey: ["llm-providers", id, "grants"],
    queryFn: async ({ signal }) => {
      const { items, nextCursor } = await grantsOf("llmProvider").list(id, { limit: 100 }, signal)
      const given = items.filter(({ removedAt }) => removedAt === null)
      return { count: given.length, isEveryone: given.some(({ orgWide }) => orgWide), isMore: nextCursor !== null }
    },
    enabled: isOpen
  })
  return (
    <Confirm
      title={`Remove ${name}?`}
      action="Remove the provider"
      isOpen={isOpen}
      onClose={onClose}
      confirm={async () => {
        await client.llmProviders.remove(id, { ifMatch: etag })
        notify("The provider was removed.")
        void navigate({ to: "/llm-providers" })
        void reload(["llm-providers"])
      }}
    >
      <p>
        Its keys are deleted, and its grants are revoked. Members no longer receive its models with their next poll.
      </p>
      <Shown query={grants} lines={1}>
        {({ count, isEveryone, isMore }) => (
          <p>
            {isEveryone
              ? "Everyone in the organization has access now."
              : `${isMore ? "More than " : ""}${count} ${count === 1 ? "grant gives" : "grants give"} access now.`}
          </p>
        )}
      </Shown>
    </Confirm>
  )
}

export const Page = () => {
  const id = usePathParameter("llmProviderId")
  const query = useQuery({
    queryKey: ["llm-providers", id],
    queryFn: async ({ signal }) => {
      const { data, response } = await client.llmProviders.get(id, { signal }).withResponse()
      return { provider: data, etag: response.headers.get("etag") ?? undefined }
    }
  })
  const [editing, setEditing] = useState(0)
  const [open, setOpen] = useState<"edit" | "remove">()
  const close = () => setOpen(undefined)
  return (
    <Shown query={query} lines={8}>
      {({ etag, provider }) => (
        <OnObject kind="llmProvider" id={id}>
          <PageHeader
            title={provider.name}
            actions={
              <>
                <Badge tone={provider.status === "ready" ? "good" : "warn"}>
                  {provider.status === "ready" ? "ready" : "not connected"}
                </Badge>
                <Button
                  permission="llmProviders:write"
                  access="manager"
                  onClick={() => {
                    setEditing(editing + 1)
                    setOpen("edit")
                  }}
                >
                  Edit the provider
                </Button>
                <Button
                  permission="llmProviders:manage"
                  access="manager"
                  kind="danger"
                  onClick={() => setOpen("remove")}
                >
                  Remove the provider
                </Button>
              </>
            }
          />
          <Tabs
            tabs={[
              {
                value: "connection",
                label: "Connection",
                content: () => (
                  <div className="stack">
                    {provider.statusReason !== null && (
                      <Notice title="The provider is not ready" tone="warn">
                        <span>{provider.statusReason}</span>
                      </Notice>
                    )}
                    <Key provider={provider} />
                    <Test provider={provider} />
                    <About provider={provider} />
                  </div>
                )
              },
              { value: "models", label: "Models", content: () => <Models provider={provider} etag={etag} /> },
              {
                value: "access",
                label: "Access",
                access: "manager",
                content: () => <Access kind="llmProvider" id={id} />
              }
            ]}
          />
          <LlmProviderDialog key={editing} provider={provider} etag={etag} isOpen={open === "edit"} onClose={close} />
          <RemoveConfirm provider={provider} etag={etag} isOpen={open === "remove"} onClose={close} />
        </OnObject>
      )}
    </Shown>
  )
}
