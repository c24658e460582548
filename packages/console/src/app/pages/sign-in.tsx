/** Signing in with a code that is sent by email, through the identity provider of an organization, or with a token. */
import { InvalidRequestError } from "@orgplane/client"
import { type FormEvent, type ReactNode, useEffect, useState } from "react"
import { signInClient, statusOf } from "../api/client.ts"
import { announceSignIn } from "../api/session-state.ts"
import { Button, Failure, Field, Notice } from "../design/ui.tsx"
import {
  type LinkCredential,
  signInWithLink,
  signInWithToken,
  takeCredential,
  type SsoStart,
  SsoUnavailable,
  startSso
} from "../shell/sign-in-flow.ts"

/** The frame of a page without navigation. */
export const Plain = ({ children, title }: { readonly title: string; readonly children: ReactNode }) => {
  useEffect(() => {
    document.title = `${title} – orgplane`
  }, [title])
  return (
    <div className="sign-in">
      <main>
        <h1>{title}</h1>
        {children}
      </main>
    </div>
  )
}

/** Runs one attempt at a time, and keeps its error. */
const useAttempt = () => {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const attempt = async (work: () => Promise<void>) => {
    setBusy(true)
    setError(undefined)
    await work().catch(setError)
    setBusy(false)
  }
  return { attempt, error, isBusy, setError }
}

const problemOf = (error: unknown, name: string): string | undefined =>
  error instanceof InvalidRequestError ? error.details.find(({ path }) => path.includes(name))?.message : undefined

const SignInFailure = ({ error, isSso }: { readonly error: unknown; readonly isSso: boolean }) => {
  if (error === undefined) return null
  if (error instanceof SsoUnavailable) {
    return (
      <Notice title="No single sign-on at this address" tone="bad">
        <span>{error.message}</span>
      </Notice>
    )
  }
  if (isSso && statusOf(error) === 404) {
    return (
      <Notice title="No single sign-on" tone="bad">
        <span>No organization uses single sign-on for this address. Use an email code.</span>
      </Notice>
    )
  }
  return <Failure error={error} />
}

interface SignInProps {
  /** The address of the person, if it is known. */
  readonly email?: string | undefined
  readonly onSignedIn: () => Promise<void>
  readonly onSso: (start: SsoStart) => Promise<void>
}

type Step = { readonly kind: "email" | "token" } | { readonly kind: "code"; readonly challengeId: string }

const TokenForm = ({
  onBack,
  onSignedIn
}: {
  readonly onBack: () => void
  readonly onSignedIn: () => Promise<void>
}) => {
  const [token, setToken] = useState("")
  const [isWrong, setWrong] = useState(false)
  const { attempt, error, isBusy } = useAttempt()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void attempt(async () => {
      const isRight = await signInWithToken(token.trim())
      setWrong(!isRight)
      if (isRight) await onSignedIn()
    })
  }
  return (
    <form className="stack" onSubmit={submit}>
      <Field
        label="Session token"
        hint="Starts with ops_. The server keeps it in a cookie that only the console can use."
        type="password"
        autoComplete="off"
        required
        autoFocus
        maxLength={256}
        value={token}
        onChange={(event) => setToken(event.target.value)}
        problem={isWrong ? "This is not a valid session token. It may have expired." : undefined}
      />
      <SignInFailure error={error} isSso={false} />
      <Button kind="primary" type="submit" disabled={isBusy}>
        Sign in
      </Button>
      <Button kind="quiet" onClick={onBack}>
        Use another way
      </Button>
    </form>
  )
}

/** The form, for the page and for the dialog over a page whose session has ended. */
export const SignInForm = ({ email: knownEmail = "", onSignedIn, onSso }: SignInProps) => {
  const [email, setEmail] = useState(knownEmail)
  const [step, setStep] = useState<Step>({ kind: "email" })
  const [code, setCode] = useState("")
  const [isSso, setSso] = useState(false)
  const { attempt, error, isBusy, setError } = useAttempt()

  const restart = () => {
    setStep({ kind: "email" })
    setCode("")
    setError(undefined)
  }
  if (step.kind === "token") return <TokenForm onBack={restart} onSignedIn={onSignedIn} />

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const { submitter } = event.nativeEvent as SubmitEvent
    const wantsSso = submitter instanceof HTMLButtonElement && submitter.value === "sso"
    setSso(wantsSso)
    void attempt(async () => {
      if (step.kind === "code") {
        await signInClient.sessions.verifyEmail({ challengeId: step.challengeId, code: code.trim() })
        announceSignIn()
        await onSignedIn()
      } else if (wantsSso) {
        await onSso({ email })
      } else {
        const { challengeId } = await signInClient.sessions.startEmail({ email })
        setStep({ kind: "code", challengeId })
      }
    })
  }
  const [emailProblem, codeProblem] = [problemOf(error, "email"), problemOf(error, "code")]
  const isShown = emailProblem !== undefined || codeProblem !== undefined
  return (
    <form className="stack" onSubmit={submit}>
      {step.kind === "email" ? (
        <Field
          label="Email address"
          type="email"
          autoComplete="email"
          required
          autoFocus
          maxLength={254}
          value={email}
          onChange={(event) => setEmail(event.target.value)}
          problem={emailProblem}
        />
      ) : (
        <Field
          key="code"
          label="Code"
          hint={`Sent to ${email}. It is valid for ten minutes.`}
          autoComplete="one-time-code"
          required
          autoFocus
          maxLength={32}
          value={code}
          onChange={(event) => setCode(event.target.value)}
          problem={codeProblem === undefined ? undefined : `The code ${codeProblem}.`}
        />
      )}
      {!isShown && <SignInFailure error={error} isSso={isSso} />}
      <Button kind="primary" type="submit" disabled={isBusy}>
        {step.kind === "email" ? "Send a code" : "Sign in"}
      </Button>
      {step.kind === "email" ? (
        <>
          <Button type="submit" value="sso" disabled={isBusy}>
            Use single sign-on
          </Button>
          <Button kind="quiet" onClick={() => setStep({ kind: "token" })}>
            Use a session token
          </Button>
        </>
      ) : (
        <Button kind="quiet" onClick={restart}>
          Use another email address
        </Button>
      )}
    </form>
  )
}

