import { Email } from "@orgplane/schema/shared/values"
import * as Schema from "effect/Schema"
import type { SamlAsserted, SamlConnection, SamlServiceProvider } from "../../ports/sso.ts"
import { bearer, nameIdFormats, saml } from "./names.ts"
import { refuse } from "./refuse.ts"
import { attributeOf, childrenOf, elementsOf, textOf, type XmlElement } from "./xml.ts"

/** Maximum difference between the identity provider's clock and this server's. */
const skewMillis = 60_000
const idMax = 512
const subjectMax = 512
const nameMax = 255

const claims = "http://schemas.xmlsoap.org/ws/2005/05/identity/claims"
/** In this order, with the names that Entra, Okta, Google, AD FS, Keycloak and Shibboleth use. */
const emailAttributes = [
  "email",
  "mail",
  "emailAddress",
  `${claims}/emailaddress`,
  "urn:oid:0.9.2342.19200300.100.1.3",
  "urn:oid:1.2.840.113549.1.9.1"
]
const nameAttributes = [
  "displayName",
  "http://schemas.microsoft.com/identity/claims/displayname",
  "urn:oid:2.16.840.1.113730.3.1.241",
  "name",
  "cn",
  "urn:oid:2.5.4.3"
]
const givenNameAttributes = ["givenName", "firstName", "first_name", `${claims}/givenname`, "urn:oid:2.5.4.42"]
const surnameAttributes = ["sn", "surname", "lastName", "last_name", `${claims}/surname`, "urn:oid:2.5.4.4"]
/** Stable IDs, for people whose NameID changes with each sign-in. */
const subjectAttributes = [
  "urn:oasis:names:tc:SAML:attribute:subject-id",
  "urn:oasis:names:tc:SAML:attribute:pairwise-id",
  "http://schemas.microsoft.com/identity/claims/objectidentifier"
]

const isEmail = Schema.is(Email)

const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,12})?(Z|[+-]\d\d:\d\d)?$/
/** Undefined when it is absent. SAML's times are UTC, even without a zone. */
const timeOf = (element: XmlElement, attribute: string): number | undefined => {
  const text = attributeOf(element, attribute)
  if (text === undefined) return undefined
  const match = moment.exec(text)
  const millis = match === null ? Number.NaN : Date.parse(match[1] === undefined ? `${text}Z` : text)
  return Number.isNaN(millis) ? refuse("response_invalid", `The assertion's ${attribute} is not a valid time.`) : millis
}

const one = (element: XmlElement, local: string): XmlElement => {
  const [first, second] = childrenOf(element, saml, local)
  return first === undefined || second !== undefined
    ? refuse("response_invalid", `The assertion must have exactly one ${local}.`)
    : first
}

const checkNotBefore = (element: XmlElement, now: number) => {
  const notBefore = timeOf(element, "NotBefore")
  if (notBefore !== undefined && now + skewMillis < notBefore) {
    refuse("not_yet_valid", `The assertion is not valid before ${new Date(notBefore).toISOString()}.`)
  }
}

const checkEnd = (element: XmlElement, attribute: string, now: number): number | undefined => {
  const end = timeOf(element, attribute)
  if (end !== undefined && now - skewMillis >= end) {
    refuse("expired", `The assertion expired at ${new Date(end).toISOString()}.`)
  }
  return end
}

const requireEnd = (element: XmlElement, now: number): number =>
  checkEnd(element, "NotOnOrAfter", now) ??
  refuse("response_invalid", `The assertion's ${element.local} has no NotOnOrAfter.`)

/** Conditions that are understood. The standard requires that an assertion with another condition is rejected. */
const knownConditions = new Set(["AudienceRestriction", "OneTimeUse", "ProxyRestriction"])

const checkConditions = (assertion: XmlElement, provider: SamlServiceProvider, now: number): number => {
  const conditions = one(assertion, "Conditions")
  checkNotBefore(conditions, now)
  const end = requireEnd(conditions, now)
  if (elementsOf(conditions).some((child) => child.uri !== saml || !knownConditions.has(child.local))) {
    refuse("response_invalid", "The assertion has an unknown condition.")
  }
  const restrictions = childrenOf(conditions, saml, "AudienceRestriction")
  const isForUs = (restriction: XmlElement) =>
    childrenOf(restriction, saml, "Audience").some((audience) => textOf(audience) === provider.entityId)
  if (restrictions.length === 0 || !restrictions.every(isForUs)) {
    refuse("audience_mismatch", "The assertion's Audience is not this service provider's entity ID.")
  }
  return end
}

