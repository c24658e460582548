/** The branches of a connector, each with its mappings of files to config objects. */
import type { ConnectorInstance, ConnectorTarget } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { ActionButton, FormDialog } from "../../design/action.tsx"
import type { DialogState } from "../../design/dialog.tsx"
import { Facts, Section } from "../../design/facts.tsx"
import { Shown } from "../../design/query.tsx"
import { Button, Field, Notice, Time } from "../../design/ui.tsx"
import { Mappings } from "./connector-mappings.tsx"
import { ComparedContent } from "./compared-content.tsx"
import { type ConnectorDialogProps, Picker } from "./parts.tsx"
import { RollbackEffects } from "./removals.tsx"
import { branchOf, shortRevision } from "./words.ts"

const AddDialog = ({ instance, isOpen, onClose }: ConnectorDialogProps) => {
  const [branch, setBranch] = useState("")
  return (
    <FormDialog
      title="Add a branch"
      description="The repository is read once to check the branch. Nothing is imported until you choose plugins or add a mapping."
      action="Add the branch"
      done="The branch was added."
      changes={["connectors"]}
      isOpen={isOpen}
      onClose={onClose}
      fields={["branch"]}
      submit={() => client.connectors.createTarget(instance.id, { branch: branch.trim() })}
    >
      {(problem) =>
        instance.adapter === "rest" ? (
          <Picker
            label="Branch"
            queryKey={["connector-accounts", instance.connectorAccountId, "branches", instance.remoteId]}
            load={({ cursor, limit }, signal) =>
              client.connectors.listBranches(
                instance.connectorAccountId,
                { limit, cursor, remoteId: instance.remoteId },
                { signal }
              )
            }
            searches={false}
            idOf={({ name }) => name}
            nameOf={({ name, revision }) => ({ name, detail: <code>{shortRevision(revision)}</code> })}
            value={branch}
            onChange={setBranch}
          />
        ) : (
          <Field
            label="Branch"
            required
            maxLength={200}
            value={branch}
            problem={problem("branch")}
            onChange={({ target }) => setBranch(target.value)}
          />
        )
      }
    </FormDialog>
  )
}

interface BranchDialogProps extends DialogState {
  readonly target: ConnectorTarget
}

const ChangeDialog = ({ isOpen, onClose, target }: BranchDialogProps) => {
  const [branch, setBranch] = useState(branchOf(target.externalTargetRef))
  return (
    <FormDialog
      title="Read another branch"
      description="The branch is checked now and imported by the next sync."
      action="Change the branch"
      kind="danger"
      done="The branch was changed."
      changes={["connectors"]}
      isOpen={isOpen}
      onClose={onClose}
      fields={["branch"]}
      submit={() => client.connectors.updateTarget(target.id, { branch: branch.trim() })}
    >
      {(problem) => (
        <>
          <Field
            label="Branch"
            required
            maxLength={200}
            value={branch}
            problem={problem("branch")}
            onChange={(event) => setBranch(event.target.value)}
          />
          <ComparedContent instanceId={target.connectorInstanceId} target={target} />
        </>
      )}
    </FormDialog>
  )
}

/** Returns to a revision that a sync has imported from this branch. */
const RollBackDialog = ({ isOpen, onClose, target }: BranchDialogProps) => {
  const [revision, setRevision] = useState<string>()
  return (
    <FormDialog
      title="Roll back to an earlier revision"
      description="The content of the revision is restored as new versions, and the branch is pinned to it. Pushes are ignored until a manual sync, a resync, a retry or an import removes the pin."
      action="Roll back"
      kind="danger"
      done="The rollback was queued."
      changes={["connectors", "plugins", "objects"]}
      isOpen={isOpen}
      onClose={onClose}
      submit={() =>
        client.connectors.rollback(target.connectorInstanceId, {
          revision: revision ?? "",
          connectorTargetId: target.id
        })
      }
    >
      {() => (
        <>
          <Picker
            label="Revision"
            queryKey={["connectors", target.connectorInstanceId, "syncs", "completed"]}
            load={({ cursor, limit }, signal) =>
              client.connectors.listSyncEvents(
                target.connectorInstanceId,
                { limit, cursor, status: "completed" },
                { signal }
              )
            }
            searches={false}
            filter={({ connectorTargetId, revision: imported }) =>
              connectorTargetId === target.id && imported !== null && imported !== target.lastSyncCursor
            }
            idOf={(sync) => sync.revision ?? sync.id}
            nameOf={(sync) => ({ name: shortRevision(sync.revision), detail: <Time at={sync.endedAt} /> })}
            value={revision}
            onChange={setRevision}
          />
          {revision !== undefined && (
            <RollbackEffects instanceId={target.connectorInstanceId} targetId={target.id} revision={revision} />
          )}
        </>
      )}
    </FormDialog>
  )
}

const Branch = ({ target }: { readonly target: ConnectorTarget }) => {
  const [asked, setAsked] = useState<"change" | "rollBack">()
  const close = () => setAsked(undefined)
  const { id, lastSyncCursor, lastSyncedAt, pinnedRevision } = target
  return (
    <Section
      title={branchOf(target.externalTargetRef)}
      actions={
        <>
          <ActionButton
            permission="connectors:write"
            access="editor"
            done="A full resync was queued."
            changes={["connectors"]}
            work={() => client.connectors.resync(id)}
          >
            Read every file again
          </ActionButton>
          <Button permission="connectors:write" access="manager" onClick={() => setAsked("change")}>
            Change the branch
          </Button>
          <Button permission="connectors:manage" access="manager" onClick={() => setAsked("rollBack")}>
            Roll back
          </Button>
        </>
      }
    >
      {pinnedRevision !== null && (
        <Notice title="The branch is pinned by a rollback" tone="warn">
          <span>
            Pushes are ignored, and the content stays at revision <code>{shortRevision(pinnedRevision)}</code>.
          </span>
          <div className="row">
            <ActionButton
              permission="connectors:write"
              access="editor"
              done="The pin is removed by the sync that was queued."
              changes={["connectors"]}
              work={() => client.connectors.sync(target.connectorInstanceId, { connectorTargetId: id })}
            >
              Remove the pin and sync
            </ActionButton>
          </div>
        </Notice>
      )}
      <Facts
        rows={[
          ["Imported revision", lastSyncCursor === null ? null : <code>{lastSyncCursor}</code>],
          ["Last sync", <Time key="sync" at={lastSyncedAt} />]
        ]}
      />
      <Mappings targetId={id} />
      {asked === "change" && <ChangeDialog target={target} isOpen onClose={close} />}
      {asked === "rollBack" && <RollBackDialog target={target} isOpen onClose={close} />}
    </Section>
  )
}

const readAhead = 50

export const Branches = ({ instance }: { readonly instance: ConnectorInstance }) => {
  const [isAdding, setAdding] = useState(false)
  const query = useQuery({
    queryKey: ["connectors", instance.id, "targets"],
    queryFn: ({ signal }) => client.connectors.listTargets(instance.id, { limit: readAhead }, { signal })
  })
  return (
    <div className="stack">
      <div className="row spread">
        <p className="muted">A connector can read up to 50 branches of its repository.</p>
        <Button permission="connectors:write" access="editor" onClick={() => setAdding(true)}>
          Add a branch
        </Button>
      </div>
      <Shown query={query} lines={6}>
        {({ items }) => items.map((target) => <Branch key={target.id} target={target} />)}
      </Shown>
      {isAdding && <AddDialog instance={instance} isOpen onClose={() => setAdding(false)} />}
    </div>
  )
}
