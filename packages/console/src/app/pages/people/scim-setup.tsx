/** The setup of a SCIM directory, step by step, with what is done and what arrives from the identity provider. */
import type { ScimDirectory } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { type ReactNode, useState } from "react"
import { client } from "../../api/client.ts"
import { FormDialog, reload } from "../../design/action.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { SelectField } from "../../design/fields.tsx"
import { Shown } from "../../design/query.tsx"
import { CopyField, SecretDialog } from "../../design/secret.tsx"
import { plural } from "../../design/text.ts"
import { notify } from "../../design/toast.tsx"
import { Badge, Button, Notice, Time } from "../../design/ui.tsx"
import { decisionTones } from "./scim-log.tsx"
import { done, Step, type StepState, todo } from "./step.tsx"

interface PartProps {
  readonly directory: ScimDirectory
}

/** The page shows requests as they arrive. */
const refetchMilliseconds = 3000
const requestsShown = 3
/** Groups that are searched for those with a role. */
const groupsMax = 500

const graces = [
  ["0", "At once"],
  ["3600", "In an hour"],
  ["86400", "In a day"],
  ["604800", "In a week"],
  ["2592000", "In 30 days"]
] as const

const Rotate = ({ directory }: PartProps) => {
  const [isOpen, setOpen] = useState(false)
  const [grace, setGrace] = useState("86400")
  const [token, setToken] = useState<string>()
  return (
    <>
      <Button permission="scim:manage" onClick={() => setOpen(true)}>
        Create a token
      </Button>
      <FormDialog
        title={`New token of ${directory.name}`}
        description="At most five tokens are valid at the same time; beyond that, the oldest stops working at once."
        action="Create the token"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        submit={async () =>
          setToken((await client.scim.rotateToken(directory.id, { graceSeconds: Number(grace) })).token)
        }
        done="The token was created."
        changes={["scim"]}
        fields={["graceSeconds"]}
      >
        {(problem) => (
          <SelectField
            label="Earlier tokens stop working"
            hint="Enter the new token at the identity provider before that."
            options={graces}
            value={grace}
            problem={problem("graceSeconds")}
            onChange={({ target }) => setGrace(target.value)}
          />
        )}
      </FormDialog>
      <SecretDialog
        title="The new token"
        label="Token"
        hint="Enter it at your identity provider. It is not shown again."
        secret={token}
        onClose={() => setToken(undefined)}
      >
        <CopyField label="SCIM URL (base URL, tenant URL)" value={directory.baseUrl} />
      </SecretDialog>
    </>
  )
}

const RevokeToken = ({
  directory,
  tokenId
}: PartProps & {
  readonly tokenId: string
}) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button permission="scim:manage" kind="quiet" aria-label={`Revoke ${tokenId}`} onClick={() => setOpen(true)}>
        Revoke
      </Button>
      <Confirm
        title="Revoke the token"
        action="Revoke the token"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        confirm={async () => {
          await client.scim.revokeToken(directory.id, tokenId)
          notify("The token was revoked.")
          await reload(["scim"])
        }}
      >
        <p>
          Requests with this token are rejected immediately.
          {directory.tokens.length === 1 && " It is the only valid token: the directory no longer receives changes."}
        </p>
      </Confirm>
    </>
  )
}

const Tokens = ({ directory }: PartProps) =>
  directory.tokens.length === 0 ? (
    <Notice tone="bad" title="The directory has no valid token">
      <span>Requests are rejected until you create a token and enter it at the identity provider.</span>
    </Notice>
  ) : (
    <ul className="people-plain stack" aria-label="Tokens">
      {directory.tokens.map(({ createdAt, expiresAt, id, lastUsedAt }) => (
        <li key={id} className="row spread">
          <span>
            <code>{id}</code>
            <br />
            <span className="muted">
              created <Time at={createdAt} />, expires <Time at={expiresAt} />, last used <Time at={lastUsedAt} />
            </span>
          </span>
          <RevokeToken directory={directory} tokenId={id} />
        </li>
      ))}
    </ul>
  )

const TabLink = ({ children, tab }: { readonly tab: string; readonly children: ReactNode }) => (
  <Link to="." search={{ tab }}>
    {children}
  </Link>
)

