/** A secret that the API returns once. It is in the memory of the page only, until the dialog closes. */
import { useState } from "react"
import { Dialog } from "../../design/dialog.tsx"
import { Button } from "../../design/ui.tsx"
import "./tools.css"

export const SecretDialog = ({
  hint,
  onClose,
  secret,
  title
}: {
  readonly title: string
  readonly hint: string
  readonly secret: string | undefined
  readonly onClose: () => void
}) => {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    if (secret === undefined) return
    await navigator.clipboard.writeText(secret)
    setCopied(true)
  }
  const close = () => {
    setCopied(false)
    onClose()
  }
  return (
    <Dialog title={title} description={hint} isOpen={secret !== undefined} onClose={close}>
      <code className="secret">{secret}</code>
      <p>It is shown only now. If you lose it, create another one.</p>
      <div className="row">
        <Button kind="primary" onClick={() => void copy()}>
          Copy the token
        </Button>
        <span role="status">{isCopied ? "Copied" : ""}</span>
      </div>
    </Dialog>
  )
}
