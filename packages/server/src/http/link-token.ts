import * as Context from "effect/Context"

/** The token of a marketplace link, anywhere in a URL and with any suffix. */
const token = /opl_[0-9A-Za-z]{40,}/gu
const redacted = "opl_redacted"

/** The token of a request's URL; handlers read it here, because it is removed from the URL that they see. */
export const PresentedLinkToken = Context.Reference<string>("@orgplane/server/http/PresentedLinkToken", {
  defaultValue: () => ""
})

export const holdsLinkToken = (url: string): boolean => /opl_[0-9A-Za-z]{40}/u.test(url)

/** Redacts the token in a URL, so that no log line, error or span can contain it. */
export const takeLinkToken = (url: string): { readonly url: string; readonly token: string } => ({
  url: url.replaceAll(token, redacted),
  token: url.match(token)?.[0] ?? ""
})
