/** Desktop policies: which features of the desktop app are on, for whom. */
import type { DesktopPolicy } from "@orgplane/client"
import { useState } from "react"
import { client } from "../../api/client.ts"
import type { Column } from "../../design/data-table.tsx"
import { ListPage } from "../../design/list-page.tsx"
import { Badge, Button, Time } from "../../design/ui.tsx"
import { useParameters, useSetParameters } from "../../parameters.ts"
import { AudienceText } from "./audience.tsx"
import { BulkRemove } from "./bulk-remove.tsx"
import { PolicyDialog } from "./policy-form.tsx"
import { PolicyOrderDialog } from "./policy-order.tsx"
import { setCount } from "./settings.ts"

const columns: ReadonlyArray<Column<DesktopPolicy>> = [
  {
    name: "Name",
    width: "minmax(0, 3fr)",
    cell: ({ policyName }) => <strong title={policyName}>{policyName}</strong>,
    sort: ({ policyName }) => policyName
  },
  { name: "Who", width: "minmax(0, 3fr)", cell: (policy) => <AudienceText {...policy} /> },
  { name: "Priority", width: "80px", wide: true, cell: ({ priority }) => priority, sort: ({ priority }) => priority },
  { name: "Settings", width: "80px", wide: true, cell: ({ policy }) => setCount(policy) },
  {
    name: "Status",
    width: "100px",
    cell: ({ audience, isEnabled }) =>
      !isEnabled ? (
        <Badge>disabled</Badge>
      ) : audience === "nobody" ? (
        <Badge tone="warn">no one</Badge>
      ) : (
        <Badge tone="good">enabled</Badge>
      )
  },
  {
    name: "Changed",
    width: "130px",
    wide: true,
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
    sort: ({ updatedAt }) => updatedAt
  }
]

export const Page = () => {
  const { create } = useParameters()
  const set = useSetParameters()
  const [isOrdering, setOrdering] = useState(false)
  const button = (
    <Button
      kind="primary"
      onClick={() => {
        set({ create: "1" })
      }}
    >
      Create a policy
    </Button>
  )
  return (
    <>
      <ListPage
        creates="desktopPolicies:write"
        bulkPermission="desktopPolicies:manage"
        title="Desktop policies"
        name="desktop-policies"
        description="Which features of the desktop app are on, for members, teams or everyone. What no policy sets is on."
        columns={columns}
        searches
        load={(input, signal) => client.desktopPolicies.list(input, { signal })}
        idOf={({ id }) => id}
        to={({ id }) => `/desktop-policies/${id}`}
        actions={
          <>
            <Button onClick={() => setOrdering(true)}>Change the precedence</Button>
            {button}
          </>
        }
        bulk={(rows, clear) => (
          <BulkRemove
            rows={rows}
            clear={clear}
            nouns={["policy", "policies"]}
            nameOf={({ policyName }) => policyName}
            changes={["desktop-policies"]}
            remove={({ id }) => client.desktopPolicies.remove(id)}
            effectOf={async ({ id }, signal) =>
              (await client.desktopPolicies.simulate({ delete: { desktopPolicyId: id } }, { signal })).memberCount
            }
          />
        )}
        empty={
          <>
            <p>Every feature of the app is on for everyone.</p>
            {button}
          </>
        }
      />
      {create === "1" && <PolicyDialog isOpen onClose={() => set({ create: undefined })} />}
      <PolicyOrderDialog isOpen={isOrdering} onClose={() => setOrdering(false)} />
    </>
  )
}
