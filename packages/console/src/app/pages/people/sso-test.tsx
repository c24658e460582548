/** A live test: the person signs in at the provider, and the page shows the result as soon as it is known. */
import { OrgplaneError, type SsoConnection, type SsoRefusal } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { client, queries } from "../../api/client.ts"
import { Facts } from "../../design/facts.tsx"
import { readVersioned } from "../../design/form-version.ts"
import { isWebPage } from "../../design/text.ts"
import { Button, Failure, Notice, Time } from "../../design/ui.tsx"
import { Name } from "../../objects/names.tsx"

export const refusals: Readonly<Record<SsoRefusal, string>> = {
  access_denied: "The provider denied access. Check that the application is assigned to the user.",
  provider_unreachable: "The provider did not respond, or returned an error.",
  provider_invalid: "The provider's discovery document or keys are invalid.",
  code_refused: "The provider rejected the authorization code. Check the client secret.",
  token_invalid: "The ID token cannot be read, or no published key verifies it.",
  nonce_mismatch: "The response is for another sign-in. Start the test again.",
  issuer_mismatch: "The response is from another issuer. Compare the issuer or the entity ID with the provider's.",
  audience_mismatch:
    "The response is for another client. Compare the client ID, or the identifier at the provider, with step 2.",
  not_yet_valid: "The clocks differ by more than one minute. Compare them.",
  expired: "The clocks differ by more than one minute, or the sign-in took too long.",
  signature_missing: "Configure the provider to sign the assertion.",
  signature_invalid:
    "The certificate is not configured, the signature uses SHA-1, or the response was modified in transit.",
  destination_mismatch: "Compare the reply URL at the provider with the ACS URL in step 2.",
  response_unsolicited: "The sign-in started at the identity provider, or belongs to another sign-in.",
  response_replayed: "The assertion was already used. Start the test again.",
  response_invalid: "The response is not SAML, exceeds a limit, has several assertions, or lacks a required part.",
  assertion_encrypted: "Turn off the encryption of assertions at the provider.",
  subject_missing: "The response has no subject. Check NameID.",
  email_missing: "Add the scope or the attribute with the email address to the application.",
  email_not_verified: "The provider marks the email address as unverified.",
  domain_not_verified: "Verify the domain of the email address in step 1.",
  not_a_member: "The person is not a member. Invite them, or let people join when they sign in, in step 3.",
  person_mismatch:
    "The email address belongs to a member with another account at the provider. Remove that member to let this person join.",
  connection_disabled: "Single sign-on is disabled, or its settings changed after the sign-in started."
}

const isRefusal = (text: unknown): text is SsoRefusal => typeof text === "string" && text in refusals

/** What the server found at the provider, if the provider is the reason of a failure. */
const refusalOf = (error: unknown): SsoRefusal | undefined => {
  if (!(error instanceof OrgplaneError) || error.code !== "sso_provider_failed") return undefined
  const { body } = error
  return typeof body === "object" && body !== null && "code" in body && isRefusal(body.code) ? body.code : undefined
}

export const ProviderFailure = ({ error }: { readonly error: unknown }) => {
  const refusal = refusalOf(error)
  if (refusal === undefined) return <Failure error={error} />
  return (
    <Notice tone="bad" title={`The identity provider cannot be used: ${refusal}`}>
      <span>{refusals[refusal]}</span>
    </Notice>
  )
}

/** How often the result is read while a test runs. */
const pollMilliseconds = 2000

const Result = ({ connection: { lastTest } }: { readonly connection: SsoConnection }) => {
  if (lastTest === null) return <p className="muted">The current settings are not tested yet.</p>
  const { at, by, code, email, ok, subject } = lastTest
  return (
    <Notice
      tone={ok ? "good" : "bad"}
      title={ok ? "The last test passed" : `The last test failed: ${code ?? "unknown"}`}
    >
      {code !== null && <span>{refusals[code]}</span>}
      <Facts
        rows={[
          ["When", <Time key="at" at={at} />],
          ["By", <Name kind="member" key="by" id={by} />],
          ["Email address", email],
          ["Subject", subject]
        ]}
      />
    </Notice>
  )
}

interface Running {
  readonly url: string
  readonly expiresAt: string
  /** The time of the last test before this one. */
  readonly before: string | null
}

const Waiting = ({ onEnd, running }: { readonly running: Running; readonly onEnd: () => void }) => {
  const poll = useQuery({
    queryKey: ["sso", "test", running.url],
    queryFn: async ({ signal }) => {
      const current = await readVersioned(client.sso.get({ signal }))
      const { lastTest } = current.item
      const isOver = Date.parse(running.expiresAt) < Date.now() || (lastTest?.at ?? null) !== running.before
      if (isOver) {
        queries.setQueryData(["sso"], current)
        onEnd()
      }
      return isOver
    },
    refetchInterval: ({ state }) => (state.data === true ? false : pollMilliseconds),
    staleTime: 0
  })
  return (
    <Notice title="The test is waiting for your sign-in">
      <span>
        It creates no session. This page shows the result. The test ends <Time at={running.expiresAt} />.
      </span>
      {poll.isError && <Failure error={poll.error} />}
      <div className="row">
        {isWebPage(running.url) && (
          <a className="button" data-kind="primary" href={running.url} target="_blank" rel="noopener noreferrer">
            Sign in at the provider (opens a new tab)
          </a>
        )}
        <Button kind="quiet" onClick={onEnd}>
          Stop waiting
        </Button>
      </div>
    </Notice>
  )
}

export const TestSso = ({ connection }: { readonly connection: SsoConnection | null }) => {
  const [running, setRunning] = useState<Running>()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  if (connection === null) return <p className="muted">Connect your identity provider first.</p>
  const start = async () => {
    setBusy(true)
    setError(undefined)
    try {
      const { expiresAt, url } = await client.sso.test({})
      setRunning({ url, expiresAt, before: connection.lastTest?.at ?? null })
    } catch (cause) {
      setError(cause)
    }
    setBusy(false)
  }
  return (
    <>
      <p className="muted">
        You sign in at the provider as yourself. The test makes the same checks as a real sign-in, including the domain
        and the membership.
      </p>
      {running === undefined ? (
        <>
          <Result connection={connection} />
          {error !== undefined && <ProviderFailure error={error} />}
          <div className="row">
            <Button
              permission="sso:write"
              kind={connection.lastTest?.ok === true ? "plain" : "primary"}
              disabled={isBusy}
              onClick={() => void start()}
            >
              {connection.lastTest === null ? "Start a test" : "Test again"}
            </Button>
          </div>
        </>
      ) : (
        <Waiting running={running} onEnd={() => setRunning(undefined)} />
      )}
    </>
  )
}
