/** The config objects of a plugin, with their content. */
import type { ConfigObject, Plugin } from "@orgplane/client"
import { useInfiniteQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { FormDialog, reload } from "../../design/action.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { notify } from "../../design/toast.tsx"
import { Badge, Button, Empty, Failure, Loading, Skeleton, Time } from "../../design/ui.tsx"
import { OtherPlugins, PluginMembers } from "./plugin-archive-impact.tsx"
import { useParameters, useSetParameters } from "../../parameters.ts"
import { CreateObjectDialog } from "./object-form.tsx"
import { Picker } from "./parts.tsx"
import { isMarkdown, Source } from "./source.tsx"
import { labelOf, objectTypes } from "./words.ts"

const readAhead = 100

const AddDialog = ({ onClose, pluginId }: { readonly pluginId: string; readonly onClose: () => void }) => {
  const [objectId, setObjectId] = useState<string>()
  return (
    <FormDialog
      title="Add an object to the plugin"
      description="Everyone who can see the plugin can then see the object. You must be a manager of the object."
      action="Add the object"
      done="The object was added."
      changes={["plugins", "objects", "marketplaces"]}
      isOpen
      onClose={onClose}
      submit={() => client.plugins.addObject(pluginId, { configObjectId: objectId ?? "" })}
    >
      {() => (
        <Picker
          label="Config object"
          queryKey={["objects", "pick"]}
          load={(input, signal) => client.configObjects.list(input, { signal })}
          idOf={({ id }) => id}
          nameOf={({ objectType, title }) => ({ name: title, detail: labelOf(objectTypes, objectType) })}
          value={objectId}
          onChange={setObjectId}
        />
      )}
    </FormDialog>
  )
}

const Shown = ({ object, plugin }: { readonly object: ConfigObject; readonly plugin: Plugin }) => {
  const [isRemoving, setRemoving] = useState(false)
  const { currentRelativePath, description, id, latestVersion, title } = object
  return (
    <article className="card stack" aria-label={title}>
      <div className="row spread">
        <h2>{title}</h2>
        <div className="row">
          <Link className="button" to={`/objects/${id}`}>
            Versions and access
          </Link>
          <Button permission="plugins:write" access="editor" onClick={() => setRemoving(true)}>
            Remove from the plugin
          </Button>
        </div>
      </div>
      <p className="muted">
        {latestVersion !== null && (
          <>
            Version {latestVersion.ordinal}, <Time at={latestVersion.createdAt} />.{" "}
          </>
        )}
        {currentRelativePath !== null && <code>{currentRelativePath}</code>}
      </p>
      {description !== null && !isMarkdown(object) && <p>{description}</p>}
      <Source key={id} object={object} version={latestVersion} />
      <Confirm
        title={`Remove ${title} from ${plugin.name}?`}
        action="Remove the object"
        isOpen={isRemoving}
        onClose={() => setRemoving(false)}
        confirm={async () => {
          await client.plugins.removeObject(plugin.id, id)
          notify("The object was removed from the plugin.")
          await reload(["plugins", "objects", "marketplaces"])
        }}
      >
        <p>
          Members who install the plugin no longer receive the object. The object itself, its versions and its own
          grants are kept.
        </p>
        <PluginMembers pluginId={plugin.id} label="Members with devices that should run this plugin" />
        <OtherPlugins objectId={id} pluginId={plugin.id} />
      </Confirm>
    </article>
  )
}

export const Objects = ({ plugin }: { readonly plugin: Plugin }) => {
  const { object: selected } = useParameters()
  const set = useSetParameters()
  const [dialog, setDialog] = useState<"add" | "create">()
  const query = useInfiniteQuery({
    queryKey: ["plugins", plugin.id, "objects"],
    queryFn: ({ pageParam, signal }) =>
      client.plugins.listObjects(plugin.id, { limit: readAhead, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined
  })
  const objects = query.data?.pages.flatMap(({ items }) => items).map(({ configObject }) => configObject) ?? []
  const shown = objects.find(({ id }) => id === selected) ?? objects[0]
  const actions = (
    <div className="row">
      <Button permission="plugins:write" access="editor" onClick={() => setDialog("add")}>
        Add an object
      </Button>
      <Button permission={["plugins:write", "configObjects:write"]} access="editor" onClick={() => setDialog("create")}>
        Create an object
      </Button>
    </div>
  )
  return (
    <div className="stack">
      {query.isError && <Failure error={query.error} retry={() => void query.refetch()} />}
      {query.isPending ? (
        <Loading className="split">
          <Skeleton height={160} />
          <Skeleton height={320} />
        </Loading>
      ) : shown === undefined ? (
        !query.isError && (
          <Empty title="This plugin has no objects yet">
            <p>Create a skill, agent or command in it, or add one that exists.</p>
            {actions}
          </Empty>
        )
      ) : (
        <>
          {actions}
          <div className="split">
            <div>
              <ul className="split-list" aria-label="Objects">
                {objects.map(({ id, objectType, title }) => (
                  <li key={id}>
                    <button type="button" aria-current={id === shown.id} onClick={() => set({ object: id })}>
                      <span>{title}</span>
                      <Badge>{labelOf(objectTypes, objectType)}</Badge>
                    </button>
                  </li>
                ))}
              </ul>
              {query.hasNextPage && (
                <Button kind="quiet" disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                  Load more
                </Button>
              )}
            </div>
            <Shown object={shown} plugin={plugin} />
          </div>
        </>
      )}
      {dialog === "add" && <AddDialog pluginId={plugin.id} onClose={() => setDialog(undefined)} />}
      {dialog === "create" && <CreateObjectDialog pluginId={plugin.id} onClose={() => setDialog(undefined)} />}
    </div>
  )
}
