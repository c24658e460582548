/** Creates an API key, and shows its secret once. */
import type { Permission } from "@orgplane/client"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { FormDialog } from "../../design/action.tsx"
import { SelectField } from "../../design/fields.tsx"
import { Shown } from "../../design/query.tsx"
import { SecretDialog } from "../../design/secret.tsx"
import { Field, Notice } from "../../design/ui.tsx"
import { inOrder, PermissionPicker, usePermissions } from "./permissions.tsx"

const day = 86_400_000
export const expiries = [
  ["30", "In 30 days"],
  ["90", "In 90 days"],
  ["365", "In a year"],
  ["date", "On a date"],
  ["never", "Never"]
] as const

/** The end of the chosen day. */
export const expiryOf = (choice: string, date: string): string | null => {
  if (choice === "never") return null
  if (choice === "date") return new Date(`${date}T23:59:59`).toISOString()
  return new Date(Date.now() + Number(choice) * day).toISOString()
}

/** The date in the form of `<input type="date">`, in the zone of the browser. */
export const dateOf = (time: number): string => new Date(time).toLocaleDateString("sv-SE")

const initial = {
  name: "",
  chosen: new Set<Permission>() as ReadonlySet<Permission>,
  expiry: "90",
  date: "",
  requestsPerMinute: 1200
}

export const CreateApiKey = ({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) => {
  const permissions = usePermissions()
  const entries = permissions.data?.permissions ?? []
  const [{ chosen, date, expiry, name, requestsPerMinute }, setInput] = useState(initial)
  const [secret, setSecret] = useState<string>()
  const set = (changes: Partial<typeof initial>) => setInput((input) => ({ ...input, ...changes }))
  const submit = async () => {
    const { key } = await client.apiKeys.create({
      name: name.trim(),
      permissions: inOrder(entries, chosen),
      expiresAt: expiryOf(expiry, date),
      requestsPerMinute
    })
    setInput(initial)
    setSecret(key)
  }
  return (
    <>
      <FormDialog
        title="Create an API key"
        description="The key belongs to the organization. It can access what every member can access, and what it creates itself."
        action="Create the key"
        isOpen={isOpen}
        onClose={onClose}
        submit={submit}
        done="The API key was created."
        changes={["api-keys"]}
        fields={["name", "expiresAt", "requestsPerMinute"]}
      >
        {(problem) => (
          <>
            <Field
              label="Name"
              hint="For example the program that uses it."
              required
              maxLength={120}
              value={name}
              problem={problem("name")}
              onChange={({ target }) => set({ name: target.value })}
            />
            <div className="people-columns">
              <SelectField
                label="Expires"
                options={expiries}
                value={expiry}
                problem={problem("expiresAt")}
                onChange={({ target }) => set({ expiry: target.value })}
              />
              {expiry === "date" && (
                <Field
                  label="Date"
                  type="date"
                  required
                  min={dateOf(Date.now())}
                  value={date}
                  onChange={({ target }) => set({ date: target.value })}
                />
              )}
              <Field
                label="Requests per minute"
                type="number"
                required
                min={1}
                step={1}
                value={Number.isNaN(requestsPerMinute) ? "" : requestsPerMinute}
                problem={problem("requestsPerMinute")}
                onChange={({ target }) => set({ requestsPerMinute: target.valueAsNumber })}
              />
            </div>
            {expiry === "never" && (
              <Notice tone="warn" title="A key that never expires stays valid if it leaks">
                <span>Prefer a key that expires, and rotate it.</span>
              </Notice>
            )}
            <Shown query={permissions} lines={8}>
              {() => <PermissionPicker entries={entries} chosen={chosen} onChange={(next) => set({ chosen: next })} />}
            </Shown>
          </>
        )}
      </FormDialog>
      <SecretDialog
        title="Your new API key"
        label="API key"
        hint="Store it where the program reads it, such as a secret manager. It is not shown again."
        secret={secret}
        onClose={() => setSecret(undefined)}
      />
    </>
  )
}
