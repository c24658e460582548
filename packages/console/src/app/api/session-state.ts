/** What the responses of the server say about the session of the person. */

/** Why the person has to sign in again, although the page was loaded with a session. */
export type SessionProblem = "ended" | "sso_required"

let problem: SessionProblem | undefined
const listeners = new Set<() => void>()

/** Whether another tab has signed in, or a window that this page opened for it. */
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

export const announceSignIn = (): void => channel.postMessage("signed-in")

export const onSignInElsewhere = (listener: () => void): (() => void) => {
  channel.addEventListener("message", listener)
  return () => channel.removeEventListener("message", listener)
}
