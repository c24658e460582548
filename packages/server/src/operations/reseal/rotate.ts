/** Rotates the secret keys: re-encrypts every value with the newest key, and retires the older ones. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { chooseSealingKey } from "../../infra/crypto/canary.ts"
import { keyHolders, nameOf } from "../../infra/crypto/key-holders.ts"
import { keyIdOf, KeyRing } from "../../infra/crypto/key-ring.ts"
import { countSealed, listSealed, type SealedCount } from "../../infra/crypto/sealed-columns.ts"
import { type Keys, readKeyFile, writeKeyFile } from "../../infra/key-file.ts"
import { makeSecret } from "../../infra/secret-keys.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { longStatementMillis, StatementMillisMax } from "../../infra/sql/statement-timeout.ts"
import { resealAll } from "./index.ts"

/** The rotation cannot begin or continue. The message states the cause and the fix. */
export class RotationRefused extends Data.TaggedError("RotationRefused")<{ readonly message: string }> {}

const refuse = (message: string) => new RotationRefused({ message })

export interface RotationRequest {
  /** `finish` creates no key. */
  readonly action: "rotate" | "finish"
  /** The key file of the data directory; undefined if the keys are configured. */
  readonly keyFile: string | undefined
  /** The newest key of the command's configuration, which a running server must have too. */
  readonly newest: string | undefined
  readonly show: (done: number, total: number) => void
}

export interface OlderKey {
  readonly keyId: string
  /** `retired`: removed from the key file, or only verifies there. `unused`: can be removed from the configuration. */
  readonly state: "retired" | "unused" | "needed"
  /** Why it is needed, and how to change that. */
  readonly reason: string | null
}

export interface RotationResult {
  readonly newest: string
  /** Whether this run created the newest key. */
  readonly isNew: boolean
  readonly keyFile: string | null
  readonly resealed: number
  readonly older: ReadonlyArray<OlderKey>
  /** Values that no configured key decrypts, as a list; null if there are none. */
  readonly unreadable: string | null
}

const attempt = <A>(task: () => Promise<A>) => Effect.tryPromise({ try: task, catch: (cause) => cause })

const total = (counts: ReadonlyArray<SealedCount>) => counts.reduce((sum, { count }) => sum + count, 0)

/** The file of a running server must have the keys with which it started, or those of an earlier rotation. */
const demandSameKeys = Effect.fnUntraced(function* (path: string, file: Keys) {
  const ring = (yield* KeyRing).keyIds()
  const ids = file.secrets.map(keyIdOf)
  if (ids[0] === ring[0] && ids.every((id) => ring.includes(id))) return
  return yield* refuse(
    `${path} has different keys than the running server. Restart the server, and run the command again.`
  )
})

/** Servers that are starting do not show their keys yet. */
const lookMax = 25
const lookPause = "200 millis"

/** Refuses to encrypt with a key with which a running server cannot decrypt. */
const demandKeysOnServers = Effect.fnUntraced(function* (newest: string) {
  for (let looks = 1; ; looks += 1) {
    const [behind] = (yield* keyHolders).filter((holder) => !holder.decrypts(newest))
    if (behind === undefined) return
    if (looks === lookMax || behind.showsKeys) {
      return yield* refuse(
        `${nameOf(behind).replace(/^t/, "T")} cannot decrypt with the key ${newest}, so nothing was changed. ` +
          (behind.showsKeys
            ? "Add the key to the end of ORGPLANE_SECRET_KEYS of every server, and restart them one after another. Then put it first, restart them again, and run the command again."
            : "It runs a release that does not support rotate-keys. Complete the upgrade first.")
      )
    }
    yield* Effect.sleep(lookPause)
  }
})

const passesMax = 10
const passPause = "500 millis"

