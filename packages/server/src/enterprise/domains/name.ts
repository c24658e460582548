import listed from "email-providers"
import { getDomain } from "tldts"
import { asciiDomain } from "../../identity/users/email.ts"

/** Where a domain's record stands, if not at the domain itself. */
export const recordName = (domain: string): string => `_orgplane-verification.${domain}`

/** What the record says. */
export const recordValue = (token: string): string => `${valuePrefix}${token}`

export const valuePrefix = "orgplane-verification="

/** What the list leaves out of those where anybody can have an address. */
const unlisted = [
  "duck.com",
  "fastmail.com",
  "simplelogin.com",
  "simplelogin.io",
  "tuta.com",
  "tuta.io",
  "tutamail.com",
  "tutanota.com",
  "tutanota.de",
  "zohomail.com"
]
const consumer: ReadonlySet<string> = new Set([...listed, ...unlisted])

/** Names that are in no domain name system, or mean another machine to everybody who asks (RFC 6761, 6762, 7686, 9476). */
const reserved: ReadonlySet<string> = new Set(["alt", "arpa", "invalid", "local", "localhost", "onion"])

const isLabel = (label: string): boolean => /^(?!-)[a-z\d-]{1,63}$/.test(label) && !label.endsWith("-")

/**
 * A domain as it is kept and compared, in ASCII and lower case without the dot at its end; or why nobody can have it
 * alone. `.test` and `.example` are as good as others: only an operator's own name servers know them.
 */
export const readDomain = (text: string): { readonly domain: string } | { readonly fault: string } => {
  const domain = asciiDomain(text.trim()).replace(/\.$/, "")
  const labels = domain.split(".")
  const last = labels.at(-1) ?? ""
  if (!labels.every(isLabel) || /^\d/.test(last)) return { fault: "must be a domain, as `acme.com` is" }
  // An address is of 254 characters at most, and so is the name of the record.
  if (recordName(domain).length > 253) return { fault: "is too long a domain" }
  if (labels.length < 2 || reserved.has(last)) return { fault: "is no domain that one organization can have alone" }
  if (getDomain(domain, { allowPrivateDomains: true }) === null) {
    return { fault: "is a public suffix: anybody can have a domain below it" }
  }
  if (consumer.has(domain)) return { fault: "is a domain where anybody can have an address" }
  return { domain }
}