const useLatestRequests = (directoryId: string) =>
  useQuery({
    queryKey: ["scim", directoryId, "latest"],
    queryFn: async ({ signal }) => (await client.scim.log(directoryId, { limit: requestsShown }, { signal })).items,
    refetchInterval: refetchMilliseconds
  })

const Test = ({ directory }: PartProps) => {
  const query = useLatestRequests(directory.id)
  return (
    <Shown query={query} lines={3}>
      {(entries) =>
        entries.length === 0 && directory.lastRequestAt === null ? (
          <Notice title="Waiting for the first request">
            <span>
              Start a test at the identity provider, such as "Test connection". The request appears here within seconds.
            </span>
          </Notice>
        ) : (
          <>
            <p>
              Last request <Time at={entries[0]?.createdAt ?? directory.lastRequestAt} />.{" "}
              <TabLink tab="log">All requests</TabLink>
            </p>
            <ul className="facts" aria-label="Latest requests">
              {entries.map(({ decision, detail, id, method, path }) => (
                <li key={id} className="row">
                  <Badge tone={decisionTones[decision]}>{decision}</Badge>
                  <code className="people-long">
                    {method} {path}
                  </code>
                  {detail !== null && <span className="muted people-long">{detail}</span>}
                </li>
              ))}
            </ul>
          </>
        )
      }
    </Shown>
  )
}

const useGroupsWithRole = ({ groups, id }: ScimDirectory) =>
  useQuery({
    // A group that arrives is counted.
    queryKey: ["scim", id, "group-roles", groups],
    queryFn: async ({ signal }) => {
      const all = await client.scim.listGroups(id, { limit: 100 }, { signal }).take(groupsMax)
      return all.filter(({ role }) => role !== null).length
    },
    enabled: groups > 0
  })

/** A refused request is a failure only if it is the latest one. */
const testState = (isConnected: boolean, latest: string | undefined): StepState => {
  if (!isConnected) return { text: "waiting", tone: "neutral" }
  return latest === "refused" ? { text: "refused", tone: "bad" } : done("connected")
}

const rolesState = ({ groups }: ScimDirectory, withRole: number | undefined): StepState => {
  if (groups === 0) return { text: "no groups yet", tone: "neutral" }
  return withRole === undefined || withRole === 0
    ? { text: "optional", tone: "neutral" }
    : done(`${plural(withRole, "group")} with a role`)
}

export const Setup = ({ directory }: PartProps) => {
  const withRole = useGroupsWithRole(directory)
  const latest = useLatestRequests(directory.id).data?.[0]
  const isConnected = directory.lastRequestAt !== null || latest !== undefined
  return (
    <ol className="people-steps" aria-label="Setup">
      <Step
        number={1}
        title="Create the directory and its token"
        state={directory.tokens.length > 0 ? done() : { text: "no valid token", tone: "bad" }}
        actions={<Rotate directory={directory} />}
      >
        <p className="muted">
          Verify the <Link to="/sso">domains</Link> of the email addresses first, so that users of the directory are
          linked to the people who sign in.
        </p>
        <Tokens directory={directory} />
      </Step>
      <Step
        number={2}
        title="Enter the URL and the token at your identity provider"
        state={isConnected ? done() : todo}
      >
        <CopyField label="SCIM URL (base URL, tenant URL)" value={directory.baseUrl} />
        <p className="muted">
          A token is shown only when it is created. If you no longer have it, create another one in step 1. Then assign
          people and groups to the application: people become members, and groups become teams.
        </p>
      </Step>
      <Step number={3} title="Test the connection" state={testState(isConnected, latest?.decision)}>
        <Test directory={directory} />
      </Step>
      <Step number={4} title="Map groups to roles" state={rolesState(directory, withRole.data)}>
        <p>
          {directory.groups === 0
            ? "The identity provider has sent no groups yet."
            : `The identity provider has sent ${plural(directory.groups, "group")}.`}{" "}
          New members get the role member unless a group assigns another one.{" "}
          <TabLink tab="groups">Groups and roles</TabLink>
        </p>
      </Step>
      <Step
        number={5}
        title="Review deactivations"
        state={directory.pendingHoldId === null ? done("none pending") : { text: "pending approval", tone: "warn" }}
      >
        <p>
          If the directory deactivates many people at once, the deactivations are pending approval, and the people keep
          their access until you approve them. <TabLink tab="holds">Deactivations</TabLink>
        </p>
      </Step>
    </ol>
  )
}
