/** Revokes the API keys that are selected in the list, one after another. */
import type { ApiKey } from "@orgplane/client"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { reload } from "../../design/action.tsx"
import { attempt, RunProgress, Summary, useRun } from "../../design/bulk.tsx"
import { Dialog } from "../../design/dialog.tsx"
import { plural } from "../../design/text.ts"
import { Button, Notice, Time } from "../../design/ui.tsx"

const usedWithinMilliseconds = 7 * 86_400_000

const isUsed = ({ lastUsedAt }: ApiKey) =>
  lastUsedAt !== null && Date.now() - Date.parse(lastUsedAt) < usedWithinMilliseconds

/** What a revocation does, and whether a program probably still uses the key. */
export const RevokeConsequences = ({ apiKeys }: { readonly apiKeys: ReadonlyArray<ApiKey> }) => {
  const used = apiKeys.filter(isUsed)
  return (
    <>
      <p>
        Programs that use {apiKeys.length === 1 ? "this key" : "these keys"} are rejected from the next request on. This
        cannot be undone. Content that they created stays, and the record is kept for the audit log.
      </p>
      {used.length > 0 ? (
        <Notice tone="warn" title={`${plural(used.length, "key was", "keys were")} used in the last 7 days`}>
          <ul className="facts">
            {used.slice(0, 10).map(({ id, lastUsedAt, name }) => (
              <li key={id}>
                {name}, <Time at={lastUsedAt} />
              </li>
            ))}
          </ul>
        </Notice>
      ) : (
        <p className="muted">
          {apiKeys.length === 1 ? "It was" : "None of them was"} {apiKeys.length === 1 && "not "}used in the last 7
          days.
        </p>
      )}
    </>
  )
}

export const ApiKeysBulk = ({
  apiKeys,
  clear
}: {
  readonly apiKeys: ReadonlyArray<ApiKey>
  readonly clear: () => void
}) => {
  const [isOpen, setOpen] = useState(false)
  const { outcome, progress, reset, run, stop } = useRun()
  const valid = apiKeys.filter(({ revokedAt }) => revokedAt === null)
  const start = async () => {
    await run(valid, ({ id, name }, signal) => attempt(name, () => client.apiKeys.revoke(id, { signal })))
    await reload(["api-keys"])
  }
  const close = () => {
    stop()
    setOpen(false)
    if (outcome !== undefined) {
      reset()
      clear()
    }
  }
  return (
    <>
      <Button kind="danger" disabled={valid.length === 0} onClick={() => setOpen(true)}>
        Revoke
      </Button>
      <Dialog title={`Revoke ${plural(valid.length, "API key")}`} isOpen={isOpen} onClose={close}>
        {outcome === undefined ? (
          <>
            <RevokeConsequences apiKeys={valid} />
            <RunProgress label="Revoking keys" progress={progress} stop={stop} />
            <div className="row dialog-actions">
              <Button onClick={close}>Cancel</Button>
              <Button kind="danger" disabled={progress !== undefined} onClick={() => void start()}>
                Revoke {plural(valid.length, "API key")}
              </Button>
            </div>
          </>
        ) : (
          <>
            <Summary outcome={outcome} done={`${plural(outcome.done, "API key was", "API keys were")} revoked.`} />
            <div className="row dialog-actions">
              <Button onClick={close}>Done</Button>
            </div>
          </>
        )}
      </Dialog>
    </>
  )
}
