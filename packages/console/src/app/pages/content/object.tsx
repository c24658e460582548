/** A config object: its content, its versions and their differences, and who has access. */
import type { ConfigObject, Plugin } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { OnObject } from "../../design/allowed.tsx"
import { ActionButton, FormDialog, reload } from "../../design/action.tsx"
import { type Column, DataTable } from "../../design/data-table.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { Facts, Section } from "../../design/facts.tsx"
import { Shown } from "../../design/query.tsx"
import { Tabs } from "../../design/tabs.tsx"
import { plural } from "../../design/text.ts"
import { notify } from "../../design/toast.tsx"
import { Badge, Button, Empty, PageHeader, Time } from "../../design/ui.tsx"
import { Access } from "../../objects/access.tsx"
import { Author, Name } from "../../objects/names.tsx"
import { usePathParameter } from "../../parameters.ts"
import { Loaded } from "./loaded.tsx"
import { NewVersionDialog } from "./object-form.tsx"
import { Versions } from "./object-versions.tsx"
import { objectStatuses, objectTones, sources } from "./objects.tsx"
import { Crumb, Picker } from "./parts.tsx"
import { Source } from "./source.tsx"
import { labelOf, objectTypes } from "./words.ts"

const AttachDialog = ({ object, onClose }: { readonly object: ConfigObject; readonly onClose: () => void }) => {
  const [pluginId, setPluginId] = useState<string>()
  return (
    <FormDialog
      title="Add the object to a plugin"
      description="Everyone who can see the plugin can then see the object."
      action="Add the object"
      done="The object was added to the plugin."
      changes={["objects", "plugins", "marketplaces"]}
      isOpen
      onClose={onClose}
      submit={() => client.configObjects.attachPlugin(object.id, { pluginId: pluginId ?? "" })}
    >
      {() => (
        <Picker
          label="Plugin"
          queryKey={["plugins", "pick"]}
          load={(input, signal) => client.plugins.list(input, { signal })}
          idOf={({ id }) => id}
          nameOf={({ memberCount, name }) => ({ name, detail: plural(memberCount, "object") })}
          value={pluginId}
          onChange={setPluginId}
        />
      )}
    </FormDialog>
  )
}

const shownMax = 50

/** The plugins that contain an object. */
const usePlugins = (configObjectId: string) =>
  useQuery({
    queryKey: ["plugins", "with", configObjectId],
    queryFn: ({ signal }) => client.plugins.list({ configObjectId, limit: shownMax }, { signal })
  })

/** The plugins that lose the object. */
const Losing = ({ object }: { readonly object: ConfigObject }) => {
  const query = usePlugins(object.id)
  return (
    <Shown query={query} lines={2}>
      {({ items, nextCursor }) =>
        items.length === 0 ? (
          <p>No plugin contains it.</p>
        ) : (
          <>
            <p>{items.length === 1 ? "This plugin loses it:" : "These plugins lose it:"}</p>
            <ul aria-label="Plugins that lose the object">
              {items.map(({ id, name }) => (
                <li key={id}>{name}</li>
              ))}
              {nextCursor !== null && <li>and more</li>}
            </ul>
          </>
        )
      }
    </Shown>
  )
}

const pluginColumns: ReadonlyArray<Column<Plugin>> = [
  {
    name: "Plugin",
    width: "minmax(0, 2fr)",
    cell: ({ name }) => <strong title={name}>{name}</strong>,
    sort: ({ name }) => name
  },
  { name: "Objects", width: "100px", cell: ({ memberCount }) => memberCount, sort: ({ memberCount }) => memberCount },
  {
    name: "Changed",
    width: "140px",
    wide: true,
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
    sort: ({ updatedAt }) => updatedAt
  }
]

const InPlugins = ({ object }: { readonly object: ConfigObject }) => {
  return (
    <DataTable
      label="Plugins with the object"
      columns={pluginColumns}
      queryKey={["plugins", "with", object.id, "table"]}
      load={(cursor, signal) =>
        client.plugins.list(
          { configObjectId: object.id, limit: shownMax, ...(cursor === undefined ? {} : { cursor }) },
          { signal }
        )
      }
      idOf={({ id }) => id}
      to={({ id }) => `/plugins/${id}`}
      empty={
        <Empty title="No plugin contains the object">
          <p>Agents receive an object with a plugin that contains it.</p>
        </Empty>
      }
    />
  )
}

type Asked = "version" | "attach" | "archive" | "remove"

