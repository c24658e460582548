/** One change: who made it, to what, from where, and what was before and after. */
import type { JsonObject, OrganizationEvent } from "@orgplane/client"
import { Dialog } from "../../design/dialog.tsx"
import { ValueDiff } from "../../design/diff.tsx"
import { Facts } from "../../design/facts.tsx"
import { Button } from "../../design/ui.tsx"
import { Actor, Name } from "../../objects/names.tsx"
import { useSetParameters } from "../../parameters.ts"

export interface Change {
  readonly id: string
  readonly action: string
  readonly actor: { readonly id: string | null; readonly kind: string; readonly name?: string | null }
  readonly objectId: string | null
  readonly objectName?: string | null
  readonly sequence: number | null
  readonly requestId: string | null
  readonly address?: string | null
  readonly userAgent?: string | null
  readonly before: JsonObject | null
  readonly after: JsonObject | null
  readonly createdAt: string
}

/** An event as a change. */
export const changeOf = ({ actor, object, type, ...rest }: OrganizationEvent): Change => ({
  ...rest,
  action: type,
  actor,
  objectId: object?.id ?? null,
  objectName: object?.name ?? null
})

const exact = new Intl.DateTimeFormat("en", { dateStyle: "full", timeStyle: "long" })

export const ChangeDialog = ({
  change,
  onClose,
  onHide
}: {
  readonly change: Change | undefined
  readonly onClose: () => void
  /** Called instead when another list is shown, whose parameters are set. */
  readonly onHide?: () => void
}) => {
  const set = useSetParameters()
  const filter = (changes: Readonly<Record<string, string>>) => {
    set({ tab: undefined, event: undefined, ...changes })
    onHide?.()
  }
  return (
    <Dialog title={change?.action ?? "Change"} isOpen={change !== undefined} onClose={onClose}>
      {change !== undefined && (
        <div className="stack">
          <Facts
            rows={[
              ["When", <time dateTime={change.createdAt}>{exact.format(new Date(change.createdAt))}</time>],
              [
                "By",
                <Actor
                  id={change.actor.id}
                  kind={change.actor.kind}
                  {...(change.actor.name === undefined ? {} : { name: change.actor.name })}
                />
              ],
              [
                "Object",
                change.objectId === null ? null : (
                  <Name
                    id={change.objectId}
                    {...(change.objectName === undefined ? {} : { name: change.objectName })}
                  />
                )
              ],
              ["Event", <code>{change.id}</code>],
              ["Sequence number", change.sequence === null ? "not sealed yet" : change.sequence],
              ["Request", change.requestId === null ? null : <code>{change.requestId}</code>],
              ...(change.address === undefined ? [] : [["Address", change.address] as const]),
              ...(change.userAgent === undefined ? [] : [["Program", change.userAgent] as const])
            ]}
          />
          {change.before === null && change.after === null ? (
            <p className="muted">The event has no values.</p>
          ) : (
            <ValueDiff label="Before and after" before={change.before} after={change.after} />
          )}
          <div className="row">
            {change.objectId !== null && (
              <Button onClick={() => filter({ targetId: change.objectId ?? "" })}>Changes of this object</Button>
            )}
            {change.actor.id !== null && (
              <Button onClick={() => filter({ actorId: change.actor.id ?? "" })}>Changes by this actor</Button>
            )}
            <Button onClick={() => filter({ action: change.action })}>Changes of this type</Button>
          </div>
        </div>
      )}
    </Dialog>
  )
}
