/** The plan of an import as a difference: what is there before and after, by plugin, with its capabilities. */
import type { ConnectorPlan, PlannedCapabilities, PlannedChange } from "@orgplane/client"
import { Section } from "../../design/facts.tsx"
import { Badge, Notice } from "../../design/ui.tsx"
import { CapabilityChanges, type ChangeRow, ChangeTable } from "./changes.tsx"
import { Figures, FirstRows } from "./parts.tsx"
import { shortRevision } from "./words.ts"

const sumOf = ({ files, mappings, marketplaces, objects, plugins }: ConnectorPlan["counts"]["added"]) =>
  files + mappings + marketplaces + objects + plugins

export const totalsOf = ({ counts }: ConnectorPlan) => ({
  added: sumOf(counts.added),
  changed: sumOf(counts.changed),
  removed: sumOf(counts.removed)
})

const kindOf = ({ kind, objectType }: PlannedChange) =>
  objectType === null ? kind : kind === "mapping" ? `${objectType} mapping` : objectType

const nameOf = ({ name, pointer }: PlannedChange) => (
  <>
    <code>{name}</code>
    {pointer !== null && <small>{pointer}</small>}
  </>
)

interface Group {
  readonly key: string | null
  readonly rows: Array<ChangeRow>
}

/** The changes of each plugin. What belongs to no plugin comes first. */
const groupsOf = ({ added, changed, removed }: ConnectorPlan): ReadonlyArray<Group> => {
  const groups = new Map<string | null, Group>()
  const add = (change: PlannedChange, sides: Pick<ChangeRow, "before" | "after">) => {
    const group = groups.get(change.pluginKey) ?? { key: change.pluginKey, rows: [] }
    group.rows.push({ id: `${group.rows.length}`, kind: kindOf(change), ...sides })
    groups.set(change.pluginKey, group)
  }
  for (const change of removed) add(change, { before: nameOf(change) })
  for (const change of changed) {
    add(change, { before: <code>{change.was ?? change.name}</code>, after: nameOf(change) })
  }
  for (const change of added) add(change, { after: nameOf(change) })
  return [...groups.values()].toSorted((one, other) =>
    one.key === null ? -1 : other.key === null ? 1 : one.key.localeCompare(other.key)
  )
}

const Changes = ({ rows, title }: { readonly rows: ReadonlyArray<ChangeRow>; readonly title: string }) => (
  <FirstRows rows={rows}>{(first) => <ChangeTable label={`Changes of ${title}`} rows={first} />}</FirstRows>
)

const Capabilities = ({ planned }: { readonly planned: PlannedCapabilities }) => (
  <div className="stack">
    <div className="row">
      <h3 className="part">Capabilities</h3>
      {planned.needsReview && <Badge tone="warn">needs review</Badge>}
    </div>
    {planned.problem === null ? (
      <CapabilityChanges difference={planned} label={`Capabilities of ${planned.name}`} />
    ) : (
      <Notice title="The capabilities cannot be compared" tone="warn">
        <span>{planned.problem}</span>
      </Notice>
    )}
  </div>
)

export const PlanView = ({
  names,
  plan
}: {
  readonly plan: ConnectorPlan
  /** The names of plugins by key. */
  readonly names: ReadonlyMap<string, string>
}) => {
  const { added, changed, removed } = totalsOf(plan)
  const groups = groupsOf(plan)
  const capabilities = plan.capabilities ?? []
  const withoutRows = capabilities.filter(({ pluginKey }) => !groups.some(({ key }) => key === pluginKey))
  return (
    <section className="stack" aria-label="Plan">
      <h2>Plan</h2>
      <p>
        {plan.baseRevision === null ? "First import, of revision " : "From revision "}
        {plan.baseRevision !== null && (
          <>
            <code>{shortRevision(plan.baseRevision)}</code> to{" "}
          </>
        )}
        <code>{shortRevision(plan.revision)}</code>
      </p>
      <Figures
        rows={[
          ["to add", added],
          ["to change", changed],
          ["to remove", removed],
          ["objects unchanged", plan.counts.unchangedObjects]
        ]}
      />
      {plan.counts.changed.objects + plan.counts.changed.files > 0 && (
        <p className="muted">
          The plan does not compare texts. After the change, compare the texts of an object in its versions. While a
          release is pending approval, its page also compares them.
        </p>
      )}
      {plan.conflicts.map(({ code, message, name }, index) => (
        <Notice key={index} title={name ?? code.replaceAll("_", " ")} tone="warn">
          <span>{message}</span>
        </Notice>
      ))}
      {plan.warnings.length > 0 && (
        <Notice title="Warnings" tone="warn">
          <ul className="bullets">
            {plan.warnings.map((warning, index) => (
              <li key={index}>{warning}</li>
            ))}
          </ul>
        </Notice>
      )}
      {groups.length === 0 && withoutRows.length === 0 && <p>The plan changes nothing.</p>}
      {groups.map(({ key, rows }) => {
        const title = key === null ? "Outside of the plugins" : (names.get(key) ?? key)
        const planned = capabilities.filter(({ pluginKey }) => key !== null && pluginKey === key)
        return (
          <Section key={key ?? ""} title={title}>
            <Changes rows={rows} title={title} />
            {planned.map((each, index) => (
              <Capabilities key={index} planned={each} />
            ))}
          </Section>
        )
      })}
      {withoutRows.map((planned, index) => (
        <Section key={index} title={planned.name}>
          <Capabilities planned={planned} />
        </Section>
      ))}
      {plan.truncated && <p className="muted">More changes are not shown. The counts contain all of them.</p>}
    </section>
  )
}
