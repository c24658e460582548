import type { SsoConnectionEntry } from "@orgplane/schema/shared/configuration-outside"
import type { Member } from "@orgplane/schema/shared/caller"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { clientSecretOf } from "../../../enterprise/sso/client-secret.ts"
import * as repo from "../../../enterprise/sso/repo.ts"
import type { SsoService } from "../../../enterprise/sso/service.ts"
import type { KeyRing } from "../../../infra/crypto/key-ring.ts"
import type { Sql } from "../../../infra/sql/client.ts"
import { defined } from "../defined.ts"
import { at, currentSecret, type Kind, type Names } from "../kind.ts"
import { roleKeyOf, roleOf, roleReferences } from "../roles.ts"

type Entry = Omit<typeof SsoConnectionEntry.Type, "key">
/** An entry with its secret in place of the reference. */
type Input = Omit<Entry, "clientSecret"> & { readonly clientSecret?: Redacted.Redacted }
type Saml = NonNullable<Entry["saml"]>

/** The base64 content of a certificate, which PEM wraps differently. */
const certificateOf = (text: string) => text.replace(/-----(?:BEGIN|END) CERTIFICATE-----|\s/g, "")

const samlOf = ({ attributes = {}, certificates, idpEntityId, ssoUrl }: Saml): Saml => ({
  idpEntityId,
  ssoUrl: URL.parse(ssoUrl)?.href ?? ssoUrl,
  certificates: [...new Set(certificates.map(certificateOf))],
  attributes
})

const itemOf = (row: repo.Row, names: Names): Readonly<Record<string, unknown>> => ({
  protocol: row.protocol,
  ...(row.protocol === "oidc"
    ? { ...row.config_json, ...(row.ciphertext === null ? {} : { clientSecret: currentSecret }) }
    : {
        saml: samlOf({
          idpEntityId: row.config_json.idpEntityId,
          ssoUrl: row.config_json.ssoUrl,
          certificates: row.config_json.certificates.map(({ pem }) => pem),
          attributes: {
            ...(row.config_json.attributes.email === null ? {} : { email: row.config_json.attributes.email }),
            ...(row.config_json.attributes.name === null ? {} : { name: row.config_json.attributes.name })
          }
        })
      }),
  // A role that was removed is not in the document. Its ID is a problem of the plan, as it is one for new members.
  jit: { enabled: row.jit_enabled, role: roleKeyOf(row.jit_role, names) ?? row.jit_role }
})

/** The SSO connection. Its tests, and whether it is enabled and enforced, are not in the document. */
export const ssoConnectionsKind = (sql: Sql, sso: SsoService["Service"], keys: KeyRing["Service"]): Kind => {
  const put = Effect.fnUntraced(function* (caller: Member, input: Input, names: Names) {
    const { clientId, clientSecret, issuer, protocol, saml, scopes } = input
    const jit = input.jit && { enabled: input.jit.enabled, role: roleOf(input.jit.role ?? "member", names) }
    if (protocol === "saml" && saml !== undefined) {
      return (yield* sso.putSaml(caller, { ...saml, ...defined({ jit }) })).item.id
    }
    const secret = clientSecret && Redacted.value(clientSecret)
    const settings = {
      issuer: issuer ?? "",
      clientId: clientId ?? "",
      ...defined({ clientSecret: secret, jit, scopes })
    }
    return (yield* sso.putOidc(caller, settings)).item.id
  })
  return {
    kind: "ssoConnections",
    refersTo: ["roles"],
    permissions: { read: ["sso:read"], write: "sso:write", remove: "sso:manage" },
    feature: "sso",
    secrets: {
      prefix: "SSO",
      fields: [{ field: "clientSecret", resetBy: ["protocol", "issuer", "clientId"] }],
      read: Effect.fnUntraced(function* ({ organizationId }) {
        const row = yield* repo.find(sql, organizationId)
        if (row?.protocol !== "oidc") return undefined
        return (yield* Effect.orElseSucceed(clientSecretOf(keys, row), () => null)) ?? undefined
      })
    },
    read: ({ organizationId }, names) =>
      Effect.map(repo.find(sql, organizationId), (row) =>
        row === undefined ? [] : [{ id: row.id, version: row.version, name: row.protocol, item: itemOf(row, names) }]
      ),
    normalize: (item) => {
      const { jit, saml, scopes, ...rest } = item as unknown as Entry
      return {
        ...rest,
        ...defined({
          scopes: scopes && [...new Set(scopes)],
          saml: saml && samlOf(saml),
          jit: jit && { enabled: jit.enabled, role: jit.role ?? "member" }
        })
      }
    },
    references: (item) => {
      const { jit } = item as unknown as Entry
      return jit?.role === undefined ? [] : roleReferences(jit.role, ["jit", "role"])
    },
    create: Effect.fnUntraced(function* (caller, item, { names }) {
      if ((yield* repo.find(sql, caller.organizationId)) !== undefined) {
        return yield* InvalidRequest.at(["key"], "is not the key of the SSO connection, of which there is at most one")
      }
      return yield* put(caller, item as unknown as Input, names)
    }),
    // Settings are replaced together. The current secret is kept if it is not passed.
    update: (caller, current, fields, { names }) => {
      const { clientSecret: _secret, ...before } = current.item as unknown as Entry
      return put(at(caller, current), { ...before, ...(fields as Partial<Input>) }, names).pipe(Effect.asVoid)
    },
    remove: (caller, current) => sso.remove(at(caller, current))
  }
}
