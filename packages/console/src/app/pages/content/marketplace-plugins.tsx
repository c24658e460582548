/** The plugins of a marketplace, and for each what is missing until it can be used and the next step. */
import type { ResolvedMarketplace } from "@orgplane/client"
import { Link } from "@tanstack/react-router"
import { type ReactNode, useState } from "react"
import { client } from "../../api/client.ts"
import { FormDialog, reload } from "../../design/action.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { plural } from "../../design/text.ts"
import { notify } from "../../design/toast.tsx"
import { Badge, Button, Empty, Notice, SearchInput, type Tone } from "../../design/ui.tsx"
import { FirstRows, Picker } from "./parts.tsx"
import { labelOf, objectTypes } from "./words.ts"
import { PluginMembers } from "./plugin-archive-impact.tsx"

type Plugin = ResolvedMarketplace["plugins"][number]
type Readiness = Plugin["cloudReadiness"]

const states: Readonly<Record<Readiness["state"], readonly [name: string, tone: Tone]>> = {
  ready: ["ready", "good"],
  needs_signin: ["sign-in needed", "warn"],
  needs_admin_setup: ["setup needed", "warn"],
  desktop_only: ["desktop only", "neutral"],
  not_synced: ["no content", "warn"]
}

const isMissing = ({ connectedForMe, id }: Readiness["connections"][number]) => id === null || !connectedForMe

/** Where the next step is done. */
const stepsOf = (
  { connections, state }: Readiness,
  source: ResolvedMarketplace["source"]
): ReadonlyArray<ReactNode> => {
  if (state === "not_synced" && source !== null) {
    return [
      <Link key="sync" className="button" to={`/connectors/${source.connectorInstanceId}`} search={{ tab: "syncs" }}>
        Open the syncs
      </Link>
    ]
  }
  if (state !== "needs_signin" && state !== "needs_admin_setup") return []
  return connections.filter(isMissing).map(({ id, name, serverName, url }, index) =>
    id === null ? (
      <Link
        key={`${serverName} ${index}`}
        className="button"
        to="/mcp-connections/new"
        search={url === null ? {} : { query: url }}
      >
        Connect {serverName}
      </Link>
    ) : (
      <Link key={id} className="button" to={`/mcp-connections/${id}`}>
        Open {name}
      </Link>
    )
  )
}

const countsOf = ({ componentCounts }: Plugin) =>
  objectTypes.flatMap(([type]) => {
    const count = componentCounts[type]
    return count === 0 ? [] : [`${count} ${labelOf(objectTypes, type)}`]
  })

const AddDialog = ({ onClose, resolved }: { readonly resolved: ResolvedMarketplace; readonly onClose: () => void }) => {
  const [pluginId, setPluginId] = useState<string>()
  const { marketplace, plugins } = resolved
  return (
    <FormDialog
      title="Add a plugin"
      description="Everyone who can see the marketplace can then see the plugin. You must be a manager of the plugin."
      action="Add the plugin"
      done="The plugin was added."
      changes={["marketplaces", "plugins", "approvals"]}
      isOpen
      onClose={onClose}
      submit={() => client.marketplaces.addPlugin(marketplace.id, { pluginId: pluginId ?? "" })}
    >
      {() => (
        <Picker
          label="Plugin"
          queryKey={["plugins", "pick"]}
          load={(input, signal) => client.plugins.list(input, { signal })}
          filter={({ id }) => !plugins.some((plugin) => plugin.id === id)}
          idOf={({ id }) => id}
          nameOf={({ memberCount, name }) => ({ name, detail: plural(memberCount, "object") })}
          value={pluginId}
          onChange={setPluginId}
        />
      )}
    </FormDialog>
  )
}

