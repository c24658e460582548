/** The ways to sign in, none of which gives the page a credential: the server keeps it in the cookie of the console. */
import { basePath, signInClient, statusOf, switchOrganization } from "../api/client.ts"
import { announceSignIn } from "../api/session-state.ts"
import { isWebPage } from "../design/text.ts"

export const signInPath = `${basePath}/sign-in`
export const returnPath = `${basePath}/sign-in/return`

const key = "orgplane-sign-in"

/** What the tab keeps while the person is at the identity provider. */
interface Pending {
  readonly state: string
  readonly codeVerifier: string
  /** The page that the person opened. */
  readonly page: string
  /** Whether the window was opened for the sign-in, by a page that waits for it. */
  readonly isWindow: boolean
}

const base64Url = (bytes: Uint8Array<ArrayBuffer>) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "")

const digest = async (text: string) =>
  base64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))))

export type SsoStart = { readonly email: string } | { readonly organizationId: string }

/** Single sign-on cannot start on this page. The message contains the fix. */
export class SsoUnavailable extends Error {}

/** Goes to the identity provider of the organization. It sends the browser back to `returnPath`. */
export const startSso = async (start: SsoStart, page: string, isWindow: boolean): Promise<void> => {
  if (location.origin.startsWith("http://localhost")) {
    throw new SsoUnavailable(`Open the console at http://127.0.0.1:${location.port}${basePath}/ and sign in there.`)
  }
  const codeVerifier = base64Url(crypto.getRandomValues(new Uint8Array(32)))
  const { state, url } = await signInClient.sso.start({
    ...start,
    codeChallenge: await digest(codeVerifier),
    returnTo: `${location.origin}${returnPath}`
  })
  if (!isWebPage(url)) throw new SsoUnavailable("The identity provider has no web page.")
  const pending: Pending = { state, codeVerifier, page, isWindow }
  sessionStorage.setItem(key, JSON.stringify(pending))
  location.assign(url)
}

/** Undefined if another version of the console stored it in another form. */
const parsePending = (stored: string): Pending | undefined => {
  try {
    const { codeVerifier, isWindow, page, state } = JSON.parse(stored) as Partial<Record<keyof Pending, unknown>>
    return typeof state === "string" && typeof codeVerifier === "string" && typeof page === "string"
      ? { state, codeVerifier, page, isWindow: isWindow === true }
      : undefined
  } catch {
    return undefined
  }
}

const pendingOf = (state: string): Pending | undefined => {
  const stored = sessionStorage.getItem(key)
  sessionStorage.removeItem(key)
  const pending = stored === null ? undefined : parsePending(stored)
  return pending?.state === state ? pending : undefined
}

export type SsoReturn =
  | { readonly kind: "signed-in"; readonly page: string; readonly isWindow: boolean }
  | { readonly kind: "refused"; readonly code: string; readonly page: string }
  /** This tab did not start the sign-in, or it was completed before. */
  | { readonly kind: "unknown" }

/** Completes the sign-in with which the identity provider sent the browser back. It can be used once. */
export const completeSso = async (search: string): Promise<SsoReturn> => {
  const parameters = new URLSearchParams(search)
  const pending = pendingOf(parameters.get("state") ?? "")
  // The code is not kept in the history of the browser.
  history.replaceState(null, "", returnPath)
  if (pending === undefined) return { kind: "unknown" }
  const { codeVerifier, isWindow, page, state } = pending
  const refusal = parameters.get("error")
  if (refusal !== null) return { kind: "refused", code: refusal, page }
  const { organizationId } = await signInClient.sso.complete({
    state,
    code: parameters.get("code") ?? "",
    codeVerifier
  })
  switchOrganization(organizationId)
  announceSignIn()
  return { kind: "signed-in", page, isWindow }
}

/** Opens the sign-in of the organization in a window, so that the page keeps what the person has typed. */
export const openSignInWindow = (start: SsoStart): void => {
  window.open(`${signInPath}?${new URLSearchParams(start).toString()}`, key, "popup,width=520,height=720")
}

/** Whether this window was opened by a page of the console, which only happens with `openSignInWindow`. */
export const isSignInWindow = (): boolean => {
  try {
    const opener = window.opener as Window | null
    return opener !== null && opener.location.origin === location.origin
  } catch {
    return false
  }
}

const fragmentKey = "orgplane-fragment"

/** The fragment of the address, which can be a token: the tab keeps it while the person signs in to the host. */
export const keepFragment = (): void => {
  if (location.hash !== "") sessionStorage.setItem(fragmentKey, location.hash)
}

/** The fragment of the address, or the one that was kept. */
const takeFragment = (): URLSearchParams => {
  const kept = sessionStorage.getItem(fragmentKey)
  sessionStorage.removeItem(fragmentKey)
  return new URLSearchParams((location.hash === "" ? (kept ?? "") : location.hash).slice(1))
}

/**
 * The sign-in page of the host application, if it has its own. It returns to the page that is open, without the fragment:
 * logs of the host would contain it.
 */
export const hostSignInUrl = (): string | undefined => {
  const url = document.querySelector<HTMLMetaElement>('meta[name="orgplane-sign-in"]')?.content
  if (url === undefined) return undefined
  const target = new URL(url, location.origin)
  target.searchParams.set("returnTo", location.pathname + location.search)
  return target.href
}

/** Signs in with a session token that the person has. The server checks it, and keeps it in the cookie. */
export const signInWithToken = async (token: string): Promise<boolean> => {
  const response = await fetch(`${basePath}/api/session`, {
    headers: { "x-orgplane-console": "1", authorization: `Bearer ${token}` }
  })
  if (response.ok) announceSignIn()
  return response.ok
}

/** What a link contains that signs a person in: a session token, or the code of an email. */
export type LinkCredential =
  | { readonly kind: "token"; readonly token: string }
  | { readonly kind: "code"; readonly challengeId: string; readonly code: string }

const forgetFragment = () => history.replaceState(history.state, "", location.pathname + location.search)

const readCredential = (): LinkCredential | undefined => {
  const parameters = new URLSearchParams(location.hash.slice(1))
  const [token, challengeId, code] = ["token", "challenge", "code"].map((name) => parameters.get(name) ?? "")
  if (token?.startsWith("ops_") === true) {
    forgetFragment()
    return { kind: "token", token }
  }
  if (location.pathname !== signInPath || !challengeId || !code) return undefined
  forgetFragment()
  return { kind: "code", challengeId, code }
}

let opened = readCredential()

/**
 * The credential in the address that was opened, such as in the link that the server prints when it starts; once. It was
 * removed from there before the first page was shown, so that no link to a page contains it.
 */
export const takeCredential = (): LinkCredential | undefined => {
  const credential = opened
  opened = undefined
  return credential
}

export const signInWithLink = async (credential: LinkCredential): Promise<boolean> => {
  if (credential.kind === "token") return signInWithToken(credential.token)
  const { challengeId, code } = credential
  try {
    await signInClient.sessions.verifyEmail({ challengeId, code })
  } catch (error) {
    if (statusOf(error) === 400) return false
    throw error
  }
  announceSignIn()
  return true
}

/** The links that add a person to an organization, by the path of their page. */
export type JoinLink = "invitation" | "claim"

export const joinLinkOf = (path: string): JoinLink | undefined =>
  (["invitation", "claim"] as const).find((kind) => path === `${basePath}/${kind}`)

/** The token of a link that adds a person to an organization. It is removed from the address. */
export const takeJoinToken = (): string | undefined => {
  const token = takeFragment().get("token") ?? undefined
  if (token !== undefined) forgetFragment()
  return token
}
