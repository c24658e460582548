import { domainToASCII } from "node:url"
import { normalize } from "../../infra/normalize.ts"

/** A domain in lower case and ASCII; empty for what is none. */
export const asciiDomain = (text: string): string =>
  // What `domainToASCII` would cut off or unescape, as it does with the host of a URL.
  /[\s/\\?#%@:]/u.test(text) ? "" : domainToASCII(text)

/**
 * An address as it is kept, compared and written to: what looks alike to a mail server is one address here, and a letter
 * goes to the kept form, so that nobody proves an address other than the one that was read. Undefined when no mail
 * could reach it.
 */
export const normaliseEmail = (text: string): string | undefined => {
  const at = text.lastIndexOf("@")
  const local = normalize(text.slice(0, at), "NFKC").toLowerCase()
  const domain = asciiDomain(text.slice(at + 1))
  const email = `${local}@${domain}`
  // Folding a character may make one of another kind, and a domain may hold what would be a second recipient.
  return /^[^\s@,;:<>"()[\]\\\p{C}\p{Z}]{1,64}@[a-z\d-]+(\.[a-z\d-]+)+$/u.test(email) && email.length <= 254
    ? email
    : undefined
}
