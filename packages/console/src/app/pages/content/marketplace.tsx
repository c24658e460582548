/** A marketplace: its plugins with what is missing, who has access, and how agents add it. */
import type { ResolvedMarketplace } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { Allowed, OnObject } from "../../design/allowed.tsx"
import { ActionButton, FormDialog, reload } from "../../design/action.tsx"
import { Confirm, Dialog } from "../../design/dialog.tsx"
import { Facts, Section } from "../../design/facts.tsx"
import { readVersioned, useFormField, useFormVersion, type Versioned } from "../../design/form-version.ts"
import { Shown } from "../../design/query.tsx"
import { Tabs } from "../../design/tabs.tsx"
import { notify } from "../../design/toast.tsx"
import { Badge, Button, Field, PageHeader, Time } from "../../design/ui.tsx"
import { Access } from "../../objects/access.tsx"
import { Author, Name } from "../../objects/names.tsx"
import { usePathParameter } from "../../parameters.ts"
import { MarketplacesArchived } from "./archive-impact.tsx"
import { DeliveryModeForm, pluginsReadMax } from "./delivery-mode.tsx"
import { Loaded } from "./loaded.tsx"
import { Install } from "./marketplace-install.tsx"
import { Plugins } from "./marketplace-plugins.tsx"
import { Crumb, NameFields } from "./parts.tsx"
import { filled } from "./words.ts"

type Marketplace = ResolvedMarketplace["marketplace"]

const editTexts = {
  title: "Edit the marketplace",
  description: "The name under which agents know it does not change."
}

const EditForm = ({
  item: marketplace,
  onClose,
  version
}: Versioned<Marketplace> & {
  readonly onClose: () => void
}) => {
  const ifMatch = useFormVersion(version)
  const [name, setName] = useFormField(marketplace.name)
  const [description, setDescription] = useFormField(marketplace.description ?? "")
  const [logoUrl, setLogoUrl] = useFormField(marketplace.logoUrl ?? "")
  return (
    <FormDialog
      {...editTexts}
      action="Save"
      done="The marketplace was changed."
      changes={["marketplaces", "plugins"]}
      isOpen
      onClose={onClose}
      fields={["name", "description", "logoUrl"]}
      submit={() =>
        client.marketplaces.update(
          marketplace.id,
          {
            // What a connector manages cannot be changed, so only changes are sent.
            ...(name.trim() === marketplace.name ? {} : { name: name.trim() }),
            ...(description === (marketplace.description ?? "") ? {} : { description: filled(description) ?? null }),
            ...(logoUrl === (marketplace.logoUrl ?? "") ? {} : { logoUrl: filled(logoUrl) ?? null })
          },
          { ifMatch }
        )
      }
    >
      {(problem) => (
        <>
          <NameFields
            name={name}
            description={description}
            onName={setName}
            onDescription={setDescription}
            problem={problem}
          />
          <Field
            label="Logo (optional)"
            hint="The https URL of an image, for clients. The console does not load it."
            type="url"
            maxLength={2048}
            value={logoUrl}
            problem={problem("logoUrl")}
            onChange={({ target }) => setLogoUrl(target.value)}
          />
        </>
      )}
    </FormDialog>
  )
}

/** Reads the marketplace when it opens, because the page shows a resolved marketplace, which has no version. */
const EditDialog = ({ id, onClose }: { readonly id: string; readonly onClose: () => void }) => {
  const query = useQuery({
    queryKey: ["marketplaces", id, "edit"],
    queryFn: ({ signal }) => readVersioned(client.marketplaces.get(id, { signal })),
    staleTime: 0,
    gcTime: 0
  })
  if (query.data !== undefined) return <EditForm {...query.data} onClose={onClose} />
  return (
    <Dialog {...editTexts} isOpen onClose={onClose}>
      <Shown query={query} lines={6}>
        {() => null}
      </Shown>
    </Dialog>
  )
}

