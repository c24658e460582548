/** What a person needs beyond the contract of single sign-on and the domains it stands on. */
import { member, textAt } from "./output/cell.ts"
import { harmless } from "./output/harmless.ts"
import type { Override } from "./overrides.ts"

const one = ["id", "domain", "status", "verification.type", "verification.name", "verification.value", "verifiedAt"]

/** What there is to do for a domain; nothing when it is verified and its checks hold. */
const nextStep = (domain: unknown): string | undefined => {
  const name = textAt(domain, "domain") ?? "?"
  const [status, failure] = [textAt(domain, "status"), textAt(domain, "failure")]
  if (failure === "domain_taken") return `${name}: another organization has proved it; it has to give it up first.`
  const record = `TXT ${textAt(domain, "verification.name") ?? "?"} = ${textAt(domain, "verification.value") ?? "?"}`
  const verify = "then: orgplane sso domains verify"
  if (status !== "verified") {
    const found =
      failure === "record_mismatch"
        ? "the record has another value; set it to "
        : failure === "dns_unavailable"
          ? "its name servers did not answer; they should say "
          : "set the DNS record "
    const lapsed = status === "lapsed" ? "lapsed, nobody new comes in by it; " : ""
    return harmless(`${name}: ${lapsed}${found}${record}, ${verify}`)
  }
  const since = textAt(domain, "failingSince")
  return since === undefined
    ? undefined
    : harmless(`${name}: its record is not found since ${since}, and it lapses a day after that; keep ${record}`)
}

const domain = {
  columns: one,
  note: (body) => nextStep(member(body, "domain"))
} satisfies Override

const connection = { draw: "sso", columns: ["id", "protocol", "enabled", "enforced"] } satisfies Override

export const ssoOverrides: Readonly<Record<string, Override>> = {
  "ssoDomains.create": {
    ...domain,
    arguments: [{ name: "domain", member: "domain", help: "Such as acme.com" }],
    examples: [
      { command: "orgplane sso domains create acme.com", description: "Prints the TXT record that proves it" },
      {
        command: "orgplane sso domains create acme.com -o json | jq -r .domain.verification.value",
        description: "Only the record's value, for a script"
      }
    ]
  },
  "ssoDomains.list": {
    columns: ["id", "domain", "status", "failure", "verifiedAt", "lastCheckedAt"],
    total: (rows) => rows.flatMap((row) => nextStep(row) ?? []).join("\n") || undefined,
    examples: [{ command: "orgplane sso domains list", description: "What is proved, and what there is to do" }]
  },
  "ssoDomains.get": domain,
  "ssoDomains.remove": {
    confirm: (ids) => `Remove the domain ${ids[0] ?? ""}? Nobody new is signed in or provisioned by it then.`
  },
  "ssoDomains.verify": {
    examples: [
      {
        command: "orgplane sso domains verify",
        description: "Looks for the records; fails with a line for each missing"
      }
    ]
  },

  "sso.get": {
    ...connection,
    examples: [
      { command: "orgplane sso get", description: "How it stands, and what the identity provider has to be told of us" }
    ]
  },
  "sso.serviceProvider": {
    columns: ["redirectUri", "entityId", "acsUrl", "metadataUrl"],
    examples: [
      {
        command: "orgplane sso service-provider",
        description: "What to write at the identity provider, before there is a connection"
      },
      {
        command: "curl -s $(orgplane sso service-provider -o json | jq -r .serviceProvider.metadataUrl) > orgplane.xml",
        description: "Our metadata, for an identity provider that reads it"
      }
    ]
  },
  "sso.putOidc": {
    ...connection,
    flags: {
      clientSecret: { name: "client-secret-file", file: "line", help: "The secret; `-` asks, or reads standard input" },
      scopes: { name: "scope" }
    },
    examples: [
      {
        command: "orgplane sso put-oidc --issuer https://acme.okta.example --client-id 0oa… --client-secret-file -",
        description: "Asks for the secret, unseen"
      }
    ]
  },
  "sso.putSaml": {
    ...connection,
    flags: {
      metadata: { file: true, help: "The identity provider's metadata, an XML file" },
      certificates: { name: "certificate", file: true, help: "A file with a certificate as PEM" }
    },
    examples: [
      {
        command: "orgplane sso put-saml --metadata idp.xml",
        description: "All that the identity provider says of itself"
      },
      {
        command:
          "orgplane sso put-saml --idp-entity-id https://idp.example --sso-url https://idp.example/sso --certificate now.pem --certificate next.pem",
        description: "With two certificates, while one rolls over to the other"
      }
    ]
  },
  "sso.remove": { confirm: () => "Remove the SSO connection? Whoever is signed in by it is signed out." },
  "sso.test": { columns: ["url", "state", "expiresAt"], text: (body) => textAt(body, "url") ?? "" },
  "sso.enable": connection,
  "sso.disable": { ...connection, confirm: () => "Turn single sign-on off? Nobody signs in by it then." },
  "sso.enforce": {
    ...connection,
    confirm: () => "Refuse every member who signed in another way than by single sign-on, but those of --break-glass?",
    examples: [
      {
        command: "orgplane sso enforce --break-glass om_…",
        description: "With an owner who may still use a mailed code"
      }
    ]
  },
  "sso.start": { columns: ["url", "state", "expiresAt"], text: (body) => textAt(body, "url") ?? "" },
  "sso.complete": {
    subject: "session",
    secret: "session.token",
    flags: { code: { file: "line" }, codeVerifier: { file: "line" } }
  }
}
