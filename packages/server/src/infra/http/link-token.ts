import * as Context from "effect/Context"

/** The token of a marketplace link, anywhere in a URL and with any suffix. */
const token = /opl_[0-9A-Za-z]{40,}/gu
/** The placeholder for a token in a URL. */
export const redacted = "opl_redacted"

/** The token of a request's URL; handlers read it here, because it is removed from the URL that they see. */
export const PresentedLinkToken = Context.Reference<string>("@orgplane/server/http/PresentedLinkToken", {
  defaultValue: () => ""
})

/**
 * Decodes percent-encoded letters, digits and underscores, also when encoded several times, so that tokens are
 * recognized.
 */
const plain = (url: string): string =>
  url.includes("%")
    ? url.replaceAll(/%(?:25){0,8}([3-7][0-9A-Fa-f])/gu, (encoded, code: string) => {
        const character = String.fromCharCode(Number.parseInt(code, 16))
        return /\w/u.test(character) ? character : encoded
      })
    : url

export const holdsLinkToken = (url: string): boolean =>
  (url.includes("opl_") || url.includes("%")) && /opl_[0-9A-Za-z]{40}/u.test(plain(url))

/**
 * Redacts the tokens in a URL, so that no log line, error or span can contain them. Only a token in the path is
 * presented.
 */
export const takeLinkToken = (requestUrl: string): { readonly url: string; readonly token: string } => {
  const url = plain(requestUrl)
  return { url: url.replaceAll(token, redacted), token: url.split("?", 1)[0]?.match(token)?.[0] ?? "" }
}
