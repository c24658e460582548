/** Where the identity provider of an organization sends people back. */
import { useEffect, useState } from "react"
import { basePath } from "../api/client.ts"
import { Button, Failure, Notice } from "../design/ui.tsx"
import { completeSso, type SsoReturn } from "../shell/sign-in-flow.ts"
import { Plain } from "./sign-in.tsx"

/** What helps against the reasons that people can meet. Administrators find all of them in the documentation. */
const explanations: Readonly<Record<string, string>> = {
  access_denied: "Your identity provider denied access. Ask its administrator to assign orgplane to you.",
  connection_disabled: "Single sign-on was disabled, or changed since you started. Sign in again.",
  domain_not_verified: "Your email address is not in a domain that your organization has verified.",
  email_not_verified: "Your identity provider reports that your email address is not verified.",
  expired: "The sign-in took too long. Sign in again.",
  not_a_member: "You are not a member of the organization yet. Ask an administrator for an invitation.",
  person_mismatch: "Your account at the identity provider belongs to another user. Ask an administrator.",
  provider_unreachable: "The identity provider did not respond. Try again later."
}

// The code can be used once, also if the page is rendered twice.
let completed: Promise<SsoReturn> | undefined

const goTo = (page: string) => location.replace(page)

export const SignInReturn = () => {
  const [result, setResult] = useState<SsoReturn>()
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    completed ??= completeSso(location.search)
    void completed.then((ended) => {
      if (ended.kind === "signed-in" && ended.isWindow) window.close()
      if (ended.kind === "signed-in" && !ended.isWindow) goTo(ended.page)
      else setResult(ended)
    }, setError)
  }, [])

  const again = (page = `${basePath}/`) => <Button onClick={() => goTo(page)}>Sign in again</Button>
  if (error !== undefined) {
    return (
      <Plain title="Not signed in">
        <Failure error={error} />
        {again()}
      </Plain>
    )
  }
  switch (result?.kind) {
    case "signed-in":
      return (
        <Plain title="You are signed in">
          <p>Close this window, and continue where you were.</p>
        </Plain>
      )
    case "refused":
      return (
        <Plain title="Not signed in">
          <Notice title={explanations[result.code] ?? "The sign-in failed"} tone="bad">
            <span>
              An administrator of your organization may need this code: <code>{result.code.slice(0, 64)}</code>
            </span>
          </Notice>
          {again(result.page)}
        </Plain>
      )
    case "unknown":
      return (
        <Plain title="Not signed in">
          <p>This sign-in was started in another tab, or it was completed before.</p>
          {again()}
        </Plain>
      )
    case undefined:
      return (
        <Plain title="Signing in">
          <p role="status">One moment…</p>
        </Plain>
      )
  }
}
