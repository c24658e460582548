/** Invites one person, by email or with a link that is shown once. */
import { useState } from "react"
import { client } from "../../api/client.ts"
import { FormDialog } from "../../design/action.tsx"
import { Checkbox, SelectField } from "../../design/fields.tsx"
import { SecretDialog } from "../../design/secret.tsx"
import { Field } from "../../design/ui.tsx"
import { roleOptions, useCustomRoles, useOwnMembership, useTeams } from "./choices.tsx"

const initial = { email: "", role: "member", teamIds: new Set<string>() as ReadonlySet<string>, isSent: true }

export const InviteDialog = ({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) => {
  const roles = useCustomRoles()
  const teams = useTeams()
  const isOwner = useOwnMembership()?.role === "owner"
  const [{ email, isSent, role, teamIds }, setInput] = useState(initial)
  const [link, setLink] = useState<string>()
  const set = (changes: Partial<typeof initial>) => setInput((input) => ({ ...input, ...changes }))
  const submit = async () => {
    const input = { email: email.trim(), role, send: isSent, ...(teamIds.size === 0 ? {} : { teamIds: [...teamIds] }) }
    const invited = await client.invitations.create(input)
    setInput(initial)
    setLink(invited.link?.url)
  }
  const toggle = (id: string, isIn: boolean) =>
    set({ teamIds: new Set(isIn ? [...teamIds, id] : [...teamIds].filter((each) => each !== id)) })
  return (
    <>
      <FormDialog
        title="Invite a person"
        description="They join when they accept the invitation with this email address. It is valid for seven days. Inviting the same address again replaces the earlier link."
        action={isSent ? "Send the invitation" : "Create the link"}
        isOpen={isOpen}
        onClose={onClose}
        submit={submit}
        done={isSent ? `An invitation was sent to ${email.trim()}.` : "The invitation was created."}
        changes={["invitations"]}
        fields={["email", "role"]}
      >
        {(problem) => (
          <>
            <Field
              label="Email address"
              type="email"
              required
              autoComplete="off"
              maxLength={254}
              value={email}
              problem={problem("email")}
              onChange={({ target }) => set({ email: target.value })}
            />
            <SelectField
              label="Role"
              options={roleOptions(roles, isOwner)}
              value={role}
              problem={problem("role")}
              onChange={({ target }) => set({ role: target.value })}
            />
            {teams.length > 0 && (
              <fieldset>
                <legend>Teams (optional)</legend>
                <div className="people-choices">
                  {teams.map(({ id, name }) => (
                    <Checkbox key={id} label={name} isChecked={teamIds.has(id)} onChange={(isIn) => toggle(id, isIn)} />
                  ))}
                </div>
              </fieldset>
            )}
            <Checkbox
              label="Send the invitation by email"
              hint="Otherwise you get a link that you send yourself. This needs the permission invitations:link."
              isChecked={isSent}
              onChange={(checked) => set({ isSent: checked })}
            />
          </>
        )}
      </FormDialog>
      <SecretDialog
        title="Invitation link"
        label="Link"
        hint="Send it to the person whom you invited. It is valid for seven days, can be used once, and is not shown again."
        secret={link}
        onClose={() => setLink(undefined)}
      />
    </>
  )
}
