import { domainToASCII } from "node:url"
import { normalize } from "../../infra/normalize.ts"

/** A domain in lower case and ASCII; empty when the text is not a domain. */
export const asciiDomain = (text: string): string =>
  // `domainToASCII` would cut off or unescape these characters, as in the host of a URL.
  /[\s/\\?#%@:]/u.test(text) ? "" : domainToASCII(text)

/**
 * The form in which an email address is stored, compared and written to. Addresses that a mail server treats as equal
 * are equal here. Email goes to the stored form, so that no one verifies an address other than the one that was read.
 * Undefined when the text is not a deliverable address.
 */
export const normalizeEmail = (text: string): string | undefined => {
  const at = text.lastIndexOf("@")
  const local = normalize(text.slice(0, at), "NFKC").toLowerCase()
  const domain = asciiDomain(text.slice(at + 1))
  const email = `${local}@${domain}`
  // Normalizing a character can produce a special one, and a domain could contain a second recipient.
  return /^[^\s@,;:<>"()[\]\\\p{C}\p{Z}]{1,64}@[a-z\d-]+(\.[a-z\d-]+)+$/u.test(email) && email.length <= 254
    ? email
    : undefined
}