const Actions = ({ marketplace }: { readonly marketplace: Marketplace }) => {
  const [asked, setAsked] = useState<"edit" | "archive">()
  const close = () => setAsked(undefined)
  return (
    <>
      <Button permission="marketplaces:write" access="editor" onClick={() => setAsked("edit")}>
        Edit
      </Button>
      {marketplace.archivedAt === null ? (
        <Button kind="danger" permission="marketplaces:write" access="manager" onClick={() => setAsked("archive")}>
          Archive
        </Button>
      ) : (
        <ActionButton
          kind="primary"
          permission="marketplaces:write"
          access="manager"
          done="The marketplace was restored."
          changes={["marketplaces", "plugins"]}
          work={() => client.marketplaces.restore(marketplace.id)}
        >
          Restore
        </ActionButton>
      )}
      {asked === "edit" && <EditDialog id={marketplace.id} onClose={close} />}
      <Confirm
        title={`Archive ${marketplace.name}?`}
        action="Archive the marketplace"
        isOpen={asked === "archive"}
        onClose={close}
        confirm={async () => {
          await client.marketplaces.archive(marketplace.id)
          notify("The marketplace was archived.")
          await reload(["marketplaces", "plugins"])
        }}
      >
        <p>The marketplace is hidden, and members no longer see plugins through it.</p>
        <MarketplacesArchived marketplaces={[marketplace]} />
        <p>Plugins and grants are kept, and the marketplace can be restored.</p>
      </Confirm>
    </>
  )
}

const About = ({ resolved: { marketplace, source } }: { readonly resolved: ResolvedMarketplace }) => (
  <div className="cards">
    <Section title="Marketplace">
      <Facts
        rows={[
          ["Created", <Time key="created" at={marketplace.createdAt} />],
          ["Created by", <Author key="author" id={marketplace.createdByOrgMembershipId} />],
          ["Changed", <Time key="changed" at={marketplace.updatedAt} />],
          ["Plugins", marketplace.pluginCount],
          ["Logo", marketplace.logoUrl === null ? null : <code>{marketplace.logoUrl}</code>],
          ...(source === null
            ? []
            : ([
                ["Connector", <Name kind="connectorInstance" key="connector" id={source.connectorInstanceId} />],
                ["Repository", <code key="repository">{source.repositoryFullName}</code>],
                ["Branch", <code key="branch">{source.branch}</code>]
              ] as const))
        ]}
      />
    </Section>
    <Allowed permission="approvals:read">
      <Section title="Approval of updates">
        <DeliveryModeForm
          queryKey={["approvals", "marketplace", marketplace.id]}
          subject="the plugins in this marketplace"
          load={(signal) => client.approvals.getMarketplaceMode(marketplace.id, { signal })}
          plugins={async (signal) => {
            const plugins = await client.plugins
              .list({ marketplaceId: marketplace.id, limit: 100 }, { signal })
              .take(pluginsReadMax)
            return plugins.map(({ id }) => id)
          }}
          save={(deliveryMode) => client.approvals.setMarketplaceMode(marketplace.id, { deliveryMode })}
        />
      </Section>
    </Allowed>
  </div>
)

const Content = ({ resolved }: { readonly resolved: ResolvedMarketplace }) => {
  const { marketplace, source } = resolved
  const { archivedAt, description, id, name } = marketplace
  return (
    <>
      <Crumb to="/marketplaces">Marketplaces</Crumb>
      <PageHeader
        title={name}
        {...(description === null ? {} : { description })}
        actions={<Actions marketplace={marketplace} />}
      />
      <div className="stack">
        <div className="row">
          {archivedAt === null ? <Badge tone="good">listed</Badge> : <Badge>archived</Badge>}
          {source !== null && (
            <span className="muted">
              From <Link to={`/connectors/${source.connectorInstanceId}`}>{source.repositoryFullName}</Link>
            </span>
          )}
        </div>
        <Tabs
          tabs={[
            { value: "plugins", label: "Plugins", content: () => <Plugins resolved={resolved} /> },
            { value: "install", label: "Install", content: () => <Install resolved={resolved} /> },
            {
              value: "access",
              label: "Access",
              access: "manager",
              content: () => <Access kind="marketplace" id={id} />
            },
            { value: "about", label: "About and updates", content: () => <About resolved={resolved} /> }
          ]}
        />
      </div>
    </>
  )
}

export const Page = () => {
  const id = usePathParameter("marketplaceId")
  const query = useQuery({
    queryKey: ["marketplaces", id, "resolved"],
    queryFn: ({ signal }) => client.marketplaces.resolved(id, { signal })
  })
  return (
    <Loaded title="Marketplace" query={query}>
      {(resolved) => (
        <OnObject kind="marketplace" id={id}>
          <Content resolved={resolved} />
        </OnObject>
      )}
    </Loaded>
  )
}
