/** Changes of the members that are selected in the list. */
import type { Member, MemberBatch } from "@orgplane/client"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { reload } from "../../design/action.tsx"
import {
  messageOf,
  type Outcome,
  RunProgress,
  SelectAtMost,
  Summary,
  useRunDialog,
  withRequest
} from "../../design/bulk.tsx"
import { chunksOf } from "../../design/chunks.ts"
import { Dialog } from "../../design/dialog.tsx"
import { SelectField } from "../../design/fields.tsx"
import { impactsMax } from "../../design/impacts.tsx"
import { ReadsProvider, usePendingReads } from "../../design/pending.ts"
import { firstNames, plural } from "../../design/text.ts"
import { Button } from "../../design/ui.tsx"
import { memberName } from "../../objects/kinds.ts"
import { roleName, roleOptions, useCustomRoles, useOwnMembership } from "./choices.tsx"
import { RoleChanges } from "./role-change.tsx"
import { MembersRemoval, namedMax } from "./removal-bulk.tsx"

type Change = { readonly action: "setRole"; readonly role: string } | { readonly action: "remove" }

/** The limit of `members.batch`. */
const batchMax = 100

const itemOf = (change: Change, { id }: Member): MemberBatch["items"][number] =>
  change.action === "remove"
    ? { action: "remove", orgMembershipId: id }
    : { action: "setRole", orgMembershipId: id, role: change.role }

/** Each member has its own result; a request that fails has changed none of its members. */
const change = async (members: ReadonlyArray<Member>, wanted: Change): Promise<Outcome> => {
  try {
    const { data, response } = await client.members
      .batch({ items: members.map((each) => itemOf(wanted, each)) })
      .withResponse()
    const { results } = data
    const nameOf = (id: string) => {
      const member = members.find((each) => each.id === id)
      return member === undefined ? id : memberName(member)
    }
    return {
      done: results.filter(({ ok }) => ok).length,
      problems: results.flatMap(({ error, orgMembershipId }) =>
        error === null
          ? []
          : [{ name: nameOf(orgMembershipId), message: withRequest(error.message, response.requestId) }]
      )
    }
  } catch (error) {
    return { done: 0, problems: members.map((each) => ({ name: memberName(each), message: messageOf(error) })) }
  }
}

const Names = ({ members }: { readonly members: ReadonlyArray<Member> }) => (
  <p className="people-long">
    {firstNames(
      members.map((each) => memberName(each)),
      namedMax
    )}
  </p>
)

interface PartProps {
  readonly members: ReadonlyArray<Member>
  readonly clear: () => void
}

const useBatch = ({ clear, members }: PartProps) => {
  const { run, ...dialog } = useRunDialog(clear)
  const chunks = chunksOf(members, batchMax)
  const start = async (wanted: Change) => {
    await run(chunks, (chunk) => change(chunk, wanted))
    await reload(["members", "teams", "roles", "access"])
  }
  return { ...dialog, start }
}

const ChangeRole = (props: PartProps) => {
  const { members } = props
  const roles = useCustomRoles()
  const isOwner = useOwnMembership()?.role === "owner"
  const [role, setRole] = useState("member")
  const { isReading, reads } = usePendingReads()
  const { close, progress, isOpen, open, outcome, start, stop } = useBatch(props)
  const unchanged = members.filter((each) => each.role === role).length
  return (
    <>
      <Button onClick={open}>Change the role</Button>
      <Dialog title={`Change the role of ${plural(members.length, "member")}`} isOpen={isOpen} onClose={close}>
        {outcome === undefined ? (
          <>
            <Names members={members} />
            <SelectField
              label="New role"
              hint="It applies to their next request. Changes of owners need an owner, and the last owner keeps the role."
              options={roleOptions(roles, isOwner)}
              value={role}
              onChange={({ target }) => setRole(target.value)}
            />
            {unchanged > 0 && (
              <p className="muted">
                {unchanged} of them already {unchanged === 1 ? "has" : "have"} the role {roleName(role, roles)}.
              </p>
            )}
            <ReadsProvider value={reads}>
              <RoleChanges before={members.map((each) => each.role)} after={role} />
            </ReadsProvider>
            <RunProgress label="Changing roles" progress={progress} stop={stop} />
            <div className="row dialog-actions">
              <Button
                kind="primary"
                disabled={isReading || progress !== undefined}
                onClick={() => void start({ action: "setRole", role })}
              >
                Change the role
              </Button>
            </div>
          </>
        ) : (
          <>
            <Summary
              outcome={outcome}
              done={`${plural(outcome.done, "member")} now ${outcome.done === 1 ? "has" : "have"} the role ${roleName(role, roles)}.`}
            />
            <div className="row dialog-actions">
              <Button onClick={close}>Done</Button>
            </div>
          </>
        )}
      </Dialog>
    </>
  )
}

const RemoveMembers = (props: PartProps) => {
  const { members } = props
  const { isReading, reads } = usePendingReads()
  const { close, progress, isOpen, open, outcome, start, stop } = useBatch(props)
  return (
    <>
      <Button kind="danger" disabled={members.length > impactsMax} onClick={open}>
        Remove
      </Button>
      <SelectAtMost count={members.length} max={impactsMax} />
      <Dialog title={`Remove ${plural(members.length, "member")}`} isOpen={isOpen} onClose={close}>
        {outcome === undefined ? (
          <>
            <Names members={members} />
            <ReadsProvider value={reads}>
              <MembersRemoval members={members} />
              <p>It cannot be undone.</p>
            </ReadsProvider>
            <RunProgress label="Removing members" progress={progress} stop={stop} />
            <div className="row dialog-actions">
              <Button onClick={close}>Cancel</Button>
              <Button
                kind="danger"
                disabled={isReading || progress !== undefined}
                onClick={() => void start({ action: "remove" })}
              >
                Remove {plural(members.length, "member")}
              </Button>
            </div>
          </>
        ) : (
          <>
            <Summary outcome={outcome} done={`${plural(outcome.done, "member was", "members were")} removed.`} />
            <div className="row dialog-actions">
              <Button onClick={close}>Done</Button>
            </div>
          </>
        )}
      </Dialog>
    </>
  )
}

export const MembersBulk = (props: PartProps) => (
  <>
    <ChangeRole {...props} />
    <RemoveMembers {...props} />
  </>
)
