/** The name and the description of a team or a role. */
import { FormDialog } from "../../design/action.tsx"
import { TextArea } from "../../design/fields.tsx"
import { useFormField, useFormVersion } from "../../design/form-version.ts"
import { Field } from "../../design/ui.tsx"

export interface Named {
  readonly name: string
  readonly description: string | null
}

export const TeamForm = ({
  action,
  changes = ["teams"],
  current = { name: "", description: null },
  done,
  hint,
  isOpen,
  onClose,
  save,
  title,
  version
}: {
  readonly title: string
  readonly action: string
  readonly done: string
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly current?: Named
  readonly changes?: ReadonlyArray<string>
  readonly hint?: string
  /** The current version; undefined if there is none yet. */
  readonly version?: string | undefined
  readonly save: (input: Named, options: { readonly ifMatch?: string }) => Promise<unknown>
}) => {
  const ifMatch = useFormVersion(version)
  const [name, setName] = useFormField(current.name)
  const [description, setDescription] = useFormField(current.description ?? "")
  return (
    <FormDialog
      title={title}
      {...(hint === undefined ? {} : { description: hint })}
      action={action}
      isOpen={isOpen}
      onClose={onClose}
      submit={() =>
        save(
          { name: name.trim(), description: description.trim() === "" ? null : description.trim() },
          ifMatch === undefined ? {} : { ifMatch }
        )
      }
      done={done}
      changes={changes}
      fields={["name", "description"]}
    >
      {(problem) => (
        <>
          <Field
            label="Name"
            required
            maxLength={120}
            value={name}
            problem={problem("name")}
            onChange={({ target }) => setName(target.value)}
          />
          <TextArea
            label="Description (optional)"
            rows={3}
            maxLength={2000}
            value={description}
            problem={problem("description")}
            onChange={({ target }) => setDescription(target.value)}
          />
        </>
      )}
    </FormDialog>
  )
}
