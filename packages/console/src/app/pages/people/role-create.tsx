/** Creates a role, or a copy of one. */
import type { Permission, Role } from "@orgplane/client"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { FormDialog } from "../../design/action.tsx"
import { SelectField, TextArea } from "../../design/fields.tsx"
import { Shown } from "../../design/query.tsx"
import { Field } from "../../design/ui.tsx"
import { inOrder, PermissionPicker, useCallerPermissions, usePermissions } from "./permissions.tsx"

const templates = [
  ["none", "No permissions"],
  ["member", "The permissions of member"],
  ["admin", "The permissions of admin"]
] as const

export const CreateRole = ({ from, onClose }: { readonly onClose: () => void; readonly from?: Role }) => {
  const navigate = useNavigate()
  const permissions = usePermissions()
  const entries = permissions.data?.permissions ?? []
  const own = useCallerPermissions()
  const [name, setName] = useState(from === undefined ? "" : `Copy of ${from.name}`.slice(0, 120))
  const [description, setDescription] = useState(from?.description ?? "")
  const [chosen, setChosen] = useState<ReadonlySet<Permission>>(new Set(from?.permissions))
  const start = (template: string) =>
    setChosen(
      new Set(
        entries
          .filter(({ roles }) => roles.some((role) => role === template))
          .map(({ permission }) => permission)
          .filter((permission) => own === undefined || own.includes(permission))
      )
    )
  return (
    <FormDialog
      title={from === undefined ? "Create a role" : `Copy ${from.name}`}
      description="You can give only permissions that you have yourself."
      action="Create the role"
      isOpen
      onClose={onClose}
      submit={async () => {
        const role = await client.roles.create({
          name: name.trim(),
          description: description.trim() === "" ? null : description.trim(),
          permissions: inOrder(entries, chosen)
        })
        await navigate({ to: `/roles/${role.id}` })
      }}
      done="The role was created."
      changes={["roles"]}
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
            rows={2}
            maxLength={2000}
            value={description}
            problem={problem("description")}
            onChange={({ target }) => setDescription(target.value)}
          />
          {from === undefined && (
            <SelectField
              label="Start with"
              options={templates}
              defaultValue="none"
              onChange={({ target }) => start(target.value)}
            />
          )}
          <Shown query={permissions} lines={8}>
            {() => <PermissionPicker entries={entries} chosen={chosen} onChange={setChosen} />}
          </Shown>
        </>
      )}
    </FormDialog>
  )
}
