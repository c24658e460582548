/** Dialogs: a panel with content, and the question before a change that cannot be undone. */
import { AlertDialog } from "@base-ui/react/alert-dialog"
import { Dialog as Base } from "@base-ui/react/dialog"
import { type ReactNode, type RefObject, useRef, useState } from "react"
import { InputNoted } from "./input-noted.ts"
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
  keepsInput = false,
  isOpen,
  onClose,
  title
}: DialogState & {
  readonly title: string
  readonly description?: string
  /** Asks before it closes with input. */
  readonly keepsInput?: boolean
  readonly children: ReactNode
}) => {
  const [hasInput, setHasInput] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const [noteInput] = useState(() => () => setHasInput(true))
  /** A click beside the dialog takes the focus away, so the element that had it before the question is not enough. */
  const focused = useRef<HTMLElement>(null)
  if (!isOpen && (hasInput || isAsking)) {
    setHasInput(false)
    setAsking(false)
  }
  return (
    <Base.Root
      open={isOpen}
      // A click beside the dialog is often a mistake, such as the end of a selection of text.
      disablePointerDismissal={keepsInput && hasInput}
      onOpenChange={(open) => {
        if (open) return
        if (keepsInput && hasInput) setAsking(true)
        else onClose()
      }}
    >
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup
          className="dialog"
          onInput={noteInput}
          onFocus={({ target }) => {
            focused.current = target
          }}
        >
          <header className="row spread">
            <Base.Title className="dialog-title">{title}</Base.Title>
            <Base.Close className="button" data-kind="quiet">
              Close
            </Base.Close>
          </header>
          {description !== undefined && <Base.Description className="muted">{description}</Base.Description>}
          <InputNoted value={noteInput}>{children}</InputNoted>
        </Base.Popup>
      </Base.Portal>
      <Confirm
        title="Close without saving?"
        action="Close without saving"
        cancel="Keep editing"
        finalFocus={focused}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        confirm={() => {
          onClose()
          return Promise.resolve()
        }}
      >
        <p>Your input is not saved.</p>
      </Confirm>
    </Base.Root>
  )
}

/** Asks before a change, and shows its consequences. Stays open while it runs, and if it fails. */
export const Confirm = ({
  action,
  cancel = "Cancel",
  children,
  confirm,
  finalFocus,
  isOpen,
  isReady = true,
  onClose,
  title
}: DialogState & {
  readonly title: string
  /** The button, such as "Remove the team". */
  readonly action: string
  /** The button that changes nothing. */
  readonly cancel?: string
  /** Gets the focus afterwards. Default: the element that had it before. */
  readonly finalFocus?: RefObject<HTMLElement | null>
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
        <AlertDialog.Popup className="dialog" data-size="small" finalFocus={finalFocus}>
          <AlertDialog.Title className="dialog-title">{title}</AlertDialog.Title>
          <div className="stack">
            <ReadsProvider value={reads}>{children}</ReadsProvider>
          </div>
          {error !== undefined && <Failure error={error} />}
          <div className="row dialog-actions">
            <AlertDialog.Close className="button" disabled={isBusy}>
              {cancel}
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