/** Requests lock some values for a moment, and servers of an earlier key may have written some during a pass. */
const resealWithRetries = Effect.fnUntraced(function* (show: RotationRequest["show"]) {
  const sql = yield* SqlDatabase
  const keys = yield* KeyRing
  const newest = keys.sealingKey()
  /** Values without owner are never used. */
  const stale = Effect.map(countSealed(sql), (counts) =>
    counts.filter(
      ({ column, keyId }) => keyId !== newest && keys.canOpen(keyId) && column !== "sealed_values without owner"
    )
  )
  let rest = yield* stale
  let resealed = 0
  const all = total(rest)
  let done = 0
  show(0, all)
  for (let passes = 0; passes < passesMax && rest.length > 0; passes += 1) {
    if (passes > 0) yield* Effect.sleep(passPause)
    const pass = yield* resealAll(sql, keys, (count) => show(Math.min(all, (done += count)), all))
    resealed += pass.resealed
    rest = yield* stale
    // The same values would be skipped again.
    if (pass.resealed === 0 && pass.skipped >= total(rest)) break
  }
  return { resealed, rest }
})

const restartReason = (who: string) =>
  `${who} has encrypted with it since its start, and may still store a value that needs it. Restart it, and run orgplane-server rotate-keys --finish.`

/** Runs on the database of a stopped or of this running server. The key ring has the keys of the file or configuration. */
export const rotateKeys = Effect.fnUntraced(
  function* (request: RotationRequest) {
    const { action, keyFile } = request
    const sql = yield* SqlDatabase
    const keys = yield* KeyRing
    if (request.newest !== undefined && request.newest !== keys.keyIds()[0]) {
      return yield* refuse(
        "The running server has different keys than the configuration of this command. Restart the server with them, and run the command again."
      )
    }
    let file = keyFile === undefined ? undefined : yield* attempt(() => readKeyFile(keyFile))
    let isNew = false
    if (file !== undefined && keyFile !== undefined) {
      yield* demandSameKeys(keyFile, file)
      // With several keys, an earlier run was interrupted, or the older keys could not be retired yet.
      if (action === "rotate" && file.secrets.length === 1) {
        const secret = makeSecret()
        const added: Keys = { secrets: [secret, ...file.secrets], verifyOnly: file.verifyOnly }
        // A value that is encrypted with a key that is not on the disk yet could be lost.
        yield* attempt(() => writeKeyFile(keyFile, added)).pipe(
          Effect.andThen(Effect.sync(() => keys.addNewest(secret))),
          Effect.uninterruptible
        )
        file = added
        isNew = true
      }
    }
    const [newest = keys.sealingKey(), ...ring] = keys.keyIds()
    yield* demandKeysOnServers(newest)
    const behind = yield* chooseSealingKey
    if (behind.length > 0) yield* demandKeysOnServers(newest)
    const { resealed, rest } = yield* resealWithRetries(request.show)

    const holders = yield* keyHolders
    const inFile = file?.secrets.map(keyIdOf)
    const older = (inFile === undefined ? ring : ring.filter((keyId) => inFile.includes(keyId))).map(
      (keyId): OlderKey => {
        const needed = rest.filter((row) => row.keyId === keyId)
        if (needed.length > 0) {
          return {
            keyId,
            state: "needed",
            reason: `It encrypts ${listSealed(needed)}. Run orgplane-server rotate-keys --finish again.`
          }
        }
        const writer = holders.find((holder) => holder.encrypts(keyId))
        if (writer !== undefined) return { keyId, state: "needed", reason: restartReason(nameOf(writer)) }
        if (keys.usedKeys().has(keyId)) return { keyId, state: "needed", reason: restartReason("The server") }
        return { keyId, state: file === undefined ? "unused" : "retired", reason: null }
      }
    )
    const retired = new Set(older.filter(({ state }) => state === "retired").map(({ keyId }) => keyId))
    if (file !== undefined && keyFile !== undefined && retired.size > 0) {
      const [first, ...others] = file.secrets
      const remaining: Keys = {
        secrets: [first, ...others.filter((secret) => !retired.has(keyIdOf(secret)))],
        // Audit events that a key has signed can be verified only with it.
        verifyOnly: [...others.filter((secret) => retired.has(keyIdOf(secret))), ...file.verifyOnly]
      }
      yield* Effect.uninterruptible(attempt(() => writeKeyFile(keyFile, remaining)))
    }
    const unreadable = (yield* countSealed(sql)).filter(({ keyId }) => !keys.canOpen(keyId))
    return {
      newest,
      isNew,
      keyFile: keyFile ?? null,
      resealed,
      older,
      unreadable: unreadable.length === 0 ? null : listSealed(unreadable)
    } satisfies RotationResult
  },
  Effect.provideService(StatementMillisMax, longStatementMillis)
)
