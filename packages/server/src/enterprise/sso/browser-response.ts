/** Responses to browsers that return from an identity provider: a redirect, or a page with the result. */
import { type SsoRefusal, ssoRefusals } from "@orgplane/schema/sso"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { browserHeaders, browserPage, pageStatus } from "../../agents/oauth/index.ts"

export type Outcome =
  | { readonly kind: "signed_in"; readonly code: string }
  | { readonly kind: "tested" }
  | { readonly kind: "refused"; readonly code: SsoRefusal }

/** The page for an unknown sign-in. It contains no data from the request. */
export const unknownSignInPage = () =>
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

/** `returnTo` is the URL given when the sign-in started; null when there was none. */
export const browserResponse = (outcome: Outcome, state: string, returnTo: string | null) => {
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
