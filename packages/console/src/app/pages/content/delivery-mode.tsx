/** Whether updates are held for approval before members receive them. */
import type { DeliveryMode, DeliveryModeSetting } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { reload } from "../../design/action.tsx"
import { NamedList, readOnce } from "../../design/consequences.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { SelectField } from "../../design/fields.tsx"
import { Shown } from "../../design/query.tsx"
import { notify } from "../../design/toast.tsx"
import { deliveryModes, labelOf, optionOf } from "./words.ts"

const consequences: Readonly<Record<DeliveryMode, string>> = {
  auto: "Members receive every change at once. Pending releases of plugins without a stricter setting are approved and served, and open rollouts of these plugins are canceled.",
  hold_growth:
    "A release with new or changed capabilities waits until an approver has reviewed it. What members receive now counts as approved. Edits of text are served at once.",
  hold_all:
    "Every release waits until an approver has reviewed it, including edits of text. What members receive now counts as approved."
}

/** Pending releases, and plugins, that are read before a change. */
export const pluginsReadMax = 300

/** The pending releases of the plugins, which are approved if no stricter setting applies to them. */
export const PendingReleases = ({
  plugins,
  queryKey
}: {
  readonly queryKey: ReadonlyArray<string>
  /** Reads the IDs of the plugins, at most 300. Default: all plugins of the organization. */
  readonly plugins?: (signal: AbortSignal) => Promise<ReadonlyArray<string>>
}) => {
  const query = useQuery({
    queryKey: ["impacts", "pending-releases", ...queryKey],
    queryFn: async ({ signal }) => {
      const [ids, releases] = await Promise.all([
        plugins?.(signal),
        client.approvals.list({ state: "pending", limit: 100 }, { signal }).take(pluginsReadMax)
      ])
      const own = new Set(ids)
      return {
        releases: ids === undefined ? releases : releases.filter(({ pluginId }) => own.has(pluginId)),
        isComplete: releases.length < pluginsReadMax && (ids?.length ?? 0) < pluginsReadMax
      }
    },
    ...readOnce
  })
  return (
    <Shown query={query} lines={2}>
      {({ isComplete, releases }) => (
        <>
          {releases.length === 0 && isComplete && (
            <p>
              {plugins === undefined ? "No release" : "No release of the plugins that you can see"} is pending approval.
            </p>
          )}
          <NamedList
            label="Releases pending approval"
            rows={releases.map(({ id, name }) => ({ id, name }))}
            total={releases.length}
          />
          {plugins !== undefined && (
            <p className="muted">Plugins that are archived, or that you cannot see, are not listed.</p>
          )}
          {!isComplete && (
            <p className="muted">
              Only the first {pluginsReadMax} {plugins === undefined ? "" : "plugins and "}pending releases were read.
            </p>
          )}
        </>
      )}
    </Shown>
  )
}

export const DeliveryModeForm = ({
  load,
  plugins,
  queryKey,
  save,
  subject
}: {
  readonly queryKey: ReadonlyArray<string>
  /** Such as "the plugins from this repository". */
  readonly subject: string
  /** Reads the IDs of the plugins that the setting applies to, at most 300. */
  readonly plugins: (signal: AbortSignal) => Promise<ReadonlyArray<string>>
  readonly load: (signal: AbortSignal) => Promise<DeliveryModeSetting>
  readonly save: (mode: DeliveryMode) => Promise<unknown>
}) => {
  const query = useQuery({ queryKey, queryFn: ({ signal }) => load(signal) })
  const [asked, setAsked] = useState<DeliveryMode>()
  return (
    <Shown query={query}>
      {({ deliveryMode }) => (
        <>
          <SelectField
            label={`Updates of ${subject}`}
            hint="The strictest setting applies: that of the organization, the connector and the marketplaces of a plugin."
            options={deliveryModes}
            value={deliveryMode}
            onChange={({ target }) => setAsked(optionOf(deliveryModes, target.value, undefined))}
          />
          <p>
            <Link to="/approvals">Releases pending approval</Link>
          </p>
          <Confirm
            title="Change how updates are delivered?"
            action="Change the setting"
            isOpen={asked !== undefined}
            onClose={() => setAsked(undefined)}
            confirm={async () => {
              if (asked === undefined) return
              await save(asked)
              notify("The setting was changed.")
              await reload(["approvals", "plugins"])
            }}
          >
            {asked !== undefined && (
              <>
                <p>
                  <strong>{labelOf(deliveryModes, asked)}</strong>
                </p>
                <p>{consequences[asked]}</p>
                {asked === "auto" && <PendingReleases queryKey={queryKey} plugins={plugins} />}
                <p className="muted">Applies to {subject}.</p>
              </>
            )}
          </Confirm>
        </>
      )}
    </Shown>
  )
}

/** The setting of a connector. */
export const ConnectorDeliveryMode = ({ instanceId }: { readonly instanceId: string }) => (
  <DeliveryModeForm
    queryKey={["approvals", "instance", instanceId]}
    subject="the plugins from this repository"
    load={(signal) => client.approvals.getInstanceMode(instanceId, { signal })}
    plugins={async (signal) => {
      const { plugins } = await client.connectors.configuration(instanceId, { signal })
      return plugins.slice(0, pluginsReadMax).map(({ id }) => id)
    }}
    save={(deliveryMode) => client.approvals.setInstanceMode(instanceId, { deliveryMode })}
  />
)
