/** The command `rotate-keys` of `orgplane-server`. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { resolve } from "node:path"
import { keyIdOf, KeyRing } from "./infra/crypto/key-ring.ts"
import { SigningKeys } from "./infra/crypto/signing-keys.ts"
import type { ControlPlaneOptions } from "./infra/options.ts"
import { pathExists } from "./infra/path-exists.ts"
import { quantity } from "./infra/quantity.ts"
import { keyFileOf, makeSecret, secretKeysOf } from "./infra/secret-keys.ts"
import { databaseState, onExistingDatabase, schemaFault, schemaVersion } from "./infra/sql/database.ts"
import { DataDirLocked } from "./infra/sql/data-dir.ts"
import { inspectDataDir } from "./infra/sql/data-dir-state.ts"
import { codeOf } from "./infra/sql/failure-code.ts"
import type { Progress } from "./operations/progress.ts"
import { discardUnreadable, type DiscardResult } from "./operations/reseal/discard.ts"
import { RotationRefused, type RotationResult, rotateKeys } from "./operations/reseal/rotate.ts"
import { type Action, askForRotation, type KeysResult, rotateSigningKey } from "./operations/reseal/serve.ts"
import { type RotationStatus, statusOfKeys } from "./operations/reseal/status.ts"
import { type CommandInvocation, optionsOf, type Outcome, runCommand, usage } from "./operator-command.ts"
import { startFailure } from "./start-error.ts"

const refused = (message: string) => new RotationRefused({ message })

const rotationLines = ({ isNew, keyFile, newest, older, resealed, unreadable }: RotationResult): string =>
  [
    ...(isNew ? [`Created the key ${newest} in ${keyFile}.`] : []),
    `Re-encrypted ${quantity(resealed, "secret")} with the key ${newest}.`,
    ...older.map(({ keyId, reason, state }) => {
      if (state === "needed") return `The key ${keyId} is still needed. ${reason}`
      return state === "retired"
        ? `Retired the key ${keyId}. It only verifies what it has signed.`
        : `The key ${keyId} is no longer needed. In ORGPLANE_SECRET_KEYS of every server, write verify: before it, so that it only verifies what it has signed, or remove it.`
    }),
    ...(unreadable === null ? [] : [`No configured key decrypts ${unreadable}.`])
  ].join("\n")

const statusLines = ({ keys, servers }: RotationStatus): string => {
  const header = ["KEY", "USE", "TABLE", "SECRETS"]
  const rows = keys.flatMap(({ keyId, use, values }) =>
    values.length === 0
      ? [[keyId, use, "-", "0"]]
      : values.map(({ column, count }) => [keyId, use, column, String(count)])
  )
  const widths = header.map((name, index) => Math.max(name.length, ...rows.map((row) => row[index]?.length ?? 0)))
  const table = [header, ...rows].map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join("  ")
      .trimEnd()
  )
  const missing = keys.flatMap(({ keyId, missingOn }) =>
    missingOn.map((name) => `${name} does not have the key ${keyId}.`)
  )
  return [
    ...table,
    ...(servers === 0 ? [] : [`Servers on the database: ${servers}.`]),
    ...missing.map((line) => line.replace(/^t/, "T"))
  ].join("\n")
}

const discardLines = ({ isDone, values }: DiscardResult): string => {
  const listed = values.map(({ column, count, what }) => `${what} (${column}: ${count})`)
  if (listed.length === 0) return "The configured keys decrypt every secret. Nothing was changed."
  return isDone
    ? [
        `Deleted what no configured key decrypts: ${listed.join(", ")}.`,
        "Start the servers. docs/keys.md lists who must connect again."
      ].join("\n")
    : [
        `No configured key decrypts ${listed.join(", ")}.`,
        "Nothing was changed. If a copy of the key exists, restore it. To delete these secrets, run the command again with --yes."
      ].join("\n")
}

const outcomeOf = (result: KeysResult | DiscardResult, isFinish: boolean): Outcome => {
  if ("keys" in result) return { lines: statusLines(result), json: result, exitCode: 0 }
  if ("created" in result) {
    const retired = result.retired.map((id) => `The signing key ${id} only verifies from now on.`)
    return { lines: [`Created the signing key ${result.created}.`, ...retired].join("\n"), json: result, exitCode: 0 }
  }
  if ("isDone" in result) {
    return { lines: discardLines(result), json: result, exitCode: result.isDone || result.values.length === 0 ? 0 : 1 }
  }
  return {
    lines: rotationLines(result),
    json: result,
    exitCode: isFinish && result.older.some(({ state }) => state === "needed") ? 1 : 0
  }
}

/** The tables must be those of this release. */
const demandSchema = Effect.gen(function* () {
  const { pending, schema } = yield* databaseState
  const fault = schemaFault(schema, "The schema version is")
  if (fault !== undefined) return yield* refused(fault)
  if (pending.length > 0) {
    return yield* refused(
      `The schema version is ${schema.version}, but this release requires ${schemaVersion}. Run orgplane-server migrate first.`
    )
  }
})