const Actions = ({ object }: { readonly object: ConfigObject }) => {
  const [asked, setAsked] = useState<Asked>()
  const navigate = useNavigate()
  const close = () => setAsked(undefined)
  const { id, sourceMode, status, title } = object
  const isManaged = sourceMode === "connector"
  return (
    <>
      {!isManaged && status !== "archived" && (
        <Button kind="primary" permission="configObjects:write" access="editor" onClick={() => setAsked("version")}>
          New version
        </Button>
      )}
      <Button permission="configObjects:write" access="manager" onClick={() => setAsked("attach")}>
        Add to a plugin
      </Button>
      {status === "archived" ? (
        <ActionButton
          permission="configObjects:write"
          access="manager"
          done="The object was restored."
          changes={["objects", "plugins"]}
          work={() => client.configObjects.restore(id)}
        >
          Restore
        </ActionButton>
      ) : (
        <Button permission="configObjects:write" access="manager" onClick={() => setAsked("archive")}>
          Archive
        </Button>
      )}
      <Button kind="danger" permission="configObjects:write" access="manager" onClick={() => setAsked("remove")}>
        Remove
      </Button>
      {asked === "version" && <NewVersionDialog object={object} onClose={close} />}
      {asked === "attach" && <AttachDialog object={object} onClose={close} />}
      <Confirm
        title={`Archive ${title}?`}
        action="Archive the object"
        isOpen={asked === "archive"}
        onClose={close}
        confirm={async () => {
          await client.configObjects.archive(id)
          notify("The object was archived.")
          await reload(["objects", "plugins"])
        }}
      >
        <p>
          The object is hidden from lists and plugins, and agents no longer receive it. Its versions and grants are
          kept, and it can be restored.
        </p>
        <Losing object={object} />
      </Confirm>
      <Confirm
        title={`Remove ${title}?`}
        action="Remove the object"
        isOpen={asked === "remove"}
        onClose={close}
        confirm={async () => {
          await client.configObjects.remove(id)
          notify("The object was removed.")
          await navigate({ to: "/objects" })
          void reload(["objects", "plugins"])
        }}
      >
        <p>
          The object is removed from every plugin and list, and its grants are revoked. Agents no longer receive it. To
          be able to restore it, archive it instead.
        </p>
        <Losing object={object} />
      </Confirm>
    </>
  )
}

const Content = ({ object }: { readonly object: ConfigObject }) => {
  const { connectorInstanceId, currentRelativePath, description, id, latestVersion, objectType, sourceMode, status } =
    object
  return (
    <>
      <Crumb to="/objects">Config objects</Crumb>
      <PageHeader
        title={object.title}
        {...(description === null ? {} : { description })}
        actions={<Actions object={object} />}
      />
      <div className="stack">
        <div className="row">
          <Badge>{labelOf(objectTypes, objectType)}</Badge>
          <Badge tone={objectTones[status]}>{objectStatuses[status]}</Badge>
          {connectorInstanceId !== null && (
            <span className="muted">
              From <Name kind="connectorInstance" id={connectorInstanceId} />. Change it in the repository.
            </span>
          )}
        </div>
        <Tabs
          tabs={[
            {
              value: "content",
              label: "Content",
              content: () => (
                <div className="card">
                  <Source object={object} version={latestVersion} />
                </div>
              )
            },
            { value: "plugins", label: "Plugins", content: () => <InPlugins object={object} /> },
            { value: "versions", label: "Versions", content: () => <Versions object={object} /> },
            {
              value: "access",
              label: "Access",
              access: "manager",
              content: () => <Access kind="configObject" id={id} />
            },
            {
              value: "about",
              label: "About",
              content: () => (
                <Section title="Config object">
                  <Facts
                    rows={[
                      ["Path", currentRelativePath === null ? null : <code>{currentRelativePath}</code>],
                      ["Source", sources[sourceMode]],
                      ["Version", latestVersion?.ordinal],
                      ["Digest", latestVersion === null ? null : <code>{latestVersion.contentDigest}</code>],
                      ["Created", <Time key="created" at={object.createdAt} />],
                      ["Created by", <Author key="author" id={object.createdByOrgMembershipId} />],
                      ["Changed", <Time key="changed" at={object.updatedAt} />]
                    ]}
                  />
                </Section>
              )
            }
          ]}
        />
      </div>
    </>
  )
}

export const Page = () => {
  const id = usePathParameter("objectId")
  const query = useQuery({
    queryKey: ["objects", id],
    queryFn: ({ signal }) => client.configObjects.get(id, { signal })
  })
  return (
    <Loaded title="Config object" query={query}>
      {(object) => (
        <OnObject kind="configObject" id={id}>
          <Content object={object} />
        </OnObject>
      )}
    </Loaded>
  )
}
