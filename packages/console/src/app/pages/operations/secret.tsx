/** A new secret, which is shown once and kept nowhere. */
import { useState } from "react"
import { Dialog } from "../../design/dialog.tsx"
import { Button } from "../../design/ui.tsx"

export const SecretDialog = ({
  about,
  onClose,
  secret,
  title
}: {
  readonly title: string
  /** What to do with it. */
  readonly about: string
  readonly secret: string | null | undefined
  readonly onClose: () => void
}) => {
  const [isCopied, setCopied] = useState(false)
  const text = secret ?? ""
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
  }
  return (
    <Dialog
      title={title}
      description={about}
      isOpen={text !== ""}
      onClose={() => {
        setCopied(false)
        onClose()
      }}
    >
      <code className="secret" tabIndex={0} aria-label="Secret">
        {text}
      </code>
      <div className="row">
        <Button kind="primary" onClick={() => void copy()}>
          Copy the secret
        </Button>
        <span role="status">{isCopied ? "Copied" : "It is not shown again."}</span>
      </div>
    </Dialog>
  )
}
