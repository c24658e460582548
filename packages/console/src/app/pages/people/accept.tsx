/** Accepts an invitation. The token of an email's link is in the fragment, which is not sent to any server. */
import { NotFoundError } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useRouterState } from "@tanstack/react-router"
import { type FormEvent, useEffect, useState } from "react"
import { client, queries, showOrganization } from "../../api/client.ts"
import { Facts, Section } from "../../design/facts.tsx"
import { Shown } from "../../design/query.tsx"
import { Button, Failure, Field, Notice, PageHeader, Time } from "../../design/ui.tsx"
import { useParameters } from "../../parameters.ts"
import { isBuiltIn } from "./names.tsx"
import "./people.css"

/** The token in a link or in a text that someone has pasted. */
export const tokenOf = (text: string): string | undefined => /\bopi_[0-9A-Za-z]{16,200}\b/.exec(text)?.[0]

const Enter = ({ onToken }: { readonly onToken: (token: string) => void }) => {
  const [text, setText] = useState("")
  const [isWrong, setWrong] = useState(false)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const token = tokenOf(text)
    setWrong(token === undefined)
    if (token !== undefined) onToken(token)
  }
  return (
    <form className="stack people-form" onSubmit={submit}>
      <Field
        label="Invitation link"
        hint="Paste the link from the email, with everything after the # sign."
        required
        autoComplete="off"
        maxLength={2000}
        value={text}
        problem={isWrong ? "This is not an invitation link. It contains opi_ and 49 characters." : undefined}
        onChange={({ target }) => setText(target.value)}
      />
      <div className="row">
        <Button kind="primary" type="submit">
          Show the invitation
        </Button>
      </div>
    </form>
  )
}

const Preview = ({ onOther, token }: { readonly token: string; readonly onOther: () => void }) => {
  const navigate = useNavigate()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const me = useQuery({ queryKey: ["me"], queryFn: ({ signal }) => client.users.get({ signal }) })
  const preview = useQuery({
    // The token is not a part of the key, so that no list of queries contains it.
    queryKey: ["invitation-preview"],
    queryFn: ({ signal }) => client.invitations.preview({ token }, { signal }),
    gcTime: 0
  })
  const accept = async () => {
    setBusy(true)
    setError(undefined)
    try {
      const { organization } = await client.invitations.accept({ token })
      await showOrganization(organization.id)
      await navigate({ to: "/", replace: true })
    } catch (cause) {
      setError(cause)
      setBusy(false)
    }
  }
  const signOut = async () => {
    await client.sessions.revokeCurrent()
    // The link is needed again after the other sign-in.
    await navigate({ to: ".", hash: `invitation=${token}`, replace: true })
    await queries.resetQueries()
  }
  if (preview.error instanceof NotFoundError) {
    return (
      <Notice tone="bad" title="This invitation is not valid">
        <span>The link is incomplete, or it was used, canceled or has expired. Ask for a new one.</span>
        <div className="row">
          <Button onClick={onOther}>Use another link</Button>
        </div>
      </Notice>
    )
  }
  return (
    <Shown query={preview}>
      {({ email, expiresAt, organizationName, role }) => {
        const isOther = me.data !== undefined && me.data.email?.toLowerCase() !== email.toLowerCase()
        return (
          <Section title={`Join ${organizationName}`}>
            <Facts
              rows={[
                ["Organization", organizationName],
                ["Invited", email],
                ["Role", isBuiltIn(role) ? role : "a role of the organization"],
                ["Valid until", <Time key="until" at={expiresAt} />]
              ]}
            />
            {isOther && (
              <Notice tone="warn" title="This invitation is for another email address">
                <span className="people-long">
                  You are signed in{me.data.email === null ? " without an email address" : ` as ${me.data.email}`}. Sign
                  in as {email} to accept it.
                </span>
                <div className="row">
                  <Button onClick={() => void signOut()}>Sign in with another address</Button>
                </div>
              </Notice>
            )}
            {error !== undefined && <Failure error={error} />}
            <div className="row">
              <Button kind="primary" disabled={isBusy || isOther} onClick={() => void accept()}>
                Accept the invitation
              </Button>
              <Button kind="quiet" onClick={onOther}>
                Use another link
              </Button>
            </div>
          </Section>
        )
      }}
    </Shown>
  )
}

export const Page = () => {
  const hash = useRouterState({ select: ({ location }) => location.hash })
  const parameters = useParameters()
  const [token, setToken] = useState(() => tokenOf(`${hash} ${parameters["token"] ?? ""}`))
  const navigate = useNavigate()
  useEffect(() => {
    // The token is not kept in the address and in the history of the browser.
    if (tokenOf(location.href) !== undefined) void navigate({ to: ".", search: {}, hash: "", replace: true })
  }, [navigate])
  useEffect(() => () => queries.removeQueries({ queryKey: ["invitation-preview"] }), [token])
  return (
    <>
      <PageHeader title="Accept an invitation" />
      {token === undefined ? (
        <Enter onToken={setToken} />
      ) : (
        <Preview key={token} token={token} onOther={() => setToken(undefined)} />
      )}
    </>
  )
}
