/** Changes the priorities of several policies, with whose settings change before they are saved. */
import type { DesktopPolicy } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { Shown } from "../../design/query.tsx"
import { AudienceText } from "./audience.tsx"
import { PolicyEffects } from "./policy-simulation.tsx"
import { PreviewDialog } from "../../design/preview-dialog.tsx"
import { SimpleTable } from "../../design/simple-table.tsx"
import "./delivery.css"

const policiesMax = 100

const byPrecedence = (a: DesktopPolicy, b: DesktopPolicy) =>
  b.priority - a.priority || a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id)

export const PolicyOrderDialog = ({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) => {
  const [priorities, setPriorities] = useState<ReadonlyMap<string, number>>(new Map())
  const query = useQuery({
    queryKey: ["desktop-policies", "order"],
    queryFn: ({ signal }) => client.desktopPolicies.list({ limit: policiesMax }, { signal }),
    enabled: isOpen
  })
  const policies = query.data?.items ?? []
  const changed = policies.flatMap(({ id, priority }) => {
    const next = priorities.get(id)
    return next === undefined || next === priority ? [] : [{ desktopPolicyId: id, priority: next }]
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
      simulate={() => client.desktopPolicies.simulate({ reorder: changed })}
      preview={(effects) => <PolicyEffects effects={effects} />}
      submit={async () => {
        for (const { desktopPolicyId, priority } of changed) {
          await client.desktopPolicies.update(desktopPolicyId, { priority })
        }
      }}
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
                    cell: ({ id, policyName, priority }) => {
                      const value = priorities.get(id) ?? priority
                      return (
                        <input
                          className="input priority"
                          type="number"
                          step={1}
                          required
                          aria-label={`Priority of ${policyName}`}
                          value={Number.isNaN(value) ? "" : value}
                          onChange={({ target }) => setPriorities(new Map(priorities).set(id, target.valueAsNumber))}
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
