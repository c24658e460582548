/** Changes the priorities of several policies, with whose settings change before they are saved. */
import type { DesktopPolicy } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { ChangedMeanwhile } from "../../design/explain.ts"
import { readVersioned, useLoads } from "../../design/form-version.ts"
import { Shown } from "../../design/query.tsx"
import { AudienceText } from "./audience.tsx"
import { PolicyEffects } from "./policy-simulation.tsx"
import { PreviewDialog } from "../../design/preview-dialog.tsx"
import { SimpleTable } from "../../design/simple-table.tsx"
import "./delivery.css"

const policiesMax = 100

const byPrecedence = (a: DesktopPolicy, b: DesktopPolicy) =>
  b.priority - a.priority || a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id)

interface EnteredPriority {
  readonly priority: number
  /** When the policy that the person saw was last changed. */
  readonly updatedAt: string
  /** How often the person had loaded the current values when they entered the priority. */
  readonly loads: number
}

/**
 * Saves the priorities, if none of the policies has changed otherwise. The list has no versions, so the policies are read
 * first, and all of them before the first is changed.
 */
const save = async (
  changes: ReadonlyArray<{ readonly id: string; readonly priority: number; readonly updatedAt: string }>
) => {
  const current = await Promise.all(
    changes.map(async (change) => {
      const { item, version } = await readVersioned(client.desktopPolicies.get(change.id))
      // An earlier attempt that failed for another policy may have saved it.
      if (item.priority === change.priority) return []
      if (item.updatedAt !== change.updatedAt) throw new ChangedMeanwhile()
      return [{ ...change, ifMatch: version }]
    })
  )
  for (const { id, ifMatch, priority } of current.flat())
    await client.desktopPolicies.update(id, { priority }, { ifMatch })
}

export const PolicyOrderDialog = ({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) => {
  const [priorities, setPriorities] = useState<ReadonlyMap<string, EnteredPriority>>(new Map())
  const loads = useLoads()
  const query = useQuery({
    queryKey: ["desktop-policies", "order"],
    queryFn: ({ signal }) => client.desktopPolicies.list({ limit: policiesMax }, { signal }),
    enabled: isOpen
  })
  const policies = query.data?.items ?? []
  const changed = policies.flatMap(({ id, priority, updatedAt }) => {
    const next = priorities.get(id)
    if (next === undefined || next.priority === priority) return []
    return [{ id, priority: next.priority, updatedAt: next.loads === loads ? next.updatedAt : updatedAt }]
  })
  return (
    <PreviewDialog
      title="Change the precedence"
      description="For each setting, the enabled policy with the highest priority wins. With equal priorities, a policy for the member wins over one for a team, and both win over one for everyone. Then the oldest wins."
      action="Save the priorities"
      done="The priorities were changed."
      changes={["desktop-policies"]}
      isOpen={isOpen}
      isReady={changed.length > 0 && changed.every(({ priority }) => !Number.isNaN(priority))}
      onClose={() => {
        setPriorities(new Map())
        onClose()
      }}
      simulate={() =>
        client.desktopPolicies.simulate({
          reorder: changed.map(({ id, priority }) => ({ desktopPolicyId: id, priority }))
        })
      }
      preview={(effects) => <PolicyEffects effects={effects} />}
      submit={() => save(changed)}
    >
      {() => (
        <Shown query={query} lines={6}>
          {({ items, nextCursor }) => (
            <>
              <SimpleTable
                label="Policies by precedence"
                columns={[
                  { name: "Policy", cell: ({ policyName }) => <strong>{policyName}</strong> },
                  { name: "Who", cell: (policy) => <AudienceText {...policy} /> },
                  {
                    name: "Priority",
                    cell: ({ id, policyName, priority, updatedAt }) => {
                      const entered = priorities.get(id)
                      const value = entered?.priority ?? priority
                      return (
                        <input
                          className="input priority"
                          type="number"
                          step={1}
                          required
                          aria-label={`Priority of ${policyName}`}
                          value={Number.isNaN(value) ? "" : value}
                          onChange={({ target }) => {
                            const seen = entered?.loads === loads ? entered : { updatedAt, loads }
                            setPriorities(new Map(priorities).set(id, { ...seen, priority: target.valueAsNumber }))
                          }}
                        />
                      )
                    }
                  }
                ]}
                rows={[...items].sort(byPrecedence)}
                idOf={({ id }) => id}
              />
              {nextCursor !== null && <p className="muted">The {policiesMax} newest policies are shown.</p>}
              <p className="muted">The priorities are saved one after another.</p>
            </>
          )}
        </Shown>
      )}
    </PreviewDialog>
  )
}
