/** Renders an SSO connection: status, values for the identity provider, certificates. */
import { isObject, listAt, member, textAt } from "./value.ts"
import { paint, type TextStyle } from "./access-explanation.ts"
import { keyValues, type TableStyle } from "./table.ts"
import { escapeControls } from "./escape.ts"

const faint = 2
const red = 31
const green = 32
const yellow = 33
const dayMillis = 86_400_000
/** Changing a certificate at an identity provider may take weeks. */
const soonDays = 30

const protocols: Readonly<Record<string, string>> = { oidc: "OpenID Connect", saml: "SAML 2.0" }

const stateOf = (connection: unknown, style: TextStyle): string => {
  if (member(connection, "enabled") !== true) return paint(style, yellow, "off")
  return paint(style, green, member(connection, "enforced") === true ? "on, enforced" : "on")
}

const daysLeft = (until: string | undefined, now: number): number =>
  Math.floor((Date.parse(until ?? "") - now) / dayMillis)

const certificateLine = (certificate: unknown, now: number, style: TextStyle): string => {
  const until = textAt(certificate, "notAfter")
  const days = daysLeft(until, now)
  const left = days < 0 ? "expired on" : `${days} ${days === 1 ? "day" : "days"} left, until`
  const text = `  ${left} ${escapeControls(until ?? "?")}: ${escapeControls(textAt(certificate, "subject") ?? "?")} (${escapeControls(textAt(certificate, "sha256") ?? "?").slice(0, 16)})`
  return days < 0 ? paint(style, red, text) : days < soonDays ? paint(style, yellow, text) : text
}

const testLine = (connection: unknown, style: TextStyle): string => {
  const test = member(connection, "lastTest")
  if (!isObject(test)) return paint(style, yellow, "Not tested. Run: orgplane sso test")
  const at = escapeControls(textAt(test, "at") ?? "?")
  return member(test, "ok") === true
    ? `Tested ${at}: ${escapeControls(textAt(test, "email") ?? textAt(test, "subject") ?? "a user")} signed in`
    : paint(style, red, `Tested ${at}: ${escapeControls(textAt(test, "code") ?? "failed")}`)
}

const providerMembers: Readonly<Record<string, ReadonlyArray<string>>> = {
  oidc: ["oidc.issuer", "oidc.clientId", "oidc.scopes", "oidc.hasClientSecret"],
  saml: ["saml.idpEntityId", "saml.ssoUrl", "saml.attributes.email", "saml.attributes.name"]
}

/** The values to enter at the identity provider, under the names that identity providers use. */
const serviceProviderMembers: Readonly<Record<string, ReadonlyArray<readonly [name: string, member: string]>>> = {
  oidc: [["redirect URI", "redirectUri"]],
  saml: [
    ["entity ID, audience", "entityId"],
    ["ACS URL, single sign-on URL", "acsUrl"],
    ["metadata", "metadataUrl"]
  ]
}

export const sso = (connection: unknown, style: TableStyle & TextStyle, now: number): string => {
  const protocol = textAt(connection, "protocol") ?? "?"
  const members = serviceProviderMembers[protocol] ?? []
  const certificates = listAt(connection, "saml.certificates")
  const breakGlass = listAt(connection, "breakGlass")
  const jit = member(connection, "jit.enabled") === true ? `as ${textAt(connection, "jit.role") ?? "member"}` : "off"
  return [
    `Single sign-on with ${protocols[protocol] ?? escapeControls(protocol)}: ${stateOf(connection, style)}`,
    testLine(connection, style),
    "",
    keyValues(connection, providerMembers[protocol] ?? [], style),
    keyValues(
      { "just-in-time provisioning": jit, "break glass": breakGlass },
      ["just-in-time provisioning", ...(breakGlass.length > 0 ? ["break glass"] : [])],
      style
    ),
    "",
    "For the identity provider:",
    ...members.map(
      ([name, at]) =>
        `  ${paint(style, faint, `${name}:`)} ${escapeControls(textAt(connection, `serviceProvider.${at}`) ?? "-")}`
    ),
    ...(certificates.length === 0
      ? []
      : ["", "Certificates:", ...certificates.map((certificate) => certificateLine(certificate, now, style))])
  ].join("\n")
}
