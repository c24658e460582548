/** Accepting an invitation, or claiming a workspace, with the link from an email or from an agent. */
import type { User } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { basePath, client, signInClient, statusOf, switchOrganization } from "../api/client.ts"
import { Button, Failure, Notice, Skeleton } from "../design/ui.tsx"
import { type JoinLink, takeJoinToken } from "../shell/sign-in-flow.ts"
import { Plain } from "./sign-in.tsx"

const previewOf = async (kind: JoinLink, token: string) => {
  if (kind === "invitation") return signInClient.invitations.preview({ token })
  return { ...(await signInClient.bootstrap.previewClaim({ token })), email: undefined }
}

const accept = async (kind: JoinLink, token: string) => {
  const { organization } =
    kind === "invitation" ? await client.invitations.accept({ token }) : await client.bootstrap.acceptClaim({ token })
  switchOrganization(organization.id)
  location.replace(`${basePath}/`)
}

const titles: Readonly<Record<JoinLink, string>> = { invitation: "Join an organization", claim: "Claim a workspace" }

export const Join = ({
  kind,
  signOut,
  user
}: {
  readonly kind: JoinLink
  readonly user: User
  readonly signOut: () => Promise<void>
}) => {
  const [token] = useState(takeJoinToken)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const preview = useQuery({
    queryKey: ["join", kind, token],
    queryFn: () => previewOf(kind, token ?? ""),
    enabled: token !== undefined
  })
  const run = async () => {
    setBusy(true)
    setError(undefined)
    await accept(kind, token ?? "").catch((cause: unknown) => {
      setError(cause)
      setBusy(false)
    })
  }
  const leave = () => {
    // The next person needs the link.
    location.hash = new URLSearchParams({ token: token ?? "" }).toString()
    void signOut()
  }
  const link = preview.data
  const isOther = link?.email !== undefined && link.email.toLowerCase() !== user.email?.toLowerCase()
  if (token === undefined || statusOf(preview.error) === 404) {
    return (
      <Plain title={titles[kind]}>
        <Notice title="The link is not valid" tone="bad">
          <span>It is incomplete, or it was used, canceled or has expired. Ask for a new one.</span>
        </Notice>
        <a className="button" href={`${basePath}/`}>
          Go to the console
        </a>
      </Plain>
    )
  }
  return (
    <Plain title={link === undefined ? titles[kind] : `Join ${link.organizationName}`}>
      {preview.isError ? (
        <Failure error={preview.error} retry={() => void preview.refetch()} />
      ) : link === undefined ? (
        <Skeleton height={64} />
      ) : isOther ? (
        <>
          <Notice title="The invitation is for another address" tone="warn">
            <span>
              It was sent to {link.email}, and you are signed in as {user.email ?? user.name ?? "another user"}.
            </span>
          </Notice>
          <Button kind="primary" onClick={leave}>
            Sign in with another address
          </Button>
        </>
      ) : (
        <>
          <p>
            You become a member with the role <strong>{link.role}</strong>, as {user.email ?? user.name ?? "yourself"}.
          </p>
          {error !== undefined && <Failure error={error} />}
          <Button kind="primary" disabled={isBusy} onClick={() => void run()}>
            Join
          </Button>
        </>
      )}
    </Plain>
  )
}
