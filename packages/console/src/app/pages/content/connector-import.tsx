/** The plugins that were found in the repository: choose some, look at the plan of the import, and apply it. */
import type { ConnectorInstance, ConnectorPlan, DiscoveredPlugin, Discovery } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useMemo, useState } from "react"
import { client } from "../../api/client.ts"
import { reload } from "../../design/action.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { Facts, Section } from "../../design/facts.tsx"
import { Checkbox, SelectField } from "../../design/fields.tsx"
import { Shown } from "../../design/query.tsx"
import { plural } from "../../design/text.ts"
import { notify } from "../../design/toast.tsx"
import { Tree, type TreeNode } from "../../design/tree.tsx"
import { Badge, Button, Empty, Failure, Notice } from "../../design/ui.tsx"
import { useParameters, useSetParameters } from "../../parameters.ts"
import { ConnectorDeliveryMode } from "./delivery-mode.tsx"
import { PlanView, totalsOf } from "./plan.tsx"
import { RepositoryFiles } from "./repository-files.tsx"
import { branchOf, optionOf, shortRevision } from "./words.ts"

const folderOf = ({ rootPath }: DiscoveredPlugin) => rootPath.split("/").slice(0, -1).join("/")

const kindsOf = ({ componentKinds, supported }: DiscoveredPlugin) =>
  supported ? componentKinds.join(", ") : "cannot be imported"

/** The plugins below their folders. */
const nodesOf = (plugins: ReadonlyArray<DiscoveredPlugin>): ReadonlyArray<TreeNode> => {
  const folders = new Map<string, Array<TreeNode>>()
  for (const plugin of plugins) {
    const folder = folderOf(plugin)
    const node = {
      id: plugin.key,
      title: plugin.displayName,
      detail: (
        <>
          {plugin.warnings.length > 0 && <Badge tone="warn">{plural(plugin.warnings.length, "warning")}</Badge>}{" "}
          {kindsOf(plugin)}
        </>
      ),
      isDisabled: !plugin.supported
    }
    const others = folders.get(folder)
    if (others === undefined) folders.set(folder, [node])
    else others.push(node)
  }
  return [...folders]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .flatMap(([folder, children]) =>
      folder === "" && folders.size === 1
        ? children
        : [{ id: `folder:${folder}`, title: <code>{folder === "" ? "/" : `${folder}/`}</code>, children }]
    )
}

const Candidate = ({
  instanceId,
  plugin,
  targetId
}: {
  readonly plugin: DiscoveredPlugin
  readonly instanceId: string
  readonly targetId: string
}) => {
  const paths = Object.entries(plugin.componentPaths).filter(([, each]) => each.length > 0)
  return (
    <article className="card stack" aria-label={plugin.displayName}>
      <h2>{plugin.displayName}</h2>
      {plugin.description !== null && <p>{plugin.description}</p>}
      {plugin.warnings.length > 0 && (
        <Notice title={plugin.supported ? "Warnings" : "This plugin cannot be imported"} tone="warn">
          <ul className="bullets">
            {plugin.warnings.map((warning, index) => (
              <li key={index}>{warning}</li>
            ))}
          </ul>
        </Notice>
      )}
      <Facts
        rows={[
          ["Folder", <code key="folder">{plugin.rootPath === "" ? "/" : plugin.rootPath}</code>],
          ["Manifest", plugin.manifestPath === null ? null : <code>{plugin.manifestPath}</code>],
          ...paths.map(
            ([kind, each]) =>
              [
                kind,
                <ul className="bullets" key={kind}>
                  {each.slice(0, 50).map((path) => (
                    <li key={path}>
                      <code>{path}</code>
                    </li>
                  ))}
                  {each.length > 50 && <li className="muted">and {each.length - 50} more</li>}
                </ul>
              ] as const
          )
        ]}
      />
      <RepositoryFiles key={plugin.key} instanceId={instanceId} targetId={targetId} folder={plugin.rootPath} />
    </article>
  )
}

const shares = [
  ["private", "Only members with access to the marketplace"],
  ["orgWide", "Every member of the organization"]
] as const