const PluginCard = ({
  onRemove,
  plugin,
  source
}: {
  readonly plugin: Plugin
  readonly source: ResolvedMarketplace["source"]
  readonly onRemove: () => void
}) => {
  const { cloudReadiness, description, id, name, pendingReleaseId } = plugin
  const [state, tone] = states[cloudReadiness.state]
  const steps = stepsOf(cloudReadiness, source)
  return (
    <article className="card stack" aria-label={name}>
      <div className="row spread">
        <h2>
          <Link to={`/plugins/${id}`}>{name}</Link>
        </h2>
        <div className="row">
          {pendingReleaseId !== null && (
            <Link to={`/releases/${pendingReleaseId}`}>
              <Badge tone="warn">pending approval</Badge>
            </Link>
          )}
          <Badge tone={tone}>{state}</Badge>
        </div>
      </div>
      {description !== null && <p className="wrapped">{description}</p>}
      <p className="muted">{countsOf(plugin).join(", ")}</p>
      {cloudReadiness.nextAction !== null && (
        <Notice title="Next step" tone={tone}>
          <span>{cloudReadiness.nextAction}</span>
          {steps.length > 0 && <div className="row">{steps}</div>}
        </Notice>
      )}
      {cloudReadiness.connections.length > 0 && (
        <ul className="facts" aria-label="Servers">
          {cloudReadiness.connections.map(({ connectedForMe, id: connectionId, name: server, url }, index) => (
            <li key={`${server} ${index}`} className="row">
              {connectionId === null ? (
                <span>{server}</span>
              ) : (
                <Link to={`/mcp-connections/${connectionId}`}>{server}</Link>
              )}
              <Badge tone={connectedForMe ? "good" : "warn"}>{connectedForMe ? "connected" : "not connected"}</Badge>
              {url !== null && <code className="muted wrapped">{url}</code>}
            </li>
          ))}
        </ul>
      )}
      <div className="row">
        <Button permission="marketplaces:write" access="editor" onClick={onRemove}>
          Remove from the marketplace
        </Button>
      </div>
    </article>
  )
}

export const Plugins = ({ resolved }: { readonly resolved: ResolvedMarketplace }) => {
  const [isAdding, setAdding] = useState(false)
  const [removed, setRemoved] = useState<Plugin>()
  const [text, setText] = useState("")
  const [isOnlyMissing, setOnlyMissing] = useState(false)
  const { marketplace, plugins, source } = resolved
  const missing = plugins.filter(({ cloudReadiness }) => cloudReadiness.nextAction !== null)
  const shown = (isOnlyMissing ? missing : plugins).filter(({ name }) =>
    name.toLowerCase().includes(text.trim().toLowerCase())
  )
  return (
    <div className="stack">
      <div className="row spread">
        <div className="row grow" role="search">
          <SearchInput label="Search plugins" value={text} onChange={setText} />
          <label className="row">
            <input type="checkbox" checked={isOnlyMissing} onChange={() => setOnlyMissing(!isOnlyMissing)} />
            Only those that need a step ({missing.length})
          </label>
        </div>
        <Button kind="primary" permission="marketplaces:write" access="editor" onClick={() => setAdding(true)}>
          Add a plugin
        </Button>
      </div>
      {shown.length === 0 ? (
        <Empty title={plugins.length === 0 ? "The marketplace has no plugins yet" : "Nothing matches"}>
          {plugins.length === 0 && (
            <Button permission="marketplaces:write" access="editor" onClick={() => setAdding(true)}>
              Add a plugin
            </Button>
          )}
        </Empty>
      ) : (
        <FirstRows rows={shown} size={60}>
          {(first) => (
            <div className="cards">
              {first.map((plugin) => (
                <PluginCard key={plugin.id} plugin={plugin} source={source} onRemove={() => setRemoved(plugin)} />
              ))}
            </div>
          )}
        </FirstRows>
      )}
      {isAdding && <AddDialog resolved={resolved} onClose={() => setAdding(false)} />}
      <Confirm
        title={`Remove ${removed?.name ?? "the plugin"}?`}
        action="Remove the plugin from the marketplace"
        isOpen={removed !== undefined}
        onClose={() => setRemoved(undefined)}
        confirm={async () => {
          if (removed === undefined) return
          await client.marketplaces.removePlugin(marketplace.id, removed.id)
          notify("The plugin was removed from the marketplace.")
          await reload(["marketplaces", "plugins"])
        }}
      >
        <p>
          Members who see the plugin only through {marketplace.name} can no longer see or install it. Agents that have
          installed it keep it until they update.
        </p>
        {removed !== undefined && (
          <PluginMembers pluginId={removed.id} label="Members with devices that should run the plugin" />
        )}
        <p>The plugin itself and its own grants are kept.</p>
      </Confirm>
    </div>
  )
}
