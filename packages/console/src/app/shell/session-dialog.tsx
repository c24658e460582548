/** A dialog over the page when the session ends or does not suffice, so that nothing that was typed is lost. */
import type { User } from "@orgplane/client"
import { useEffect, useSyncExternalStore } from "react"
import { basePath, queries, selectedOrganization, signInClient } from "../api/client.ts"
import { currentProblem, onProblem, onSignInElsewhere, setProblem } from "../api/session-state.ts"
import { Dialog } from "../design/dialog.tsx"
import { Button } from "../design/ui.tsx"
import { SignInForm } from "../pages/sign-in.tsx"
import { hostSignInUrl, openSignInWindow, type SsoStart } from "./sign-in-flow.ts"

/** What the person does in the dialog, by what ended or restricts the session. */
export const SessionDialog = ({ user }: { readonly user: User }) => {
  const problem = useSyncExternalStore(onProblem, currentProblem)
  const hostUrl = hostSignInUrl()
  useEffect(() => {
    if (problem === undefined) return
    const resume = async () => {
      const current = await signInClient.users.get().catch(() => undefined)
      if (current === undefined) return
      // What was typed belongs to the person before.
      if (current.id !== user.id) return location.assign(`${basePath}/`)
      setProblem(undefined)
      await queries.invalidateQueries()
    }
    const stop = onSignInElsewhere(() => void resume())
    // The person may have signed in to the host application in another tab.
    const onFocus = () => void (problem === "ended" && resume())
    window.addEventListener("focus", onFocus)
    return () => {
      stop()
      window.removeEventListener("focus", onFocus)
    }
  }, [problem, user.id])

  const afterSignIn = async () => {
    const { id } = await signInClient.users.get()
    if (id !== user.id) return location.assign(`${basePath}/`)
    setProblem(undefined)
    await queries.invalidateQueries()
  }
  const organizationId = selectedOrganization()
  const openWindow = (start: SsoStart) => {
    openSignInWindow(organizationId === undefined ? start : { organizationId })
    return Promise.resolve()
  }
  const isSsoRequired = problem === "sso_required"
  return (
    <Dialog
      title={isSsoRequired ? "This organization requires single sign-on" : "Your session has ended"}
      description={
        isSsoRequired
          ? "Sign in through its identity provider to continue."
          : "Sign in again to continue. Nothing that you typed is lost."
      }
      isOpen={problem !== undefined}
      onClose={() => setProblem(undefined)}
    >
      {isSsoRequired ? (
        <Button kind="primary" onClick={() => void openWindow({ email: user.email ?? "" })}>
          Continue with single sign-on
        </Button>
      ) : hostUrl === undefined ? (
        <SignInForm email={user.email ?? undefined} onSignedIn={afterSignIn} onSso={openWindow} />
      ) : (
        <a className="button" data-kind="primary" href={hostUrl} target="_blank" rel="noopener">
          Sign in (opens a new tab)
        </a>
      )}
    </Dialog>
  )
}
