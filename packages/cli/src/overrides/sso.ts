/** Overrides of the commands for single sign-on and verified domains. */
import { member, textAt } from "../output/value.ts"
import { escapeControls } from "../output/escape.ts"
import type { Override } from "../override.ts"

const detailColumns = [
  "id",
  "domain",
  "status",
  "verification.type",
  "verification.name",
  "verification.value",
  "verifiedAt"
]

/** The next step for a domain; undefined if it is verified and its checks succeed. */
const nextStep = (domain: unknown): string | undefined => {
  const name = textAt(domain, "domain") ?? "?"
  const [status, failure] = [textAt(domain, "status"), textAt(domain, "failure")]
  if (failure === "domain_taken") return `${name}: verified by another organization, which must remove it first.`
  const record = `TXT ${textAt(domain, "verification.name") ?? "?"} = ${textAt(domain, "verification.value") ?? "?"}`
  const verify = "then run: orgplane sso domains verify"
  if (status !== "verified") {
    const instruction =
      failure === "record_mismatch"
        ? "the record has a different value; set it to "
        : failure === "dns_unavailable"
          ? "its name servers did not respond; they must return "
          : "set the DNS record "
    const prefix = status === "lapsed" ? "lapsed, so new users cannot join through it; " : ""
    return escapeControls(`${name}: ${prefix}${instruction}${record}, ${verify}`)
  }
  const since = textAt(domain, "failingSince")
  return since === undefined
    ? undefined
    : escapeControls(
        `${name}: its DNS record has been missing since ${since}. The domain's verification lapses 24 hours after that. Restore ${record}`
      )
}

const domain = {
  columns: detailColumns,
  note: (body) => nextStep(member(body, "domain"))
} satisfies Override

const connection = { draw: "sso", columns: ["id", "protocol", "enabled", "enforced"] } satisfies Override

export const ssoOverrides: Readonly<Record<string, Override>> = {
  "ssoDomains.create": {
    ...domain,
    arguments: [{ name: "domain", member: "domain", help: "Domain name, such as acme.com" }],
    examples: [
      {
        command: "orgplane sso domains create acme.com",
        description: "Add a domain. Prints the TXT record that verifies it"
      },
      {
        command: "orgplane sso domains create acme.com -o json | jq -r .domain.verification.value",
        description: "Get only the value of the record, for a script"
      }
    ]
  },
  "ssoDomains.list": {
    columns: ["id", "domain", "status", "failure", "verifiedAt", "lastCheckedAt"],
    total: (rows) => rows.flatMap((row) => nextStep(row) ?? []).join("\n") || undefined,
    examples: [{ command: "orgplane sso domains list", description: "List domains with their status and next steps" }]
  },
  "ssoDomains.get": domain,
  "ssoDomains.remove": {
    confirm: (ids) => `Remove the domain ${ids[0] ?? ""}? New users can no longer sign in or be provisioned through it.`
  },
  "ssoDomains.verify": {
    examples: [
      {
        command: "orgplane sso domains verify",
        description: "Check the records. If a domain cannot be verified, prints it and exits with 1"
      }
    ]
  },

  "sso.get": {
    ...connection,
    examples: [
      {
        command: "orgplane sso get",
        description: "Show the connection's status and the values for the identity provider"
      }
    ]
  },
  "sso.serviceProvider": {
    columns: ["redirectUri", "entityId", "acsUrl", "metadataUrl"],
    examples: [
      {
        command: "orgplane sso service-provider",
        description: "Show the values for the identity provider before the connection exists"
      },
      {
        command: "curl -s $(orgplane sso service-provider -o json | jq -r .serviceProvider.metadataUrl) > orgplane.xml",
        description: "Download the service provider metadata"
      }
    ]
  },
  "sso.putOidc": {
    ...connection,
    flags: {
      clientSecret: {
        name: "client-secret-file",
        file: "line",
        help: "File with the client secret. `-` prompts on a terminal and reads stdin otherwise"
      },
      scopes: { name: "scope" }
    },
    examples: [
      {
        command: "orgplane sso put-oidc --issuer https://acme.okta.example --client-id 0oa… --client-secret-file -",
        description: "Configure OpenID Connect. Prompts for the client secret"
      }
    ]
  },
  "sso.putSaml": {
    ...connection,
    flags: {
      metadata: { file: true, help: "XML file with the identity provider's metadata" },
      certificates: { name: "certificate", file: true, help: "PEM file with a certificate" }
    },
    examples: [
      {
        command: "orgplane sso put-saml --metadata idp.xml",
        description: "Configure SAML from the identity provider's metadata"
      },
      {
        command:
          "orgplane sso put-saml --idp-entity-id https://idp.example --sso-url https://idp.example/sso --certificate now.pem --certificate next.pem",
        description: "Configure SAML with two certificates during a rollover"
      }
    ]
  },
  "sso.remove": { confirm: () => "Remove the SSO connection? All sessions created through it end." },
  "sso.test": { columns: ["url", "state", "expiresAt"], text: (body) => textAt(body, "url") ?? "" },
  "sso.enable": connection,
  "sso.disable": { ...connection, confirm: () => "Disable single sign-on? Members can no longer sign in with it." },
  "sso.enforce": {
    ...connection,
    confirm: () =>
      "Enforce single sign-on? Sessions from other sign-in methods stop working, except for the members in --break-glass.",
    examples: [
      {
        command: "orgplane sso enforce --break-glass ada@acme.example",
        description: "Enforce, with an owner who can still sign in with an email code"
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