const isMissing = async (dataDir: string): Promise<boolean> => {
  try {
    return (await inspectDataDir(dataDir)) === "empty"
  } catch (cause) {
    if (codeOf(cause) === "ENOENT" || codeOf(cause) === "ENOTDIR") return true
    throw cause
  }
}

/** Opens the database in this process: a PostgreSQL server, or an embedded database that no server uses. */
const runHere = (options: ControlPlaneOptions, action: Action, progress: Progress) =>
  onExistingDatabase(
    options.database,
    Effect.gen(function* () {
      yield* demandSchema
      if (action === "status") {
        // Without the keys, the status shows what they have encrypted.
        const keys = yield* Effect.option(secretKeysOf(options, true))
        return yield* statusOfKeys(keys._tag === "Some" ? keys.value : undefined)
      }
      const { secrets, signing } = yield* secretKeysOf(options, true)
      const keys = KeyRing.layer(secrets, signing)
      if (action === "signing-key") {
        return yield* rotateSigningKey.pipe(Effect.provide(SigningKeys.layer.pipe(Layer.provide(keys))))
      }
      const show = (done: number, total: number) => progress.show("Re-encrypting secrets", done, total, "rows")
      return yield* rotateKeys({ action, keyFile: keyFileOf(options), newest: undefined, show }).pipe(
        Effect.provide(keys)
      )
    }),
    "orgplane-rotate-keys"
  )

/** Without the key file, every secret is undecryptable. A new one is created only before they are deleted. */
const keysAfterLoss = Effect.fnUntraced(function* (options: ControlPlaneOptions, isDone: boolean) {
  const path = keyFileOf(options)
  const isLost = path !== undefined && !(yield* Effect.promise(() => pathExists(path)))
  if (!isLost) return yield* secretKeysOf(options, true)
  return isDone ? yield* secretKeysOf(options, false) : { secrets: [makeSecret()] as const, signing: [] }
})

const discardHere = (options: ControlPlaneOptions, isDone: boolean) =>
  onExistingDatabase(
    options.database,
    Effect.gen(function* () {
      yield* demandSchema
      const { secrets, signing } = yield* keysAfterLoss(options, isDone)
      return yield* Effect.provide(discardUnreadable(isDone), KeyRing.layer(secrets, signing))
    }),
    "orgplane-rotate-keys"
  )

const attempt = <A>(task: () => Promise<A>) => Effect.tryPromise({ try: task, catch: (cause) => cause })

const run = Effect.fnUntraced(function* (
  options: ControlPlaneOptions,
  action: Action | "discard" | "list-unreadable",
  progress: Progress,
  signal: AbortSignal
) {
  const { database } = options
  const here: Effect.Effect<KeysResult | DiscardResult, unknown> =
    action === "discard" || action === "list-unreadable"
      ? discardHere(options, action === "discard")
      : runHere(options, action, progress)
  if (database.kind === "postgres") return yield* here
  if (database.dataDir === "memory") return yield* refused("A database in memory has no keys to rotate.")
  const dataDir = resolve(database.dataDir)
  const [first] = options.secretKeys ?? []
  const isDiscard = action === "discard" || action === "list-unreadable"
  if (!isDiscard) {
    const request = { action, newest: first === undefined ? undefined : keyIdOf(first) }
    const show = (done: number, total: number) => progress.show("Re-encrypting secrets", done, total, "rows")
    const served = yield* attempt(() => askForRotation(dataDir, request, show, signal))
    if (served !== undefined) return served
  }
  if (yield* attempt(() => isMissing(dataDir))) {
    return yield* refused(`${dataDir} contains no database. Check --data-dir or ORGPLANE_DATA_DIR.`)
  }
  return yield* Effect.catchIf(
    here,
    (error): error is DataDirLocked => error instanceof DataDirLocked,
    (error) =>
      refused(
        isDiscard
          ? `${error.message} Stop the server before you run the command again.`
          : `${error.message} It does not listen on operator.sock, so stop it before you run the command again.`
      )
  )
})

const describe = (error: unknown, { database }: ControlPlaneOptions): string =>
  error instanceof RotationRefused ? error.message : startFailure(Cause.fail(error), { database, names: "variables" })

export const runKeysCommand = (invocation: CommandInvocation) =>
  runCommand(invocation, ({ progress, signal }) => {
    const given = (["finish", "status", "signing-key", "discard-unreadable"] as const).filter(
      (name) => invocation.options[name] !== undefined
    )
    const isConfirmed = invocation.options["yes"] !== undefined
    if (isConfirmed && given[0] !== "discard-unreadable") return usage("--yes requires --discard-unreadable.")
    if (given.length > 1) return usage(`--${given.join(" and --")} cannot be combined.`)
    const [only = "rotate"] = given
    const action = only === "discard-unreadable" ? (isConfirmed ? "discard" : "list-unreadable") : only
    const options = optionsOf(invocation)
    return {
      effect: Effect.map(run(options, action, progress, signal), (result) => outcomeOf(result, action === "finish")),
      describe: (error, isCanceled) =>
        isCanceled
          ? { message: "The rotation was canceled. Run the command again to continue.", exitCode: 130 }
          : { message: describe(error, options), exitCode: 1 },
      isInterruptible: true
    }
  })
