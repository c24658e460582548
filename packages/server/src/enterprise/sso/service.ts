import type { StoredAuditAction } from "@orgplane/schema/shared/audit-actions"
import type { Member } from "@orgplane/schema/shared/caller"
import { Forbidden, InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Sso from "@orgplane/schema/sso"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { digestOf } from "../../infra/audit/record.ts"
import { Principals } from "../../identity/auth/principals.ts"
import { Settings } from "../../infra/config/settings.ts"
import { KeyRing } from "../../infra/crypto/key-ring.ts"
import { makeId } from "../../infra/ids.ts"
import { isJoined, Mutate, stale } from "../../infra/mutate/index.ts"
import * as organizations from "../../identity/organizations/repo.ts"
import { OidcProviders, SamlProviders, type SsoRefused } from "../../infra/ports/sso.ts"
import { callerNow, demandRole } from "../../identity/roles/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"
import { iso } from "../../infra/sql/timestamps.ts"
import { clientSecretOf } from "./client-secret.ts"
import * as repo from "./repo.ts"

const scopesDefault = ["openid", "email", "profile"]

const failed = ({ code, message }: SsoRefused) => new Sso.SsoProviderFailed({ code, message })
const at = (...path: ReadonlyArray<string | number>) => ["body", ...path]

interface Jit {
  readonly enabled: boolean
  readonly role?: string
}

/**
 * The fields of a connection that the audit log records. URLs are digested, because they may contain sensitive
 * data.
 */
const auditRecordOf = (row: repo.Row) => ({
  protocol: row.protocol,
  provider: digestOf(row.protocol === "oidc" ? row.config_json.issuer : row.config_json.idpEntityId),
  ...(row.protocol === "oidc"
    ? { clientId: digestOf(row.config_json.clientId), hasClientSecret: row.ciphertext !== null }
    : { certificates: row.config_json.certificates.map(({ sha256 }) => sha256) }),
  enabled: row.enabled,
  enforced: row.enforced,
  breakGlass: row.break_glass_json,
  jitEnabled: row.jit_enabled,
  jitRole: row.jit_role,
  version: row.version
})

/** Whether the settings are for another provider or another client, which is not tested yet. */
const isOtherProvider = (
  before: repo.Row,
  protocol: repo.Row["protocol"],
  config: repo.OidcConfig | repo.SamlConfig
) => {
  if (before.protocol !== protocol) return true
  if (before.protocol === "oidc" && "issuer" in config) {
    return before.config_json.issuer !== config.issuer || before.config_json.clientId !== config.clientId
  }
  return before.protocol === "saml" && "idpEntityId" in config
    ? before.config_json.idpEntityId !== config.idpEntityId || before.config_json.ssoUrl !== config.ssoUrl
    : true
}

/** Whether the settings trust other certificates or read other attributes. */
const changesTrust = (before: repo.Row, config: repo.OidcConfig | repo.SamlConfig) => {
  if (before.protocol !== "saml" || !("idpEntityId" in config)) return false
  const previousConfig = before.config_json
  const knownDigests = new Set(previousConfig.certificates.map(({ sha256 }) => sha256))
  return (
    config.certificates.some(({ sha256 }) => !knownDigests.has(sha256)) ||
    config.attributes.email !== previousConfig.attributes.email ||
    config.attributes.name !== previousConfig.attributes.name
  )
}

/** The connection of an organization to its identity provider. */
export class SsoService extends Context.Service<SsoService>()("@orgplane/server/sso/Service", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const keys = yield* KeyRing
    const principals = yield* Principals
    const oidc = yield* OidcProviders
    const saml = yield* SamlProviders
    const { mayBePlainHttp, publicUrl } = yield* Settings
    const { mutate } = yield* Mutate

    const toWire = (row: repo.Row) => ({ sso: repo.toWire(publicUrl, row) })
    const withVersion = (row: repo.Row) => ({ item: repo.toWire(publicUrl, row), version: row.version })

    const get = Effect.fnUntraced(function* (caller: Member) {
      const row = yield* repo.find(sql, caller.organizationId)
      if (row === undefined) return yield* new Sso.SsoConnectionNotFound()
      return withVersion(row)
    })

    const serviceProvider = (caller: Member) => ({
      serviceProvider: repo.serviceProviderOf(publicUrl, caller.organizationId)
    })

    const demandClaimed = (caller: Member) =>
      caller.provisional
        ? Effect.fail(
            new Forbidden({
              reason: "provisional_organization",
              message: "An unclaimed workspace cannot have single sign-on. Claim it first."
            })
          )
        : Effect.void

    /** Checked before any outbound request. Concurrent changes are detected under the lock. */
    const demandFresh = Effect.fnUntraced(function* (caller: Member) {
      yield* demandClaimed(caller)
      if (caller.request.ifMatch === null) return
      yield* stale(caller, (yield* repo.find(sql, caller.organizationId))?.version ?? 0)
    })

    /** The role of users provisioned just in time: one that the caller can assign, and never owner. */
    const jitOf = Effect.fnUntraced(function* (caller: Member, input: Jit | undefined, before: repo.Row | undefined) {
      if (input === undefined) {
        return { enabled: before?.jit_enabled ?? false, role: before?.jit_role ?? "member" }
      }
      const role = input.role ?? "member"
      if (role === "owner") return yield* InvalidRequest.at(at("jit", "role"), "cannot be owner")
      yield* demandRole(sql, caller, role).pipe(
        Effect.catchTag("InvalidRequest", ({ details }) =>
          Effect.fail(InvalidRequest.at(at("jit", "role"), details[0]?.message ?? "does not exist"))
        )
      )
      return { enabled: input.enabled, role }
    })

    const put = (
      caller: Member,
      action: StoredAuditAction,
      protocol: repo.Row["protocol"],
      config: repo.OidcConfig | repo.SamlConfig,
      input: { readonly jit?: Jit; readonly clientSecret?: string }
    ) =>
      mutate(
        caller,
        action,
        Effect.gen(function* () {
          const { organizationId } = caller
          // Of two concurrent requests that create the connection, the second one finds the connection of the first.
          yield* organizations.lock(sql, organizationId)
          const by = yield* callerNow(sql, caller, "sso:write")
          const before = yield* repo.lock(sql, organizationId)
          yield* stale(caller, before?.version ?? 0)
          const other = before !== undefined && isOtherProvider(before, protocol, config)
          if (other && before.enforced) return yield* new Sso.SsoEnforced()
          const isTrustChanged = before !== undefined && !other && changesTrust(before, config)
          if (before?.enabled === true && isTrustChanged && !by.isOwner) {
            return yield* new Forbidden({
              reason: "owner_required",
              message: "Single sign-on is enabled. Only owners can change its certificates or attributes."
            })
          }
          const jit = yield* jitOf(caller, input.jit, before)
          const id = before?.id ?? makeId("sso")
          const stored =
            before?.protocol === "oidc" && !other && input.clientSecret === undefined
              ? yield* Effect.orElseSucceed(clientSecretOf(keys, before), () => null)
              : null
          const secret = input.clientSecret ?? (stored === null ? null : Redacted.value(stored))
          const sealed =
            secret === null || !("issuer" in config)
              ? null
              : keys.seal(repo.clientSecretContext(organizationId, id, config.issuer, config.clientId), secret)
          if (other) {
            // The subjects of the previous provider do not apply to the new one, and its sessions are no longer
            // trusted.
            yield* repo.forgetIdentities(sql, organizationId)
            yield* repo.signOut(sql, organizationId, by.principal.kind === "session" ? by.principal.sessionId : null)
            yield* principals.announce(organizationId)
          }
          // If the connection is enabled, only an owner reaches this point. If it is disabled, the owner who enables it
          // must be able to rely on the tested settings being the current ones.
          const isUntested = other || (isTrustChanged && !before.enabled)
          const settings = { id, protocol, config, sealed, jit, isOther: other, isUntested }
          const row = yield* expectRow(yield* repo.put(sql, organizationId, settings), "SSO connection")
          return { before, other, row }
        }),
        ({ before, row }) => ({
          target: row.id,
          ...(before === undefined ? {} : { before: auditRecordOf(before) }),
          after: auditRecordOf(row)
        })
      ).pipe(
        Effect.map(({ other, row }) => {
          if (other) principals.forget(caller.organizationId)
          return withVersion(row)
        })
      )

    /** The client secret: the given one, or the stored one for the same client. */
    const secretFor = Effect.fnUntraced(function* (caller: Member, input: typeof Sso.PutOidc.Type) {
      if (input.clientSecret !== undefined) return Redacted.make(input.clientSecret)
      const row = yield* repo.find(sql, caller.organizationId)
      const isSame =
        row?.protocol === "oidc" &&
        row.config_json.issuer === input.issuer &&
        row.config_json.clientId === input.clientId
      return isSame ? yield* Effect.orElseSucceed(clientSecretOf(keys, row), () => null) : null
    })

    const putOidc = Effect.fnUntraced(function* (caller: Member, input: typeof Sso.PutOidc.Type) {
      yield* demandFresh(caller)
      const { clientId, issuer } = input
      const url = URL.parse(issuer)
      const isUsable =
        url !== null &&
        (url.protocol === "https:" || (url.protocol === "http:" && mayBePlainHttp(url))) &&
        [url.search, url.hash, url.username, url.password].every((part) => part === "") &&
        /^[\x21-\x7E]+$/.test(issuer)
      if (!isUsable)
        return yield* InvalidRequest.at(at("issuer"), "must be an https:// URL without a query or a fragment")
      if (!/^[\x20-\x7E]+$/.test(clientId))
        return yield* InvalidRequest.at(at("clientId"), "must consist of printable ASCII characters")
      const scopes = [...new Set(input.scopes ?? scopesDefault)]
      const bad = scopes.findIndex((scope) => !/^[\x21\x23-\x5B\x5D-\x7E]+$/.test(scope))
      if (bad !== -1) return yield* InvalidRequest.at(at("scopes", bad), "is not a valid OAuth scope")
      if (!scopes.includes("openid")) return yield* InvalidRequest.at(at("scopes"), "must include openid")
      if (!(yield* isJoined)) {
        yield* oidc
          .check({
            organizationId: caller.organizationId,
            issuer,
            clientId,
            scopes,
            clientSecret: yield* secretFor(caller, input)
          })
          .pipe(Effect.mapError(failed))
      }
      return yield* put(caller, "sso.put_oidc", "oidc", { issuer, clientId, scopes }, input)
    })

    /** The settings from the metadata, or the individual ones. */
    const samlSettings = Effect.fnUntraced(function* (input: typeof Sso.PutSaml.Type) {
      const { certificates, idpEntityId, metadata, ssoUrl } = input
      if (metadata !== undefined) {
        const doubled = Object.entries({ idpEntityId, ssoUrl, certificates }).find(([, value]) => value !== undefined)
        if (doubled !== undefined) {
          return yield* InvalidRequest.at(at("metadata"), `cannot be combined with ${doubled[0]}`)
        }
        const read = yield* saml
          .read(metadata)
          .pipe(Effect.mapError(({ message }) => InvalidRequest.at(at("metadata"), message)))
        return { ...read, path: (index: number) => at("metadata", "certificates", index), url: at("metadata") }
      }
      const missing = Object.entries({ idpEntityId, ssoUrl, certificates }).find(([, value]) => value === undefined)
      if (missing !== undefined || idpEntityId === undefined || ssoUrl === undefined || certificates === undefined) {
        return yield* InvalidRequest.at(
          at(missing?.[0] ?? "metadata"),
          "is missing. Set metadata, or idpEntityId, ssoUrl and certificates"
        )
      }
      return {
        idpEntityId,
        ssoUrl,
        certificates,
        path: (index: number) => at("certificates", index),
        url: at("ssoUrl")
      }
    })

    const putSaml = Effect.fnUntraced(function* (caller: Member, input: typeof Sso.PutSaml.Type) {
      yield* demandFresh(caller)
      const { certificates, idpEntityId, path, ssoUrl, url: urlPath } = yield* samlSettings(input)
      const url = URL.parse(ssoUrl)
      const isUsable =
        url !== null &&
        (url.protocol === "https:" || (url.protocol === "http:" && mayBePlainHttp(url))) &&
        url.username === "" &&
        url.password === "" &&
        url.hash === ""
      if (!isUsable) return yield* InvalidRequest.at(urlPath, "must be an https:// URL")
      const read = yield* Effect.forEach(certificates, (text, index) =>
        saml.readCertificate(text).pipe(Effect.mapError(({ message }) => InvalidRequest.at(path(index), message)))
      )
      const seen = new Set<string>()
      const uniqueCertificates = read.flatMap(({ notAfter, notBefore, pem, sha256, subject }) => {
        if (seen.has(sha256)) return []
        seen.add(sha256)
        return [{ pem, sha256, subject, notBefore: iso(notBefore), notAfter: iso(notAfter) }]
      })
      const { email = null, name = null } = input.attributes ?? {}
      const config: repo.SamlConfig = {
        idpEntityId,
        ssoUrl: url.href,
        certificates: uniqueCertificates,
        attributes: { email, name }
      }
      return yield* put(caller, "sso.put_saml", "saml", config, input)
    })

    /** Changes a switch of the connection, under the lock that changes of owners take too. */
    const change = <E>(
      caller: Member,
      action: StoredAuditAction,
      permission: "sso:manage" | null,
      step: (by: Member, before: repo.Row) => Effect.Effect<repo.Row | undefined, E>
    ) =>
      mutate(
        caller,
        action,
        Effect.gen(function* () {
          yield* organizations.lock(sql, caller.organizationId)
          const by = yield* callerNow(sql, caller, permission ?? undefined)
          if (permission === null && !by.isOwner) {
            return yield* new Forbidden({ reason: "owner_required", message: "This requires the owner role." })
          }
          const before = yield* repo.lock(sql, caller.organizationId)
          if (before === undefined) return yield* new Sso.SsoConnectionNotFound()
          const row = (yield* step(by, before)) ?? before
          // Cached credentials record whether single sign-on is required.
          const concerns = row.enforced || before.enforced
          if (concerns) yield* principals.announce(caller.organizationId)
          return { response: toWire(row), concerns, before: auditRecordOf(before), after: auditRecordOf(row) }
        }),
        ({ after, response, before }) => ({ target: response.sso.id, before, after })
      ).pipe(
        Effect.map(({ response, concerns }) => {
          if (concerns) principals.forget(caller.organizationId)
          return response
        })
      )

    const enable = (caller: Member) =>
      change(
        caller,
        "sso.enable",
        null,
        Effect.fnUntraced(function* (_, before) {
          if (before.enabled) return before
          if (before.last_test_json?.ok !== true) return yield* new Sso.SsoNotTested()
          return yield* repo.setEnabled(sql, caller.organizationId, true)
        })
      )

    const disable = (caller: Member) =>
      change(caller, "sso.disable", "sso:manage", (_, before) =>
        before.enabled ? repo.setEnabled(sql, caller.organizationId, false) : Effect.succeed(before)
      )

    const enforce = (caller: Member, input: typeof Sso.EnforceSso.Type) =>
      change(
        caller,
        "sso.enforce",
        null,
        Effect.fnUntraced(function* (_, before) {
          if (!before.enabled) return yield* new Sso.SsoNotEnabled()
          const breakGlass: ReadonlyArray<Id<"om">> = [...new Set(input.breakGlass)]
          const owners = yield* repo.reachableOwners(sql, caller.organizationId, breakGlass)
          const present = new Set(owners.map(({ id }) => id))
          const wrong = input.breakGlass.findIndex((id) => !present.has(id))
          if (wrong !== -1) {
            return yield* InvalidRequest.at(
              at("breakGlass", wrong),
              "must be an owner of the organization with a verified email address"
            )
          }
          return yield* repo.enforce(sql, caller.organizationId, breakGlass)
        })
      )

    const remove = Effect.fnUntraced(function* (caller: Member) {
      yield* mutate(
        caller,
        "sso.remove",
        Effect.gen(function* () {
          yield* organizations.lock(sql, caller.organizationId)
          yield* callerNow(sql, caller, "sso:manage")
          const before = yield* repo.lock(sql, caller.organizationId)
          if (before === undefined) return yield* new Sso.SsoConnectionNotFound()
          yield* stale(caller, before.version)
          if (before.enforced) return yield* new Sso.SsoEnforced()
          yield* repo.remove(sql, caller.organizationId)
          yield* principals.announce(caller.organizationId)
          return before
        }),
        (before) => ({ target: before.id, before: auditRecordOf(before) })
      )
      principals.forget(caller.organizationId)
    })

    return { get, serviceProvider, putOidc, putSaml, enable, disable, enforce, remove } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
