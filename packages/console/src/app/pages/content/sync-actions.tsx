/** Decisions about a sync: approve or reject a held one, repeat a failed one, return to its revision. */
import type { ConnectorSyncEvent } from "@orgplane/client"
import { Link } from "@tanstack/react-router"
import { type ReactNode, useState } from "react"
import { client } from "../../api/client.ts"
import { ActionButton, reload } from "../../design/action.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { notify } from "../../design/toast.tsx"
import { Button } from "../../design/ui.tsx"
import { HeldRemovals } from "./held-plan.tsx"
import { Figures } from "./parts.tsx"
import { RollbackEffects } from "./removals.tsx"
import { shortRevision } from "./words.ts"

const changed = ["connectors", "plugins", "objects"]

interface Decision {
  readonly title: string
  readonly action: string
  readonly done: string
  readonly work: () => Promise<unknown>
  readonly consequences: ReactNode
}

const decisionsOf = (sync: ConnectorSyncEvent) => ({
  approve: {
    title: "Approve this sync?",
    action: "Approve the sync",
    done: "The sync was approved and queued.",
    work: () => client.connectors.approveSync(sync.id),
    consequences: (
      <>
        <p>
          The sync imports revision <code>{shortRevision(sync.revision)}</code>. Config objects that the repository no
          longer has are removed for everyone.
        </p>
        <Figures rows={[["objects removed", sync.counts.objectsDeleted]]} />
        <HeldRemovals sync={sync} />
        {sync.warnings.slice(0, 3).map((warning, index) => (
          <p key={index}>{warning}</p>
        ))}
        <p>
          <Link to={`/connectors/${sync.connectorInstanceId}/syncs/${sync.id}`}>The page of the sync</Link> shows the
          whole plan.
        </p>
        <p className="muted">
          It applies to this revision only. If the branch has changed, its new head is checked again.
        </p>
      </>
    )
  },
  reject: {
    title: "Reject this sync?",
    action: "Reject the sync",
    done: "The sync was rejected.",
    work: () => client.connectors.rejectSync(sync.id),
    consequences: <p>The imported content stays as it is. Nothing is imported until the branch changes.</p>
  },
  rollBack: {
    title: "Roll back to this revision?",
    action: "Roll back",
    done: "The rollback was queued.",
    work: () =>
      client.connectors.rollback(sync.connectorInstanceId, {
        revision: sync.revision ?? "",
        connectorTargetId: sync.connectorTargetId
      }),
    consequences: (
      <>
        <p>
          The content of revision <code>{shortRevision(sync.revision)}</code> is restored as new versions, and the
          branch is pinned to it. It works even if the commit no longer exists.
        </p>
        <RollbackEffects
          instanceId={sync.connectorInstanceId}
          targetId={sync.connectorTargetId}
          revision={sync.revision ?? ""}
        />
        <p>
          Pushes are ignored until a manual sync, a resync, a retry or an import removes the pin. Access that was
          revoked because an object was deleted is not restored.
        </p>
      </>
    )
  }
})

type Name = keyof ReturnType<typeof decisionsOf>

export const SyncActions = ({
  canRollBack = false,
  sync
}: {
  readonly sync: ConnectorSyncEvent
  /** Whether to offer a return to the revision of the sync. */
  readonly canRollBack?: boolean
}) => {
  const [asked, setAsked] = useState<Name>()
  const decision: Decision | undefined = asked === undefined ? undefined : decisionsOf(sync)[asked]
  const wasImported = sync.revision !== null && (sync.status === "completed" || sync.status === "partial")
  return (
    <>
      {sync.status === "review_required" && (
        <>
          <Button kind="primary" permission="connectors:manage" onClick={() => setAsked("approve")}>
            Approve
          </Button>
          <Button permission="connectors:manage" onClick={() => setAsked("reject")}>
            Reject
          </Button>
        </>
      )}
      {(sync.status === "failed" || sync.status === "partial") && (
        <ActionButton
          permission="connectors:write"
          done="The sync was queued again."
          changes={changed}
          work={() => client.connectors.retrySync(sync.id)}
        >
          Retry
        </ActionButton>
      )}
      {canRollBack && wasImported && (
        <Button permission="connectors:manage" onClick={() => setAsked("rollBack")}>
          Roll back to this revision
        </Button>
      )}
      <Confirm
        title={decision?.title ?? ""}
        action={decision?.action ?? ""}
        isOpen={decision !== undefined}
        onClose={() => setAsked(undefined)}
        confirm={async () => {
          if (decision === undefined) return
          await decision.work()
          notify(decision.done)
          await reload(changed)
        }}
      >
        {decision?.consequences}
      </Confirm>
    </>
  )
}
