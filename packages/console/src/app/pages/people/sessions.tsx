/** Where the person is signed in. */
import type { Session } from "@orgplane/client"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { reload } from "../../design/action.tsx"
import { type Column, DataTable } from "../../design/data-table.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { plural } from "../../design/text.ts"
import { notify } from "../../design/toast.tsx"
import { Badge, Button, Empty, Time } from "../../design/ui.tsx"

const kinds: Readonly<Record<Session["kind"], string>> = {
  email: "Code by email",
  sso: "Single sign-on",
  minted: "Host application",
  bootstrap: "Claimed workspace",
  seed: "First start of the server"
}

const columns: ReadonlyArray<Column<Session>> = [
  {
    name: "Signed in with",
    width: "minmax(0, 2fr)",
    cell: ({ current, kind }) => (
      <>
        {kinds[kind]} {current && <Badge tone="good">this session</Badge>}
      </>
    ),
    sort: ({ kind }) => kinds[kind]
  },
  {
    name: "Signed in",
    width: "minmax(0, 1fr)",
    cell: ({ createdAt }) => <Time at={createdAt} />,
    sort: ({ createdAt }) => createdAt
  },
  {
    name: "Ends",
    width: "minmax(0, 1fr)",
    wide: true,
    cell: ({ expiresAt }) => <Time at={expiresAt} />,
    sort: ({ expiresAt }) => expiresAt
  },
  { name: "ID", width: "minmax(0, 2fr)", wide: true, cell: ({ id }) => <code title={id}>{id}</code> }
]

/** The current session ends last, because it ends the others. */
const revokeAll = async (sessions: ReadonlyArray<Session>, onSignedOut: () => void) => {
  const others = sessions.filter(({ current }) => !current)
  const failures: Array<unknown> = []
  for (const { id } of others) await client.sessions.revoke(id).catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
  if (others.length === sessions.length) {
    notify(`${plural(others.length, "session")} ended.`)
    await reload(["sessions"])
    return
  }
  await client.sessions.revokeCurrent()
  onSignedOut()
}

const End = ({
  clear,
  onSignedOut,
  sessions
}: {
  readonly sessions: ReadonlyArray<Session>
  readonly clear: () => void
  readonly onSignedOut: () => void
}) => {
  const [isOpen, setOpen] = useState(false)
  const isCurrent = sessions.some(({ current }) => current)
  return (
    <>
      <Button kind="danger" onClick={() => setOpen(true)}>
        End
      </Button>
      <Confirm
        title={`End ${plural(sessions.length, "session")}`}
        action={`End ${plural(sessions.length, "session")}`}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        confirm={async () => {
          await revokeAll(sessions, onSignedOut)
          clear()
        }}
      >
        <p>
          Anyone who uses {sessions.length === 1 ? "it" : "them"} has to sign in again.
          {isCurrent && " This includes the session of this browser: you are signed out here."}
        </p>
      </Confirm>
    </>
  )
}

export const Sessions = ({ onSignedOut }: { readonly onSignedOut: () => void }) => (
  <div className="stack">
    <p className="muted">Where you are signed in. Select the sessions that you do not recognize, and end them.</p>
    <DataTable
      label="Sessions"
      columns={columns}
      queryKey={["sessions"]}
      load={(cursor, signal) =>
        client.sessions.list({ limit: 50, ...(cursor === undefined ? {} : { cursor }) }, { signal })
      }
      idOf={({ id }) => id}
      bulk={(sessions, clear) => <End sessions={sessions} clear={clear} onSignedOut={onSignedOut} />}
      empty={<Empty title="You have no sessions of your own">The host application signs you in.</Empty>}
    />
  </div>
)