/** Checks the bearer confirmation: the assertion must be for this URL, this time and this request. */
const checkConfirmation = (subject: XmlElement, provider: SamlServiceProvider, requestId: string, now: number) => {
  const bearers = childrenOf(subject, saml, "SubjectConfirmation").filter(
    (confirmation) => attributeOf(confirmation, "Method") === bearer
  )
  const [confirmation] = bearers
  if (confirmation === undefined || bearers.length > 1) {
    return refuse("response_invalid", "The assertion's subject must have exactly one bearer confirmation.")
  }
  const data = one(confirmation, "SubjectConfirmationData")
  if (attributeOf(data, "Recipient") !== provider.acsUrl) {
    return refuse("destination_mismatch", "The assertion's Recipient is not this service provider's ACS URL.")
  }
  if (attributeOf(data, "InResponseTo") !== requestId) {
    return refuse("response_unsolicited", "The assertion's InResponseTo does not match the request of this sign-in.")
  }
  checkNotBefore(data, now)
  return requireEnd(data, now)
}

/** The first non-empty value of each attribute, by name. */
const attributesOf = (assertion: XmlElement): ReadonlyMap<string, string> => {
  const values = new Map<string, string>()
  for (const statement of childrenOf(assertion, saml, "AttributeStatement")) {
    for (const attribute of childrenOf(statement, saml, "Attribute")) {
      const name = attributeOf(attribute, "Name")
      const value = childrenOf(attribute, saml, "AttributeValue")
        .map(textOf)
        .find((text) => text !== undefined && text !== "")
      if (name !== undefined && value !== undefined && !values.has(name)) values.set(name, value)
    }
  }
  return values
}

const firstOf = (attributes: ReadonlyMap<string, string>, names: ReadonlyArray<string>) =>
  names.map((name) => attributes.get(name)).find((value) => value !== undefined)

const nameOf = (attributes: ReadonlyMap<string, string>, configured: string | null): string | null => {
  const whole = firstOf(attributes, configured === null ? nameAttributes : [configured])
  const parts = configured === null ? [givenNameAttributes, surnameAttributes] : []
  const name =
    whole ??
    parts
      .flatMap((names) => firstOf(attributes, names) ?? [])
      .join(" ")
      .trim()
  return name === "" || name.length > nameMax ? null : name
}

/** Validates a signed assertion, and reads the person from it. */
export const validateAssertion = (
  assertion: XmlElement,
  provider: SamlServiceProvider,
  connection: SamlConnection,
  responded: { readonly requestId: string; readonly at: Date }
): SamlAsserted => {
  const now = responded.at.getTime()
  const assertionId = attributeOf(assertion, "ID") ?? ""
  if (
    assertion.uri !== saml ||
    assertion.local !== "Assertion" ||
    attributeOf(assertion, "Version") !== "2.0" ||
    assertionId === "" ||
    assertionId.length > idMax
  ) {
    return refuse("response_invalid", "The signed element is not a SAML 2.0 assertion.")
  }
  if (textOf(one(assertion, "Issuer")) !== connection.idpEntityId) {
    return refuse("issuer_mismatch", "The assertion's Issuer is not the connection's identity provider.")
  }
  const subject = one(assertion, "Subject")
  if (childrenOf(subject, saml, "EncryptedID").length > 0) {
    return refuse("assertion_encrypted", "The assertion's subject is encrypted.")
  }
  const confirmedUntil = checkConfirmation(subject, provider, responded.requestId, now)
  const validUntil = checkConditions(assertion, provider, now)
  const statements = childrenOf(assertion, saml, "AuthnStatement")
  if (statements.length === 0) return refuse("response_invalid", "The assertion has no AuthnStatement.")
  for (const statement of statements) checkEnd(statement, "SessionNotOnOrAfter", now)

  const attributes = attributesOf(assertion)
  const [nameId, another] = childrenOf(subject, saml, "NameID")
  const name = textOf(nameId) ?? ""
  if (nameId === undefined || another !== undefined || name === "") {
    return refuse("subject_missing", "The assertion has no NameID.")
  }
  const format = attributeOf(nameId, "Format") ?? nameIdFormats.unspecified
  const lasting = format === nameIdFormats.transient ? firstOf(attributes, subjectAttributes) : name
  if (lasting === undefined) {
    return refuse(
      "subject_missing",
      "The assertion's NameID is transient, and no attribute has a stable ID of the person."
    )
  }
  if (lasting.length > subjectMax) return refuse("subject_missing", "The assertion's NameID is too long.")
  const configured = connection.attributes.email
  const email =
    firstOf(attributes, configured === null ? emailAttributes : [configured]) ??
    (configured === null && format !== nameIdFormats.transient ? name : undefined)
  return {
    subject: lasting,
    email: email !== undefined && isEmail(email) ? email : null,
    emailVerified: null,
    name: nameOf(attributes, connection.attributes.name),
    assertionId,
    usableUntil: new Date(Math.min(validUntil, confirmedUntil) + skewMillis)
  }
}