/** The sign-in of one organization, which its people open from their identity provider or from another page. */
const OrganizationSignIn = ({
  onOther,
  onSso,
  startsAtOnce
}: {
  readonly onOther: () => void
  readonly onSso: () => Promise<void>
  readonly startsAtOnce: boolean
}) => {
  const { attempt, error, isBusy } = useAttempt()
  useEffect(() => {
    if (startsAtOnce) void attempt(onSso)
    // Only when the page opens.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [])
  return (
    <div className="stack">
      <p>Your organization signs you in through its identity provider.</p>
      <SignInFailure error={error} isSso />
      <Button kind="primary" disabled={isBusy} onClick={() => void attempt(onSso)}>
        Continue with single sign-on
      </Button>
      <Button kind="quiet" onClick={onOther}>
        Use another way
      </Button>
    </div>
  )
}

/** Asks before it signs in with what a link contains: the link may come from an attacker. */
const LinkSignIn = ({
  credential,
  onOther,
  onSignedIn
}: {
  readonly credential: LinkCredential
  readonly onOther: () => void
  readonly onSignedIn: () => Promise<void>
}) => {
  const [isWrong, setWrong] = useState(false)
  const { attempt, error, isBusy } = useAttempt()
  const signIn = async () => {
    if (await signInWithLink(credential)) return onSignedIn()
    setWrong(true)
  }
  return (
    <div className="stack">
      <p>
        {credential.kind === "token"
          ? "The link that you opened contains a session token. Continue only if you trust where the link comes from."
          : "The link in the email signs you in. Continue only if you asked for it."}
      </p>
      {isWrong && (
        <Notice title="The link is not valid" tone="bad">
          <span>It may have been used, have expired, or belong to another server.</span>
        </Notice>
      )}
      <SignInFailure error={error} isSso={false} />
      <Button kind="primary" disabled={isBusy} onClick={() => void attempt(signIn)}>
        Sign in with the link
      </Button>
      <Button kind="quiet" onClick={onOther}>
        Use another way
      </Button>
    </div>
  )
}

/** The page for people who are not signed in. It keeps the address of the page that they opened. */
export const SignIn = ({
  isWindow,
  onSignedIn,
  page
}: {
  readonly onSignedIn: () => Promise<void>
  /** The page to show afterwards, as a path. */
  readonly page: string
  /** Whether another page waits for this window. */
  readonly isWindow: boolean
}) => {
  const parameters = new URLSearchParams(location.search)
  const isSignInPage = location.pathname.endsWith("/sign-in")
  const [organizationId, email] = ["organizationId", "email"].map((name) =>
    isSignInPage ? (parameters.get(name) ?? undefined) : undefined
  )
  // A window that was opened for single sign-on starts at once.
  const start: SsoStart | undefined =
    organizationId !== undefined ? { organizationId } : isWindow && email !== undefined ? { email } : undefined
  const [credential] = useState(takeCredential)
  const [isOther, setOther] = useState(false)
  const onOther = () => setOther(true)
  const onSso = (selected: SsoStart) => startSso(selected, page, isWindow)
  return (
    <Plain title="Sign in to orgplane">
      {credential !== undefined && !isOther ? (
        <LinkSignIn credential={credential} onOther={onOther} onSignedIn={onSignedIn} />
      ) : start !== undefined && !isOther ? (
        <OrganizationSignIn startsAtOnce={isWindow} onOther={onOther} onSso={() => onSso(start)} />
      ) : (
        <SignInForm email={email} onSignedIn={onSignedIn} onSso={onSso} />
      )}
    </Plain>
  )
}
