/** A plugin: its objects, what it can do on a member's machine, its releases, who has access, and how it is installed. */
import type { Plugin } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { Allowed, OnObject } from "../../design/allowed.tsx"
import { ActionButton, FormDialog, reload } from "../../design/action.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { readVersioned, useFormField, useFormVersion, type Versioned } from "../../design/form-version.ts"
import { SeeAlso, type SeeLink } from "../../design/see-also.tsx"
import { Tabs } from "../../design/tabs.tsx"
import { plural } from "../../design/text.ts"
import { notify } from "../../design/toast.tsx"
import { Badge, Button, Notice, PageHeader } from "../../design/ui.tsx"
import { Access } from "../../objects/access.tsx"
import { PluginUse } from "./plugin-archive-impact.tsx"
import { usePathParameter } from "../../parameters.ts"
import { Loaded } from "./loaded.tsx"
import { Crumb, NameFields } from "./parts.tsx"
import { Capabilities } from "./plugin-capabilities.tsx"
import { Install } from "./plugin-install.tsx"
import { Objects } from "./plugin-objects.tsx"
import { Releases } from "./plugin-releases.tsx"
import { filled } from "./words.ts"

const EditDialog = ({
  item: plugin,
  onClose,
  version
}: Versioned<Plugin> & {
  readonly onClose: () => void
}) => {
  const ifMatch = useFormVersion(version)
  const [name, setName] = useFormField(plugin.name)
  const [description, setDescription] = useFormField(plugin.description ?? "")
  return (
    <FormDialog
      title="Edit the plugin"
      action="Save"
      done="The plugin was changed."
      changes={["plugins"]}
      isOpen
      onClose={onClose}
      fields={["name", "description"]}
      submit={() =>
        client.plugins.update(plugin.id, { name: name.trim(), description: filled(description) ?? null }, { ifMatch })
      }
    >
      {(problem) => (
        <NameFields
          name={name}
          description={description}
          onName={setName}
          onDescription={setDescription}
          problem={problem}
        />
      )}
    </FormDialog>
  )
}

const Actions = ({ item: plugin, version }: Versioned<Plugin>) => {
  const [asked, setAsked] = useState<"edit" | "archive">()
  const close = () => setAsked(undefined)
  const { archivedAt, id, marketplaces, memberCount, name } = plugin
  return (
    <>
      <Button permission="plugins:write" access="editor" onClick={() => setAsked("edit")}>
        Edit
      </Button>
      {archivedAt === null ? (
        <Button kind="danger" permission="plugins:write" access="manager" onClick={() => setAsked("archive")}>
          Archive
        </Button>
      ) : (
        <ActionButton
          kind="primary"
          permission="plugins:write"
          access="manager"
          done="The plugin was restored."
          changes={["plugins", "marketplaces"]}
          work={() => client.plugins.restore(id)}
        >
          Restore
        </ActionButton>
      )}
      {asked === "edit" && <EditDialog item={plugin} version={version} onClose={close} />}
      <Confirm
        title={`Archive ${name}?`}
        action="Archive the plugin"
        isOpen={asked === "archive"}
        onClose={close}
        confirm={async () => {
          await client.plugins.archive(id)
          notify("The plugin was archived.")
          await reload(["plugins", "marketplaces", "objects"])
        }}
      >
        <p>
          The plugin and its {plural(memberCount, "object")} are hidden from lists, and agents no longer receive them.
        </p>
        {marketplaces.length > 0 && (
          <p>It is no longer listed in {marketplaces.map((marketplace) => marketplace.name).join(", ")}.</p>
        )}
        <PluginUse pluginId={id} />
        <p>Its grants are kept, and it can be restored.</p>
      </Confirm>
    </>
  )
}

const links = ({ id, marketplaces }: Plugin): ReadonlyArray<SeeLink> => [
  {
    to: `/assignments?pluginId=${id}`,
    label: "Assignments of the plugin",
    about: "The members who must have it, can turn it on or off, or cannot use it",
    permission: "assignments:read"
  },
  ...marketplaces.map((marketplace): SeeLink => ({
    to: `/assignments?marketplaceId=${marketplace.id}`,
    label: `Assignments of ${marketplace.name}`,
    about: "They apply to all plugins of the marketplace",
    permission: "assignments:read"
  })),
  {
    to: `/rollouts?pluginId=${id}`,
    label: "Rollouts",
    about: "The delivery of its releases to members",
    permission: "rollouts:read"
  },
  { to: `/fleet?plugin=${id}`, label: "Fleet", about: "The devices that should run it", permission: "delivery:read" },
  {
    to: `/audit?targetId=${id}`,
    label: "Changes to this plugin",
    about: "Events of the audit log",
    permission: "audit:read"
  }
]

const Content = ({ item: plugin, version }: Versioned<Plugin>) => {
  const { archivedAt, description, id, marketplaces, name, pendingReleaseId } = plugin
  return (
    <>
      <Crumb to="/plugins">Plugins</Crumb>
      <PageHeader
        title={name}
        {...(description === null ? {} : { description })}
        actions={<Actions item={plugin} version={version} />}
      />
      <div className="stack">
        <div className="row">
          {archivedAt !== null && <Badge>archived</Badge>}
          <span className="muted">
            {marketplaces.length === 0 ? "In no marketplace that you can see" : "In the marketplaces "}
          </span>
          {marketplaces.map((marketplace) => (
            <Link key={marketplace.id} to={`/marketplaces/${marketplace.id}`}>
              {marketplace.name}
            </Link>
          ))}
        </div>
        {pendingReleaseId !== null && (
          <Notice title="A release is pending approval" tone="warn">
            <span>Members and agents receive the served release until an approver has reviewed this one.</span>
            <div className="row">
              <Allowed permission="approvals:read">
                <Link className="button" to={`/releases/${pendingReleaseId}`}>
                  Review the release
                </Link>
              </Allowed>
            </div>
          </Notice>
        )}
        <Tabs
          tabs={[
            { value: "objects", label: "Objects", content: () => <Objects plugin={plugin} /> },
            { value: "capabilities", label: "Capabilities", content: () => <Capabilities pluginId={id} /> },
            {
              value: "releases",
              label: "Releases",
              permission: "approvals:read",
              content: () => <Releases plugin={plugin} />
            },
            {
              value: "access",
              label: "Access",
              access: "manager",
              content: () => <Access kind="plugin" id={id} />
            },
            { value: "install", label: "Install", content: () => <Install plugin={plugin} /> }
          ]}
        />
        <SeeAlso links={links(plugin)} />
      </div>
    </>
  )
}

export const Page = () => {
  const id = usePathParameter("pluginId")
  const query = useQuery({
    queryKey: ["plugins", id],
    queryFn: ({ signal }) => readVersioned(client.plugins.get(id, { signal }))
  })
  return (
    <Loaded title="Plugin" query={query}>
      {({ item, version }) => (
        <OnObject kind="plugin" id={id}>
          <Content item={item} version={version} />
        </OnObject>
      )}
    </Loaded>
  )
}
