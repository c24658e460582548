/** Signing in with a code that is sent by email, or through the identity provider of an organization. */
import { InvalidRequestError } from "@orgplane/client"
import { type FormEvent, useState } from "react"
import { client, queries } from "../api/client.ts"
import { Button, Failure, Field } from "../design/ui.tsx"

export const SignIn = () => {
  const [email, setEmail] = useState("")
  const [challenge, setChallenge] = useState<string>()
  const [code, setCode] = useState("")
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()

  const attempt = async (work: () => Promise<void>) => {
    setBusy(true)
    setError(undefined)
    await work().catch(setError)
    setBusy(false)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void attempt(async () => {
      if (challenge === undefined) {
        setChallenge((await client.sessions.startEmail({ email })).challengeId)
        return
      }
      await client.sessions.verifyEmail({ challengeId: challenge, code: code.trim() })
      await queries.resetQueries()
    })
  }
  const details = error instanceof InvalidRequestError ? error.details : []
  const problemOf = (name: string) => details.find(({ path }) => path.includes(name))?.message
  const isOwn = problemOf("email") !== undefined || problemOf("code") !== undefined

  return (
    <div className="sign-in">
      <main>
        <h1>Sign in to orgplane</h1>
        <form className="stack" onSubmit={submit}>
          {challenge === undefined ? (
            <Field
              label="Email address"
              type="email"
              autoComplete="email"
              required
              autoFocus
              value={email}
              onChange={(event) => setEmail(event.target.value)}
              problem={problemOf("email")}
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
              problem={problemOf("code")}
            />
          )}
          {error !== undefined && !isOwn && <Failure error={error} />}
          <Button kind="primary" type="submit" disabled={isBusy}>
            {challenge === undefined ? "Send a code" : "Sign in"}
          </Button>
          {challenge !== undefined && (
            <Button
              kind="quiet"
              onClick={() => {
                setChallenge(undefined)
                setCode("")
                setError(undefined)
              }}
            >
              Use another email address
            </Button>
          )}
        </form>
      </main>
    </div>
  )
}
