/** The question before a removal that cannot be undone: the name of the object has to be typed. */
import { type ReactNode, useState } from "react"
import { type ActionOptions, FormDialog } from "../../design/action.tsx"
import { Field } from "../../design/ui.tsx"
import { visible } from "../../design/visible.ts"

/** A pattern that matches exactly a text, also if the text has special characters. */
export const exactly = (text: string): string =>
  Array.from(text, (each) => `\\u{${(each.codePointAt(0) ?? 0).toString(16)}}`).join("")

export const TypedConfirm = ({
  action,
  changes,
  children,
  confirm,
  done,
  isOpen,
  name,
  onClose,
  title
}: ActionOptions & {
  readonly title: string
  readonly action: string
  /** What has to be typed. */
  readonly name: string
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly confirm: () => Promise<unknown>
  /** The consequences. */
  readonly children: ReactNode
}) => {
  // A name with hidden characters can also be typed as it is shown.
  const pattern = [...new Set([name, visible(name)])].map(exactly).join("|")
  const [typed, setTyped] = useState("")
  const close = () => {
    setTyped("")
    onClose()
  }
  return (
    <FormDialog
      title={title}
      action={action}
      kind="danger"
      isOpen={isOpen}
      onClose={close}
      submit={confirm}
      done={done}
      changes={changes}
    >
      {() => (
        <>
          {children}
          <Field
            label={`Type “${name}” to confirm`}
            required
            autoComplete="off"
            pattern={pattern}
            title={`Type ${name}`}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        </>
      )}
    </FormDialog>
  )
}
