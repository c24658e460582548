/** A SCIM directory: setup, groups and roles, deactivations that wait for a decision, and the live log. */
import type { ScimDirectory } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { reload } from "../../design/action.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { Facts, Section } from "../../design/facts.tsx"
import { SelectField } from "../../design/fields.tsx"
import { Tabs } from "../../design/tabs.tsx"
import { plural } from "../../design/text.ts"
import { notify } from "../../design/toast.tsx"
import { Badge, Button, Notice, PageHeader, Time } from "../../design/ui.tsx"
import { usePathParameter } from "../../parameters.ts"
import { Groups } from "./scim-groups.tsx"
import { Holds } from "./scim-holds.tsx"
import { Log } from "./scim-log.tsx"
import { Setup } from "./scim-setup.tsx"
import { providers } from "./scim.tsx"
import { TypedConfirm } from "./typed-confirm.tsx"
import { PageShown } from "./page-shown.tsx"
import "./people.css"

interface PartProps {
  readonly directory: ScimDirectory
}

/** The page shows the first requests as they arrive. */
const refetchMilliseconds = 5000

const Reconcile = ({ directory }: PartProps) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button permission="scim:manage" onClick={() => setOpen(true)}>
        Reconcile
      </Button>
      <Confirm
        title="Reconcile the directory"
        action="Reconcile"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        confirm={async () => {
          const result = await client.scim.reconcile(directory.id)
          const changed =
            result.linked + result.ended + result.teamMembersAdded + result.teamMembersRemoved + result.rolesChanged
          notify(
            changed === 0
              ? `Nothing differed. ${plural(result.unlinked, "active user")} without a verified domain.`
              : `${result.linked} linked, ${result.ended} ended, ${result.teamMembersAdded + result.teamMembersRemoved} changes of teams, ${result.rolesChanged} changes of roles.`
          )
          await reload(["scim", "members", "teams"])
        }}
      >
        <ul className="people-consequences">
          <li>Members, teams and roles are set to what the directory sent last.</li>
          <li>People whose domain was verified since are linked. Memberships of inactive users end.</li>
          <li>Deactivations that are pending approval do not change.</li>
        </ul>
      </Confirm>
    </>
  )
}

const Remove = ({ directory }: PartProps) => {
  const [isOpen, setOpen] = useState(false)
  const [members, setMembers] = useState<"keep" | "end">("keep")
  const navigate = useNavigate()
  return (
    <>
      <Button permission="scim:manage" kind="danger" onClick={() => setOpen(true)}>
        Remove
      </Button>
      <TypedConfirm
        title={`Remove ${directory.name}`}
        action="Remove the directory"
        name={directory.name}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        done="The directory was removed."
        changes={["scim", "members", "teams"]}
        confirm={async () => {
          await client.scim.removeDirectory(directory.id, { members })
          await navigate({ to: "/scim" })
        }}
      >
        <SelectField
          label={`The ${plural(directory.users.active, "member")} that it provisioned`}
          options={[
            ["keep", "stay in the organization"],
            ["end", "are removed from the organization"]
          ]}
          value={members}
          onChange={({ target }) => setMembers(target.value === "end" ? "end" : "keep")}
        />
        <Notice tone={members === "end" ? "bad" : "warn"} title="What changes at once">
          <ul className="people-consequences">
            <li>Its {plural(directory.tokens.length, "token")} stop working.</li>
            <li>Its {plural(directory.groups, "group")} become regular teams.</li>
            {members === "end" ? (
              <li>
                {plural(directory.users.active, "member")} lose access, with their sessions and grants. The last owner
                is kept; other owners only go if you are an owner.
              </li>
            ) : (
              <li>Members keep the roles that the groups assigned, and can then be changed here.</li>
            )}
          </ul>
        </Notice>
      </TypedConfirm>
    </>
  )
}

const About = ({ directory }: PartProps) => (
  <Section title="Directory">
    <Facts
      rows={[
        ["Provider", providers[directory.provider]],
        ["Users", `${plural(directory.users.active, "active user")}, ${directory.users.inactive} inactive`],
        ["Groups", directory.groups],
        ["Created", <Time key="created" at={directory.createdAt} />],
        ["ID", <code key="id">{directory.id}</code>]
      ]}
    />
  </Section>
)

const tabsOf = (directory: ScimDirectory) => [
  {
    value: "setup",
    label: "Setup",
    content: () => (
      <div className="stack">
        <Setup directory={directory} />
        <About directory={directory} />
      </div>
    )
  },
  { value: "groups", label: "Groups and roles", content: () => <Groups directoryId={directory.id} /> },
  {
    value: "holds",
    label: <>Deactivations {directory.pendingHoldId !== null && <Badge tone="warn">1</Badge>}</>,
    content: () => <Holds directoryId={directory.id} />
  },
  { value: "log", label: "Log", content: () => <Log directoryId={directory.id} /> }
]

export const Page = () => {
  const id = usePathParameter("scimDirectoryId")
  const query = useQuery({
    queryKey: ["scim", id],
    queryFn: ({ signal }) => client.scim.getDirectory(id, { signal }),
    refetchInterval: refetchMilliseconds
  })
  return (
    <PageShown query={query} title="SCIM directory">
      {(directory) => (
        <>
          <PageHeader
            title={directory.name}
            description={`SCIM directory, ${providers[directory.provider]}`}
            actions={
              <>
                <Reconcile directory={directory} />
                <Remove directory={directory} />
              </>
            }
          />
          {directory.pendingHoldId !== null && (
            <div className="people-before">
              <Notice tone="warn" title="Deactivations wait for a decision">
                <Link to="." search={{ tab: "holds" }}>
                  Review them
                </Link>
              </Notice>
            </div>
          )}
          <Tabs tabs={tabsOf(directory)} />
        </>
      )}
    </PageShown>
  )
}
