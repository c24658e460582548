/** Responses to browsers that return from an identity provider: a redirect, or a page with the result. */
import { type SsoRefusal, ssoRefusals } from "@orgplane/schema/sso"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { browserHeaders, browserPage, pageStatus } from "../../agents/oauth/index.ts"

/** The outcome of a sign-in or a test. */
export type Outcome =
  | { readonly kind: "signed_in"; readonly code: string }
  | { readonly kind: "tested" }
  | { readonly kind: "refused"; readonly code: SsoRefusal }

/** A sign-in that ended, with its state and the URL given when it started; null when there was none. */
export interface EndedSignIn {
  readonly outcome: Outcome
  readonly state: string
  readonly returnTo: string | null
}

/** The page for an unknown sign-in. It contains no data from the request. */
const unknownSignInPage = () =>
  browserPage("Sign-in not found", ["This sign-in has expired or was already used. Start again."], [], pageStatus.gone)

const pageOf = (outcome: Outcome, state: string) => {
  switch (outcome.kind) {
    case "signed_in":
      return browserPage(
        "Almost signed in",
        [
          "Enter the values below in the program where you started to sign in. They expire in two minutes.",
          "If you did not start this sign-in, close this page. Opening it does not sign anyone in."
        ],
        [
          ["State", state],
          ["Code", outcome.code]
        ]
      )
    case "tested":
      return browserPage(
        "Test successful",
        ["The identity provider identified you, and you would be signed in. This test did not sign you in."],
        []
      )
    case "refused":
      return browserPage(
        "Not signed in",
        [ssoRefusals[outcome.code], "Start again, or give this code to an administrator of your organization:"],
        [["Code", outcome.code]],
        pageStatus.refused
      )
  }
}

/** The response to the browser; the sign-in is undefined when its state is unknown. */
export const browserResponse = (signIn: EndedSignIn | undefined) => {
  if (signIn === undefined) return unknownSignInPage()
  const { outcome, returnTo, state } = signIn
  if (returnTo === null) return pageOf(outcome, state)
  const url = new URL(returnTo)
  url.searchParams.set("state", state)
  switch (outcome.kind) {
    case "signed_in":
      url.searchParams.set("code", outcome.code)
      break
    case "tested":
      url.searchParams.set("tested", "true")
      break
    case "refused":
      url.searchParams.set("error", outcome.code)
  }
  return HttpServerResponse.empty({ status: 303, headers: { ...browserHeaders, location: url.href } })
}
