/** What a browser gets that comes back from an identity provider: sent on, or shown what to hand in. */
import { type SsoRefusal, ssoRefusals } from "@orgplane/schema/sso"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { browserHeaders, browserPage, pageStatus } from "../../agents/oauth/index.ts"

export type Outcome =
  | { readonly kind: "signed_in"; readonly code: string }
  | { readonly kind: "tested" }
  | { readonly kind: "refused"; readonly code: SsoRefusal }

/** There is no such sign-in, so nothing of what was brought is repeated. */
export const nothingUnderWay = () =>
  browserPage(
    "Nothing to sign in to",
    ["This belongs to no sign-in that is under way: it may be over, or have been used. Begin once more."],
    [],
    pageStatus.gone
  )

const paged = (outcome: Outcome, state: string) => {
  switch (outcome.kind) {
    case "signed_in":
      return browserPage(
        "Almost signed in",
        [
          "Hand what stands below to the program in which you began, within two minutes.",
          "If you did not begin this yourself, close this page: nobody is signed in by looking at it."
        ],
        [
          ["State", state],
          ["Code", outcome.code]
        ]
      )
    case "tested":
      return browserPage(
        "The test held",
        ["The identity provider said who you are, and that would let you in. Nobody was signed in by this."],
        []
      )
    case "refused":
      return browserPage(
        "Not signed in",
        [ssoRefusals[outcome.code], "Begin once more, or tell this code to whoever administers your organization:"],
        [["Code", outcome.code]],
        pageStatus.refused
      )
  }
}

/** `returnTo` is what the start of the sign-in said; null where it said nothing. */
export const ssoAnswer = (outcome: Outcome, state: string, returnTo: string | null) => {
  if (returnTo === null) return paged(outcome, state)
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