const Planned = ({
  discovery,
  instance,
  isAutomatic,
  onOutdated,
  selected
}: {
  readonly instance: ConnectorInstance
  readonly discovery: Discovery
  readonly selected: ReadonlySet<string>
  readonly isAutomatic: boolean
  readonly onOutdated: () => void
}) => {
  const [share, setShare] = useState<(typeof shares)[number][0]>("private")
  const [plan, setPlan] = useState<ConnectorPlan>()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const [isAsking, setAsking] = useState(false)
  const navigate = useNavigate()
  const input = {
    selectedKeys: [...selected].toSorted(),
    autoImportNewPlugins: isAutomatic,
    connectorTargetId: discovery.connectorTarget.id,
    share
  }
  const compute = async () => {
    setBusy(true)
    setError(undefined)
    setPlan(undefined)
    try {
      setPlan(await client.connectors.plan(instance.id, input))
    } catch (cause) {
      setError(cause)
    }
    setBusy(false)
  }
  const apply = async (planned: ConnectorPlan) => {
    const { syncEvent } = await client.connectors.apply(instance.id, {
      ...input,
      planDigest: planned.digest,
      wait: "0"
    })
    notify("The import was started.")
    void reload(["connectors", "plugins", "marketplaces", "objects"])
    await navigate({ to: `/connectors/${instance.id}/syncs/${syncEvent.id}` })
  }
  const totals = plan === undefined ? undefined : totalsOf(plan)
  return (
    <>
      <Section title="Import">
        <SelectField
          label="Who sees the marketplace of these plugins"
          options={shares}
          value={share}
          onChange={({ target }) => {
            setShare(optionOf(shares, target.value, "private"))
            setPlan(undefined)
          }}
        />
        <div className="row">
          <Button kind="primary" disabled={isBusy} onClick={() => void compute()}>
            {isBusy ? "Reading the repository" : plan === undefined ? "Show the plan" : "Plan again"}
          </Button>
          <span className="muted">{plural(selected.size, "plugin")} selected. A plan changes nothing.</span>
        </div>
      </Section>
      {error !== undefined && <Failure error={error} retry={() => void compute()} />}
      {plan !== undefined && totals !== undefined && (
        <>
          <PlanView
            plan={plan}
            names={new Map(discovery.discoveredPlugins.map((each) => [each.key, each.displayName]))}
          />
          <Section title="Updates after the import">
            <ConnectorDeliveryMode instanceId={instance.id} />
          </Section>
          <div className="row">
            <Button kind="primary" permission="connectors:write" access="editor" onClick={() => setAsking(true)}>
              Apply this plan
            </Button>
            <Button
              onClick={() => {
                setPlan(undefined)
                onOutdated()
              }}
            >
              Read the repository again
            </Button>
          </div>
          <Confirm
            title="Apply this plan?"
            action="Apply the plan"
            isOpen={isAsking}
            onClose={() => setAsking(false)}
            confirm={() => apply(plan)}
          >
            <p>
              <strong>
                {totals.added} to add, {totals.changed} to change, {totals.removed} to remove
              </strong>
              , at revision <code>{shortRevision(plan.revision)}</code>.
            </p>
            <ul className="bullets">
              <li>
                Plugins that are imported for the first time count as approved, unless four-eyes approval is on. Updates
                of others are held for approval if the delivery mode requires it.
              </li>
              <li>
                {share === "orgWide"
                  ? "Every member sees the marketplace and can install its plugins."
                  : "Only you, owners, admins and members with access see the marketplace."}
              </li>
              <li>If the repository has changed since the plan, nothing is changed, and you can plan again.</li>
              {totals.removed > 0 && <li>What is removed is removed for everyone.</li>}
            </ul>
          </Confirm>
        </>
      )}
    </>
  )
}

