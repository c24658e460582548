import * as Context from "effect/Context"

/** The token of a marketplace link, wherever in a URL it stands and whatever is appended to it. */
const token = /opl_[0-9A-Za-z]{40,}/gu
const redacted = "opl_redacted"

/** The token that a request's URL held; handlers read it here, since the URL that they see has none. */
export const PresentedLinkToken = Context.Reference<string>("@orgplane/server/http/PresentedLinkToken", {
  defaultValue: () => ""
})

export const holdsLinkToken = (url: string): boolean => /opl_[0-9A-Za-z]{40}/u.test(url)

/** Takes a token out of a URL, so that no log line, error or span can repeat it. */
export const takeLinkToken = (url: string): { readonly url: string; readonly token: string } => ({
  url: url.replaceAll(token, redacted),
  token: url.match(token)?.[0] ?? ""
})
