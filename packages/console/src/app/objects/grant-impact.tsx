/** What the revocation of a grant would change, before it is done. */
import type { AccessImpactResult } from "@orgplane/client"
import type { ReactNode } from "react"
import { client } from "../api/client.ts"
import { plural } from "../design/text.ts"
import { Badge, Notice } from "../design/ui.tsx"
import { objectKind } from "./kinds.ts"
import { Name } from "./names.tsx"
import { grantsOf, groupOf, type GrantedObject } from "./grants.ts"
import { PreviewConfirm } from "../design/preview-dialog.tsx"
import { SimpleTable } from "../design/simple-table.tsx"

export const impactQuery = (grantId: string) => ({
  // Not below "access": after the revocation there is no grant whose impact could be read again.
  queryKey: ["grant-impact", grantId],
  queryFn: ({ signal }: { readonly signal: AbortSignal }) => client.access.impact({ grantId }, { signal })
})

export const Impact = ({ impact: { losses, memberCount, truncated } }: { readonly impact: AccessImpactResult }) =>
  memberCount === 0 ? (
    <Notice title="No one loses access" tone="good">
      <span>
        Every member who has this grant reaches the object in another way, with the same role or a higher one.
      </span>
    </Notice>
  ) : (
    <div className="stack">
      <p>
        <strong>{plural(memberCount, "member")}</strong> would lose access or be left with a lower role.
      </p>
      <SimpleTable
        label="Lost and lowered roles"
        columns={[
          { name: "Member", cell: ({ orgMembershipId }) => <Name kind="member" id={orgMembershipId} /> },
          {
            name: "Object",
            cell: ({ object }) => (
              <>
                {object.name} <span className="muted">{objectKind(object.kind).noun}</span>
              </>
            )
          },
          {
            name: "Role",
            cell: ({ from, to }) => (
              <span className="change">
                <Badge>{from}</Badge> →{" "}
                {to === null ? <Badge tone="bad">no access</Badge> : <Badge tone="warn">{to}</Badge>}
              </span>
            )
          }
        ]}
        rows={losses}
        idOf={({ object, orgMembershipId }) => `${orgMembershipId} ${object.id}`}
      />
      {truncated && <p className="muted">The list is incomplete.</p>}
    </div>
  )

/** Asks before a grant is revoked, with what it changes. */
export const RevokeGrant = ({
  children,
  grantId,
  isOpen,
  object,
  onClose,
  onDone
}: {
  readonly object: GrantedObject
  readonly grantId: string
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onDone?: () => void
  /** What is revoked. */
  readonly children?: ReactNode
}) => (
  <PreviewConfirm
    title="Revoke this grant?"
    action="Revoke the grant"
    done="The grant was revoked."
    changes={["access", groupOf(object.kind)]}
    isOpen={isOpen}
    onClose={onClose}
    {...(onDone === undefined ? {} : { onDone })}
    queryKey={["grant-impact", grantId, "revocation"]}
    simulate={(signal) => client.access.impact({ grantId }, { signal })}
    preview={(impact) => <Impact impact={impact} />}
    work={() => Promise.resolve(grantsOf(object.kind).revoke(object.id, grantId))}
  >
    {children}
    <p>It takes effect with the next request, on every server. The grant stays in the history.</p>
  </PreviewConfirm>
)
