import * as Context from "effect/Context"

/** The token of a marketplace link, wherever in a URL it stands and whatever is appended to it. */
const token = /opl_[0-9A-Za-z]{40,}/gu
/** What stands where a token stood. */
export const redacted = "opl_redacted"

/** The token that a request's URL held; handlers read it here, since the URL that they see has none. */
export const PresentedLinkToken = Context.Reference<string>("@orgplane/server/http/PresentedLinkToken", {
  defaultValue: () => ""
})

/** A URL with its letters, digits and underscores as such, percent-encoded once or a few times over: tokens show then. */
const plain = (url: string): string =>
  url.includes("%")
    ? url.replaceAll(/%(?:25){0,8}([3-7][0-9A-Fa-f])/gu, (encoded, code: string) => {
        const character = String.fromCharCode(Number.parseInt(code, 16))
        return /\w/u.test(character) ? character : encoded
      })
    : url

export const holdsLinkToken = (url: string): boolean => /opl_[0-9A-Za-z]{40}/u.test(plain(url))

/** Takes tokens out of a URL, so that no log line, error or span can repeat them. Only one in the path counts as presented. */
export const takeLinkToken = (asked: string): { readonly url: string; readonly token: string } => {
  const url = plain(asked)
  return { url: url.replaceAll(token, redacted), token: url.split("?", 1)[0]?.match(token)?.[0] ?? "" }
}
