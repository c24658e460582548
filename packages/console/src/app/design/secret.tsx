/** Values to copy, and secrets that are shown once. */
import { type ReactNode, useId, useState } from "react"
import { copyText } from "./copy.ts"
import { Dialog } from "./dialog.tsx"
import { Button, Notice } from "./ui.tsx"
import "./secret.css"

/** A value that is copied to another program, such as a DNS record or a URL. */
export const CopyField = ({
  hint,
  label,
  onCopy,
  value
}: {
  readonly label: string
  readonly value: string
  readonly hint?: string
  readonly onCopy?: () => void
}) => {
  const id = useId()
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    if (!(await copyText(value))) return
    setCopied(true)
    onCopy?.()
  }
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className="copy-field">
        <input
          id={id}
          className="input"
          readOnly
          value={value}
          aria-describedby={hint === undefined ? undefined : `${id}-about`}
          onFocus={(event) => event.target.select()}
          onCopy={onCopy}
        />
        <Button aria-label={`Copy: ${label}`} onClick={() => void copy()}>
          <span role="status">{isCopied ? "Copied" : "Copy"}</span>
        </Button>
      </div>
      {hint !== undefined && (
        <span id={`${id}-about`} className="hint">
          {hint}
        </span>
      )}
    </div>
  )
}

/** Shows a secret once. It asks before it closes without the secret having been copied. */
export const SecretDialog = ({
  children,
  hint,
  label,
  onClose,
  secret,
  title,
  uses = []
}: {
  readonly title: string
  readonly label: string
  readonly secret: string | undefined
  readonly hint: string
  readonly onClose: () => void
  /** Other texts that contain the secret, such as a command. A person who copies one of them has the secret. */
  readonly uses?: ReadonlyArray<{ readonly label: string; readonly value: string }>
  readonly children?: ReactNode
}) => {
  const [isCopied, setCopied] = useState(false)
  const [isWarned, setWarned] = useState(false)
  const close = () => {
    setCopied(false)
    setWarned(false)
    onClose()
  }
  return (
    <Dialog
      title={title}
      description={hint}
      isOpen={secret !== undefined}
      onClose={() => (isCopied || isWarned ? close() : setWarned(true))}
    >
      <CopyField label={label} value={secret ?? ""} onCopy={() => setCopied(true)} />
      {uses.map((use) => (
        <CopyField key={use.label} {...use} onCopy={() => setCopied(true)} />
      ))}
      {children}
      {isWarned && !isCopied && (
        <Notice tone="warn" title="You have not copied it yet">
          <span>It cannot be shown again after this dialog is closed.</span>
        </Notice>
      )}
      <div className="row dialog-actions">
        <Button kind={isCopied ? "primary" : "plain"} onClick={close}>
          {isCopied ? "Done" : "Close without copying"}
        </Button>
      </div>
    </Dialog>
  )
}
