/** The check of the keys: whether they decrypt what the database contains, and which of them are no longer needed. */
import * as Effect from "effect/Effect"
import { inspectCanary } from "../../infra/crypto/canary.ts"
import { keyHolders, nameOf } from "../../infra/crypto/key-holders.ts"
import { KeyRing } from "../../infra/crypto/key-ring.ts"
import { countSealed, listSealed } from "../../infra/crypto/sealed-columns.ts"
import type { ControlPlaneOptions } from "../../infra/options.ts"
import { keyFileOf, secretKeysOf } from "../../infra/secret-keys.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { type Finding, finding, type Status } from "../report.ts"

const ofKeys = (status: Status, message: string, fix?: string): Finding => finding("keys", status, message, fix)

const lostFix = "If the key is lost, see docs/keys.md."

export const checkKeys = Effect.fnUntraced(function* (options: ControlPlaneOptions, sql: Sql) {
  const sealed = yield* countSealed(sql)
  if (sealed.length === 0 && options.secretKeys === undefined) {
    return [ofKeys("ok", "The database contains no secrets yet.")]
  }
  const configured = yield* secretKeysOf(options, true).pipe(Effect.result)
  if (configured._tag === "Failure") return [ofKeys("failed", configured.failure.message)]
  const { secrets, signing } = configured.success
  return yield* Effect.gen(function* () {
    const keys = yield* KeyRing
    const total = (rows: typeof sealed) => rows.reduce((sum, row) => sum + row.count, 0)
    const unreadable = sealed.filter((row) => !keys.canOpen(row.keyId))
    const listed = unreadable.length === 0 ? "" : ` Not decrypted: ${listSealed(unreadable)}.`
    if ((yield* inspectCanary) === "undecryptable") {
      return [
        ofKeys(
          "failed",
          `The secret keys cannot decrypt the secrets in this database.${listed}`,
          `Set ORGPLANE_SECRET_KEYS to the keys used before, or restore the file secret-key in the data directory. ${lostFix}`
        )
      ]
    }
    const findings: Array<Finding> = []
    if (unreadable.length > 0) {
      const count = total(unreadable)
      findings.push(
        ofKeys(
          "failed",
          `${count} secret${count === 1 ? "" : "s"} cannot be decrypted, because the key is not configured: ${listSealed(unreadable)}.`,
          `Add the key that was removed from ORGPLANE_SECRET_KEYS, after the newest one. ${lostFix}`
        )
      )
    }
    const [newest, ...older] = keys.keyIds()
    const behind = newest === undefined ? [] : (yield* keyHolders).filter((holder) => !holder.decrypts(newest))
    if (behind[0] !== undefined) {
      findings.push(
        ofKeys(
          "warning",
          `${behind.length} running server${behind.length === 1 ? "" : "s"} cannot decrypt with the key ${newest}, such as ${nameOf(behind[0])}.`,
          "Restart each server with all keys in ORGPLANE_SECRET_KEYS."
        )
      )
    }
    const ofOlder = sealed.filter((row) => row.keyId !== newest && keys.canOpen(row.keyId))
    if (ofOlder.length > 0) {
      const count = total(ofOlder)
      findings.push(
        ofKeys(
          "warning",
          `${count} of ${total(sealed)} secrets ${count === 1 ? "is" : "are"} encrypted with an older key: ${listSealed(ofOlder)}.`,
          "Keep the older key. A running server re-encrypts them within an hour of its start, and orgplane-server rotate-keys does so now."
        )
      )
    }
    if (findings.length === 0) {
      findings.push(
        ofKeys(
          "ok",
          `${secrets.length} key${secrets.length === 1 ? "" : "s"} configured. The newest encrypts all secrets (${total(sealed)}).`
        )
      )
    }
    for (const keyId of older.filter((id) => !sealed.some((row) => row.keyId === id))) {
      findings.push(
        ofKeys(
          "ok",
          `The key ${keyId} is configured and encrypts no secret.`,
          keyFileOf(options) === undefined
            ? "Run orgplane-server rotate-keys --finish, and remove the key from ORGPLANE_SECRET_KEYS if the command says so."
            : "Retire it: run orgplane-server rotate-keys --finish."
        )
      )
    }
    return findings
  }).pipe(Effect.provide(KeyRing.layer(secrets, signing)))
})
