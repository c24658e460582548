/** Renders an SSO connection: status, values for the identity provider, certificates. */
import { isObject, listAt, member, textAt } from "./cell.ts"
import { type Pen, paint } from "./chain.ts"
import { keyValues, type Paper } from "./columns.ts"
import { harmless } from "./harmless.ts"

const faint = 2
const red = 31
const green = 32
const yellow = 33
const dayMillis = 86_400_000
/** Changing a certificate at an identity provider may take weeks. */
const soonDays = 30

const protocols: Readonly<Record<string, string>> = { oidc: "OpenID Connect", saml: "SAML 2.0" }

const stateOf = (connection: unknown, pen: Pen): string => {
  if (member(connection, "enabled") !== true) return paint(pen, yellow, "off")
  return paint(pen, green, member(connection, "enforced") === true ? "on, enforced" : "on")
}

const daysLeft = (until: string | undefined, now: number): number =>
  Math.floor((Date.parse(until ?? "") - now) / dayMillis)

const certificateLine = (certificate: unknown, now: number, pen: Pen): string => {
  const until = textAt(certificate, "notAfter")
  const days = daysLeft(until, now)
  const left = days < 0 ? "expired" : `${days} ${days === 1 ? "day" : "days"} left`
  const text = `  ${left}, until ${harmless(until ?? "?")}: ${harmless(textAt(certificate, "subject") ?? "?")} (${harmless(textAt(certificate, "sha256") ?? "?").slice(0, 16)})`
  return days < 0 ? paint(pen, red, text) : days < soonDays ? paint(pen, yellow, text) : text
}

const testLine = (connection: unknown, pen: Pen): string => {
  const test = member(connection, "lastTest")
  if (!isObject(test)) return paint(pen, yellow, "Not tested. Run: orgplane sso test")
  const at = harmless(textAt(test, "at") ?? "?")
  return member(test, "ok") === true
    ? `Tested ${at}: ${harmless(textAt(test, "email") ?? textAt(test, "subject") ?? "a user")} signed in`
    : paint(pen, red, `Tested ${at}: ${harmless(textAt(test, "code") ?? "failed")}`)
}

const ofProvider: Readonly<Record<string, ReadonlyArray<string>>> = {
  oidc: ["oidc.issuer", "oidc.clientId", "oidc.scopes", "oidc.hasClientSecret"],
  saml: ["saml.idpEntityId", "saml.ssoUrl", "saml.attributes.email", "saml.attributes.name"]
}

/** The values to enter at the identity provider, by their names there. */
const ofOurs: Readonly<Record<string, ReadonlyArray<readonly [name: string, member: string]>>> = {
  oidc: [["redirect URI", "redirectUri"]],
  saml: [
    ["entity ID, audience", "entityId"],
    ["ACS URL, single sign-on URL", "acsUrl"],
    ["metadata", "metadataUrl"]
  ]
}

export const sso = (connection: unknown, paper: Paper & Pen, now: number): string => {
  const protocol = textAt(connection, "protocol") ?? "?"
  const ours = ofOurs[protocol] ?? []
  const certificates = listAt(connection, "saml.certificates")
  const breakGlass = listAt(connection, "breakGlass")
  const jit = member(connection, "jit.enabled") === true ? `as ${textAt(connection, "jit.role") ?? "member"}` : "no"
  return [
    `Single sign-on with ${protocols[protocol] ?? harmless(protocol)}: ${stateOf(connection, paper)}`,
    testLine(connection, paper),
    "",
    keyValues(connection, ofProvider[protocol] ?? [], paper),
    keyValues(
      { "new users": jit, "break glass": breakGlass },
      ["new users", ...(breakGlass.length > 0 ? ["break glass"] : [])],
      paper
    ),
    "",
    "For the identity provider:",
    ...ours.map(
      ([name, at]) =>
        `  ${paint(paper, faint, `${name}:`)} ${harmless(textAt(connection, `serviceProvider.${at}`) ?? "-")}`
    ),
    ...(certificates.length === 0
      ? []
      : ["", "Certificates:", ...certificates.map((certificate) => certificateLine(certificate, now, paper))])
  ].join("\n")
}
