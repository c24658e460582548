/** Releases of plugins that are pending approval, and those that were decided. */
import type { ApprovalSettings, DeliveryMode, PluginRelease } from "@orgplane/client"
import { useQueries, useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { FormDialog } from "../../design/action.tsx"
import type { Column } from "../../design/data-table.tsx"
import { Checkbox, SelectField } from "../../design/fields.tsx"
import { type Filter, ListPage } from "../../design/list-page.tsx"
import { Shown } from "../../design/query.tsx"
import { Badge, Button, Time } from "../../design/ui.tsx"
import { Name } from "../../objects/names.tsx"
import { CapabilityChanges } from "./changes.tsx"
import { PendingReleases } from "./delivery-mode.tsx"
import { ReleaseState } from "./plugin-releases.tsx"
import { DecisionDialog } from "./release-decision.tsx"
import { ReleaseTextCounts } from "./release-texts.tsx"
import { deliveryModes, optionOf, releaseFilters, shortRevision } from "./words.ts"

const columns: ReadonlyArray<Column<PluginRelease>> = [
  {
    name: "Plugin",
    width: "minmax(0, 2fr)",
    cell: ({ name }) => <strong title={name}>{name}</strong>,
    sort: ({ name }) => name
  },
  { name: "Release", width: "80px", wide: true, cell: ({ number }) => number, sort: ({ number }) => number },
  { name: "Status", width: "150px", cell: (release) => <ReleaseState release={release} /> },
  {
    name: "Capabilities",
    width: "minmax(0, 1fr)",
    wide: true,
    cell: ({ needsReview }) => (needsReview ? <Badge tone="warn">new or changed</Badge> : "no growth"),
    sort: ({ needsReview }) => (needsReview ? 0 : 1)
  },
  {
    name: "Revision",
    width: "130px",
    wide: true,
    cell: ({ sourceRevisionRef }) => <code>{shortRevision(sourceRevisionRef)}</code>
  },
  {
    name: "Created",
    width: "130px",
    wide: true,
    cell: ({ createdAt }) => <Time at={createdAt} />,
    sort: ({ createdAt }) => createdAt
  },
  {
    name: "Decided",
    width: "130px",
    wide: true,
    cell: ({ decidedAt }) => <Time at={decidedAt} />,
    sort: ({ decidedAt }) => decidedAt
  },
  { name: "Of", width: "minmax(0, 1fr)", wide: true, cell: ({ pluginId }) => <Name kind="plugin" id={pluginId} /> }
]

/** What the selected releases would change. Each is read, because its digest states that it was reviewed. */
const Reviewed = ({ releases }: { readonly releases: ReadonlyArray<PluginRelease> }) => {
  const details = useQueries({
    queries: releases.map(({ id }) => ({
      queryKey: ["approvals", id],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => client.approvals.get(id, { signal })
    }))
  })
  return (
    <>
      {details.map((query, index) => (
        <details key={releases[index]?.id ?? index} open>
          <summary>
            {releases[index]?.name}, release {releases[index]?.number}
          </summary>
          <Shown query={query}>
            {(release) => (
              <>
                {release.comparison === null ? (
                  <p>{release.problem ?? "The capabilities cannot be compared."}</p>
                ) : (
                  <CapabilityChanges difference={release.comparison} label={`Changes of ${release.name}`} />
                )}
                <ReleaseTextCounts release={release} />
              </>
            )}
          </Shown>
        </details>
      ))}
    </>
  )
}

/** Each selected release is shown with its changes, so that at most these are decided at once. */
const decidedMax = 20

const Bulk = ({ clear, rows }: { readonly rows: ReadonlyArray<PluginRelease>; readonly clear: () => void }) => {
  const [kind, setKind] = useState<"approve" | "reject">()
  const open = rows.filter(({ digest, state }) => digest !== null && state === "pending").slice(0, decidedMax)
  return (
    <>
      <Button disabled={open.length === 0} onClick={() => setKind("approve")}>
        Approve
      </Button>
      <Button disabled={open.length === 0} onClick={() => setKind("reject")}>
        Reject
      </Button>
      {rows.length > decidedMax && <span className="muted">The first {decidedMax} are decided.</span>}
      {kind !== undefined && (
        <DecisionDialog kind={kind} releases={open} onClose={() => setKind(undefined)} onDone={clear}>
          <p>
            {kind === "approve"
              ? "Members receive these releases. If one of them cannot be approved, nothing changes."
              : "Members keep the releases that are served."}
          </p>
          <Reviewed releases={open} />
        </DecisionDialog>
      )}
    </>
  )
}

const SettingsForm = ({ onClose, settings }: { readonly settings: ApprovalSettings; readonly onClose: () => void }) => {
  const [deliveryMode, setDeliveryMode] = useState<DeliveryMode>(settings.deliveryMode)
  const [fourEyes, setFourEyes] = useState(settings.fourEyes)
  const becomesAuto = deliveryMode === "auto" && settings.deliveryMode !== "auto"
  const endsFourEyes = settings.fourEyes && !fourEyes
  return (
    <FormDialog
      title="Approval settings of the organization"
      description="The strictest setting applies: that of the organization, the connector and the marketplaces of a plugin."
      action="Save"
      kind={becomesAuto || endsFourEyes ? "danger" : "primary"}
      done="The settings were changed."
      changes={["approvals", "plugins"]}
      isOpen
      onClose={onClose}
      fields={["deliveryMode", "fourEyes"]}
      submit={() => client.approvals.updateSettings({ deliveryMode, fourEyes })}
    >
      {(problem) => (
        <>
          <SelectField
            label="Updates of all plugins"
            options={deliveryModes}
            value={deliveryMode}
            problem={problem("deliveryMode")}
            hint={
              becomesAuto
                ? "Releases that wait only because of this setting are approved and served."
                : "If it becomes stricter, what members receive now counts as approved."
            }
            onChange={({ target }) => setDeliveryMode(optionOf(deliveryModes, target.value, settings.deliveryMode))}
          />
          {becomesAuto && (
            <>
              <p>
                A release stays pending if its connector or one of its marketplaces has a stricter setting. Open
                rollouts of the other plugins are canceled, and members receive the latest content.
              </p>
              <PendingReleases queryKey={["organization"]} />
            </>
          )}
          <Checkbox
            label="Four-eyes approval"
            hint="Members who connected the repository or changed the objects cannot approve, and a release from a repository requires two approvers."
            isChecked={fourEyes}
            onChange={setFourEyes}
          />
          {endsFourEyes && (
            <p>
              Each release then needs only one approval, which can also come from an API key or from a member who
              connected the repository or changed the objects, and plugins are approved when they are imported.
            </p>
          )}
        </>
      )}
    </FormDialog>
  )
}

const Settings = () => {
  const [isOpen, setOpen] = useState(false)
  const query = useQuery({
    queryKey: ["approvals", "settings"],
    queryFn: ({ signal }) => client.approvals.getSettings({ signal })
  })
  return (
    <>
      <Button permission="approvals:manage" disabled={query.data === undefined} onClick={() => setOpen(true)}>
        Settings
      </Button>
      {isOpen && query.data !== undefined && <SettingsForm settings={query.data} onClose={() => setOpen(false)} />}
    </>
  )
}

const filters: ReadonlyArray<Filter> = [
  { name: "state", label: "State", none: "Pending approval", options: releaseFilters.slice(1) }
]

export const Page = () => (
  <ListPage
    bulkPermission="approvals:write"
    title="Approvals"
    name="approvals"
    description="Updates with new or changed capabilities wait here. Until one is approved, members and agents receive the previous release."
    columns={columns}
    searches
    filters={filters}
    load={(input, signal, { state }) =>
      client.approvals.list({ ...input, state: optionOf(releaseFilters, state, undefined) }, { signal })
    }
    idOf={({ id }) => id}
    to={({ id }) => `/releases/${id}`}
    bulk={(rows, clear) => <Bulk rows={rows} clear={clear} />}
    actions={<Settings />}
    empty={
      <>
        <p>No update is pending approval. A connector holds updates with new capabilities by default.</p>
        <Link className="button" to="/connectors">
          Connectors
        </Link>
      </>
    }
  />
)
