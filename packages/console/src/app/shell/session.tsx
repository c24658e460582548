/**
 * The session of the person: the sign-in page before the pages of the console, and a dialog over them when the session
 * ends, so that nothing that was typed is lost.
 */
import type { User } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { type ReactNode, useEffect, useState, useSyncExternalStore } from "react"
import {
  basePath,
  queries,
  selectedOrganization,
  showOrganization,
  signInClient,
  statusOf,
  switchOrganization
} from "../api/client.ts"
import { me } from "../api/permissions.ts"
import {
  currentProblem,
  onProblem,
  onSignInElsewhere,
  onSignOutElsewhere,
  rememberSignedIn,
  setProblem,
  wasSignedIn
} from "../api/session-state.ts"
import { useLater } from "../design/later.ts"
import { notify } from "../design/toast.tsx"
import { Failure } from "../design/ui.tsx"
import { Join } from "../pages/join.tsx"
import { SignInReturn } from "../pages/sign-in-return.tsx"
import { Plain, SignIn } from "../pages/sign-in.tsx"
import { hostSignInUrl, isSignInWindow, joinLinkOf, keepFragment, returnPath, signInPath } from "./sign-in-flow.ts"

/** The page to show after the sign-in. */
const openedPage = () =>
  location.pathname === signInPath ? `${basePath}/` : location.pathname + location.search + location.hash

/** After a sign-in: the page that is open, or the first one if it was opened to sign in. */
const showPages = async () => {
  if (location.pathname === signInPath) history.replaceState(null, "", `${basePath}/`)
  setProblem(undefined)
  await queries.resetQueries()
}

const sentKey = "orgplane-host-sign-in"

/** Sends people to the sign-in of the host application; once, because it may not sign them in. */
const HostSignIn = ({ url }: { readonly url: string }) => {
  const [wasSent] = useState(() => sessionStorage.getItem(sentKey) !== null)
  useEffect(() => {
    if (wasSent) return
    sessionStorage.setItem(sentKey, "1")
    keepFragment()
    location.replace(url)
  }, [url, wasSent])
  if (!wasSent) return null
  return (
    <Plain title="You are not signed in">
      <p>The application that contains this console did not sign you in here.</p>
      <a className="button" data-kind="primary" href={url}>
        Sign in
      </a>
    </Plain>
  )
}

const loadDialog = () => import("./session-dialog.tsx")
const onFailure = (error: unknown) =>
  notify("You have to sign in again. The sign-in could not be loaded: reload the page.", "bad", error)

/**
 * Shows the sign-in dialog if the session has ended or requires single sign-on. Its code is loaded in advance, because the
 * server may be unreachable later.
 */
const Problem = ({ user }: { readonly user: User }) => {
  const problem = useSyncExternalStore(onProblem, currentProblem)
  const dialog = useLater(loadDialog, problem !== undefined, onFailure)
  return dialog === undefined ? null : <dialog.SessionDialog user={user} />
}

/** Without https, browsers do not say which page sends a request, and the server rejects all of them. */
const Insecure = () => (
  <Plain title="The console needs https">
    <p>Open it with an address that starts with https, or with http://127.0.0.1 on the machine of the server.</p>
  </Plain>
)

/** Signs out, and keeps the page, such as that of an invitation to another address. */
const signOutHere = async () => {
  await signInClient.sessions.revokeCurrent()
  location.reload()
}

/** Signs this tab out with the others. What they show and what was typed in them belongs to the person. */
const leaveWithOthers = async () => {
  rememberSignedIn(false)
  setProblem(undefined)
  await showOrganization(undefined)
}

/** Follows other tabs, which share the cookie: a person who signs in there is also signed in here. */
const useOtherTabs = (userId: string | undefined) => {
  useEffect(() => onSignOutElsewhere(() => void leaveWithOthers()), [])
  useEffect(
    () =>
      onSignInElsewhere(() => {
        // Over a page, the dialog waits for it.
        if (currentProblem() !== undefined && userId !== undefined) return
        if (userId === undefined) return void showPages()
        void signInClient.users.get().then(
          ({ id }) => id !== userId && location.assign(`${basePath}/`),
          () => undefined
        )
      }),
    [userId]
  )
}

const Pages = ({ children }: { readonly children: ReactNode }) => {
  const user = useQuery(me)
  const status = statusOf(user.error)
  const isKnown = user.data !== undefined
  useOtherTabs(user.data?.id)
  // The organization that the browser showed last may be gone, or belong to another person.
  const isElsewhere = !isKnown && status === 404 && selectedOrganization() !== undefined
  useEffect(() => {
    if (isKnown) sessionStorage.removeItem(sentKey)
    if (isKnown || status === 401) rememberSignedIn(isKnown)
    if (!isElsewhere) return
    switchOrganization(undefined)
    void queries.resetQueries()
  }, [isKnown, isElsewhere, status])

  const isLeaving = isKnown && location.pathname === signInPath
  useEffect(() => {
    if (isLeaving) location.replace(`${basePath}/`)
  }, [isLeaving])

  if (isLeaving) return null
  const joinLink = joinLinkOf(location.pathname)
  if (isKnown && joinLink !== undefined) return <Join kind={joinLink} user={user.data} signOut={signOutHere} />
  // The page loads together with the person.
  const isExpected = user.isPending && joinLink === undefined && location.pathname !== signInPath && wasSignedIn()
  if (isKnown || isExpected) {
    return (
      <>
        {children}
        {isKnown && <Problem user={user.data} />}
      </>
    )
  }
  if (status === 401) {
    const hostUrl = hostSignInUrl()
    return hostUrl === undefined ? (
      <SignIn page={openedPage()} isWindow={false} onSignedIn={showPages} />
    ) : (
      <HostSignIn url={hostUrl} />
    )
  }
  return user.isError && !isElsewhere ? <Failure error={user.error} retry={() => void user.refetch()} /> : null
}

/** Shows the pages of the console to people who are signed in. */
export const Session = ({ children }: { readonly children: ReactNode }) => {
  const [opened] = useState(() => ({ path: location.pathname, isWindow: isSignInWindow() }))
  if (!window.isSecureContext) return <Insecure />
  if (opened.path === returnPath) return <SignInReturn />
  if (opened.path === signInPath && opened.isWindow) {
    const close = () => {
      window.close()
      return Promise.resolve()
    }
    return <SignIn page={`${basePath}/`} isWindow onSignedIn={close} />
  }
  return <Pages>{children}</Pages>
}