const Found = ({
  discovery,
  instance,
  onOutdated
}: {
  readonly discovery: Discovery
  readonly instance: ConnectorInstance
  readonly onOutdated: () => void
}) => {
  const { autoImportNewPlugins, connectorTarget, discoveredPlugins, sourceRevisionRef, treeSummary, warnings } =
    discovery
  const imported = useQuery({
    queryKey: ["connectors", instance.id, "configuration"],
    queryFn: ({ signal }) => client.connectors.configuration(instance.id, { signal })
  })
  const [chosen, setChosen] = useState<ReadonlySet<string>>()
  const [shown, setShown] = useState<string>()
  const [isAutomatic, setAutomatic] = useState(autoImportNewPlugins)
  const nodes = useMemo(() => nodesOf(discoveredPlugins), [discoveredPlugins])
  const known = (imported.data?.plugins ?? [])
    .filter(({ connectorTargetId }) => connectorTargetId === connectorTarget.id)
    .map(({ key }) => key)
  const selected =
    chosen ??
    new Set(
      discoveredPlugins
        .filter(({ key, selectedByDefault, supported }) =>
          supported && known.length > 0 ? known.includes(key) : supported && selectedByDefault
        )
        .map(({ key }) => key)
    )
  const supported = discoveredPlugins.filter((plugin) => plugin.supported)
  const plugin = discoveredPlugins.find(({ key }) => key === shown) ?? discoveredPlugins[0]
  return (
    <div className="stack">
      <p className="muted">
        {plural(discoveredPlugins.length, "plugin")} found in {plural(treeSummary.scannedEntryCount, "file")} of{" "}
        {branchOf(connectorTarget.externalTargetRef)} at <code>{shortRevision(sourceRevisionRef)}</code>.
        {treeSummary.truncated && " The list of files is too long and is shown in part."}
      </p>
      {warnings.length > 0 && (
        <Notice title="Warnings" tone="warn">
          <ul className="bullets">
            {warnings.map((warning, index) => (
              <li key={index}>{warning}</li>
            ))}
          </ul>
        </Notice>
      )}
      {plugin === undefined ? (
        <Empty title="No plugin was found in the repository">
          <p>Add a marketplace or plugin manifest to it, or map its folders under Branches and mappings.</p>
        </Empty>
      ) : (
        <>
          <div className="row">
            <Button onClick={() => setChosen(new Set(supported.map(({ key }) => key)))}>Select all</Button>
            <Button onClick={() => setChosen(new Set())}>Select none</Button>
          </div>
          <div className="split found">
            <Tree
              label="Plugins in the repository"
              nodes={nodes}
              checked={selected}
              onChange={setChosen}
              selected={plugin.key}
              onSelect={(id) => setShown(id.startsWith("folder:") ? shown : id)}
            />
            <Candidate plugin={plugin} instanceId={instance.id} targetId={connectorTarget.id} />
          </div>
          <Checkbox label="Also import plugins that are added later" isChecked={isAutomatic} onChange={setAutomatic} />
          <Planned
            key={`${[...selected].toSorted().join(" ")} ${isAutomatic}`}
            instance={instance}
            discovery={discovery}
            selected={selected}
            isAutomatic={isAutomatic}
            onOutdated={onOutdated}
          />
        </>
      )}
    </div>
  )
}

export const Import = ({ instance }: { readonly instance: ConnectorInstance }) => {
  const { target: targetId } = useParameters()
  const set = useSetParameters()
  const targets = useQuery({
    queryKey: ["connectors", instance.id, "targets"],
    queryFn: ({ signal }) => client.connectors.listTargets(instance.id, { limit: 50 }, { signal })
  })
  const query = useQuery({
    queryKey: ["connectors", instance.id, "discovery", targetId],
    queryFn: ({ signal }) =>
      client.connectors.discovery(instance.id, { connectorTargetId: targetId }, { signal, timeoutMillis: 120_000 }),
    staleTime: 60_000
  })
  const branches = targets.data?.items ?? []
  return (
    <div className="stack">
      {branches.length > 1 && (
        <div className="row">
          <SelectField
            label="Branch"
            options={branches.map(({ externalTargetRef, id }) => [id, branchOf(externalTargetRef)] as const)}
            value={targetId ?? branches[0]?.id}
            onChange={({ target }) => set({ target: target.value })}
          />
        </div>
      )}
      <Shown query={query} lines={8}>
        {(discovery) => (
          <Found
            key={`${discovery.connectorTarget.id} ${discovery.sourceRevisionRef}`}
            discovery={discovery}
            instance={instance}
            onOutdated={() => void query.refetch()}
          />
        )}
      </Shown>
    </div>
  )
}
