/** Whether updates are held for approval before members receive them. */
import type { DeliveryMode, DeliveryModeSetting } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { reload } from "../../design/action.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { SelectField } from "../../design/fields.tsx"
import { Shown } from "../../design/query.tsx"
import { notify } from "../../design/toast.tsx"
import { deliveryModes, labelOf, optionOf } from "./words.ts"

const consequences: Readonly<Record<DeliveryMode, string>> = {
  auto: "Members receive every change at once. Releases that are pending approval now are approved and served.",
  hold_growth:
    "A release with new or changed capabilities waits until an approver has reviewed it. What members receive now counts as approved. Edits of text are served at once.",
  hold_all:
    "Every release waits until an approver has reviewed it, including edits of text. What members receive now counts as approved."
}

export const DeliveryModeForm = ({
  load,
  queryKey,
  save,
  subject
}: {
  readonly queryKey: ReadonlyArray<string>
  /** Such as "the plugins from this repository". */
  readonly subject: string
  readonly load: (signal: AbortSignal) => Promise<DeliveryModeSetting>
  readonly save: (mode: DeliveryMode) => Promise<unknown>
}) => {
  const query = useQuery({ queryKey, queryFn: ({ signal }) => load(signal) })
  const [asked, setAsked] = useState<DeliveryMode>()
  return (
    <Shown query={query}>
      {({ deliveryMode }) => (
        <>
          <SelectField
            label={`Updates of ${subject}`}
            hint="The strictest setting applies: that of the organization, the connector and the marketplaces of a plugin."
            options={deliveryModes}
            value={deliveryMode}
            onChange={({ target }) => setAsked(optionOf(deliveryModes, target.value, undefined))}
          />
          <p>
            <Link to="/approvals">Releases pending approval</Link>
          </p>
          <Confirm
            title="Change how updates are delivered?"
            action="Change the setting"
            isOpen={asked !== undefined}
            onClose={() => setAsked(undefined)}
            confirm={async () => {
              if (asked === undefined) return
              await save(asked)
              notify("The setting was changed.")
              await reload(["approvals", "plugins"])
            }}
          >
            {asked !== undefined && (
              <>
                <p>
                  <strong>{labelOf(deliveryModes, asked)}</strong>
                </p>
                <p>{consequences[asked]}</p>
                <p className="muted">Applies to {subject}.</p>
              </>
            )}
          </Confirm>
        </>
      )}
    </Shown>
  )
}
