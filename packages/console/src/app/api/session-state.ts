/** What the responses of the server say about the session of the person. */

/** Why the person has to sign in again, although the page was loaded with a session. */
export type SessionProblem = "ended" | "sso_required"

let problem: SessionProblem | undefined
const listeners = new Set<() => void>()

/** Tells other tabs, and the page that opened this window, that the person has signed in or out. */
const channel = new BroadcastChannel("orgplane-session")

export const setProblem = (next: SessionProblem | undefined): void => {
  if (next === problem) return
  problem = next
  for (const listener of listeners) listener()
}

export const currentProblem = (): SessionProblem | undefined => problem

export const onProblem = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const reasonOf = async (response: Response): Promise<unknown> => {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined)
  return typeof body === "object" && body !== null && "reason" in body ? body.reason : undefined
}

/** Notes a response that asks for another sign-in. */
export const noteResponse = async (response: Response): Promise<void> => {
  if (response.status === 401) setProblem("ended")
  if (response.status === 403 && (await reasonOf(response)) === "sso_required") setProblem("sso_required")
}

type SessionChange = "signed-in" | "signed-out"

const onChangeElsewhere = (change: SessionChange, listener: () => void): (() => void) => {
  const onMessage = ({ data }: MessageEvent<unknown>) => {
    if (data === change) listener()
  }
  channel.addEventListener("message", onMessage)
  return () => channel.removeEventListener("message", onMessage)
}

export const announceSignIn = (): void => channel.postMessage("signed-in" satisfies SessionChange)

export const announceSignOut = (): void => channel.postMessage("signed-out" satisfies SessionChange)

export const onSignInElsewhere = (listener: () => void): (() => void) => onChangeElsewhere("signed-in", listener)

export const onSignOutElsewhere = (listener: () => void): (() => void) => onChangeElsewhere("signed-out", listener)

const signedInKey = "orgplane-signed-in"

/** Whether a person was signed in when the browser showed the console last. It is probably so still. */
export const wasSignedIn = (): boolean => localStorage.getItem(signedInKey) !== null

export const rememberSignedIn = (isSignedIn: boolean): void => {
  if (isSignedIn) localStorage.setItem(signedInKey, "1")
  else localStorage.removeItem(signedInKey)
}
