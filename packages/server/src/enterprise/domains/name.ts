import listed from "email-providers"
import { getDomain } from "tldts"
import { asciiDomain } from "../../identity/users/email.ts"

/** The name of the verification record. A record at the domain itself is also accepted. */
export const recordName = (domain: string): string => `_orgplane-verification.${domain}`

/** The value of the verification record. */
export const recordValue = (token: string): string => `${valuePrefix}${token}`

export const valuePrefix = "orgplane-verification="

/** Domains where anyone can have an email address and that the package does not list. */
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

/** Top-level names that are not in the DNS, or that resolve differently everywhere (RFC 6761, 6762, 7686, 9476). */
const reserved: ReadonlySet<string> = new Set(["alt", "arpa", "invalid", "local", "localhost", "onion"])

const isLabel = (label: string): boolean => /^(?!-)[a-z\d-]{1,63}$/.test(label) && !label.endsWith("-")

/**
 * A domain as it is stored and compared, in ASCII and lower case without a trailing dot; or why no organization can
 * own it. `.test` and `.example` are allowed: only an operator's own name servers resolve them.
 */
export const readDomain = (text: string): { readonly domain: string } | { readonly fault: string } => {
  const domain = asciiDomain(text.trim()).replace(/\.$/, "")
  const labels = domain.split(".")
  const last = labels.at(-1) ?? ""
  if (!labels.every(isLabel) || /^\d/.test(last)) return { fault: "must be a domain name, such as acme.com" }
  // Email addresses have at most 254 characters, and DNS names 253.
  if (recordName(domain).length > 253) return { fault: "is too long" }
  if (labels.length < 2 || reserved.has(last)) return { fault: "is not a domain that an organization can own" }
  if (getDomain(domain, { allowPrivateDomains: true }) === null) {
    return { fault: "is a public suffix, under which anyone can register a domain" }
  }
  if (consumer.has(domain)) return { fault: "is a domain where anyone can have an email address" }
  return { domain }
}
