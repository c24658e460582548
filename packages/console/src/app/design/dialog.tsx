/** Dialogs: a panel with content, and the question before a change that cannot be undone. */
import { AlertDialog } from "@base-ui/react/alert-dialog"
import { Dialog as Base } from "@base-ui/react/dialog"
import { type ReactNode, useState } from "react"
import { ReadsProvider, usePendingReads } from "./pending.ts"
import { Button, Failure } from "./ui.tsx"
import "./dialog.css"

/** The state of a dialog, which its parent stores. */
export interface DialogState {
  readonly isOpen: boolean
  readonly onClose: () => void
}

export const Dialog = ({
  children,
  description,
  isOpen,
  onClose,
  title
}: DialogState & {
  readonly title: string
  readonly description?: string
  readonly children: ReactNode
}) => (
  <Base.Root open={isOpen} onOpenChange={(open) => open || onClose()}>
    <Base.Portal>
      <Base.Backdrop className="backdrop" />
      <Base.Popup className="dialog">
        <header className="row spread">
          <Base.Title className="dialog-title">{title}</Base.Title>
          <Base.Close className="button" data-kind="quiet">
            Close
          </Base.Close>
        </header>
        {description !== undefined && <Base.Description className="muted">{description}</Base.Description>}
        {children}
      </Base.Popup>
    </Base.Portal>
  </Base.Root>
)

/** Asks before a change, and shows its consequences. Stays open while it runs, and if it fails. */
export const Confirm = ({
  action,
  children,
  confirm,
  isOpen,
  isReady = true,
  onClose,
  title
}: DialogState & {
  readonly title: string
  /** The button, such as "Remove the team". */
  readonly action: string
  /** False while the consequences are read by other means than `Shown`, which reports it by itself. */
  readonly isReady?: boolean
  readonly confirm: () => Promise<unknown>
  /** The consequences. */
  readonly children: ReactNode
}) => {
  const { isReading, reads } = usePendingReads()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const run = async () => {
    setBusy(true)
    setError(undefined)
    try {
      await confirm()
      onClose()
    } catch (cause) {
      setError(cause)
    }
    setBusy(false)
  }
  const close = () => {
    // A failure would not be seen.
    if (isBusy) return
    setError(undefined)
    onClose()
  }
  return (
    <AlertDialog.Root open={isOpen} onOpenChange={(open) => open || close()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="backdrop" />
        <AlertDialog.Popup className="dialog" data-size="small">
          <AlertDialog.Title className="dialog-title">{title}</AlertDialog.Title>
          <div className="stack">
            <ReadsProvider value={reads}>{children}</ReadsProvider>
          </div>
          {error !== undefined && <Failure error={error} />}
          <div className="row dialog-actions">
            <AlertDialog.Close className="button" disabled={isBusy}>
              Cancel
            </AlertDialog.Close>
            <Button kind="danger" disabled={isBusy || isReading || !isReady} onClick={() => void run()}>
              {action}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
