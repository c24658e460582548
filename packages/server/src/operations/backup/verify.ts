/** Verifies a backup: restores it into a temporary directory, opens it, and compares it with its manifest. */
import type { Id } from "@orgplane/schema/shared/ids"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { statfs } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { AuditChain } from "../../identity/audit/chain.ts"
import { inspectCanary } from "../../infra/crypto/canary.ts"
import { KeyRing } from "../../infra/crypto/key-ring.ts"
import { SigningKeys } from "../../infra/crypto/signing-keys.ts"
import { KeysMalformed, readKeyFile } from "../../infra/key-file.ts"
import type { ControlPlaneOptions } from "../../infra/options.ts"
import { quantity } from "../../infra/quantity.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { install, onEmbeddedDatabase } from "../../infra/sql/database.ts"
import { Pglite } from "../../infra/sql/pglite.ts"
import { longStatementMillis, StatementMillisMax } from "../../infra/sql/statement-timeout.ts"
import type { Finding } from "../report.ts"
import { inspectSealed } from "../reseal/index.ts"
import { BackupFailed, diskFullCode } from "./failure.ts"
import { decodeFacts, type Facts, type Manifest, secretKeyName, summaryOf } from "./manifest.ts"
import * as repo from "./repo.ts"
import { demandSupported, type RestoreRequest, sizeOf } from "./restore.ts"
import { inTemporaryDirectory } from "./temporary-directory.ts"
import { unpack } from "./unpack.ts"

const ok = (check: string, message: string): Finding => ({ check, status: "ok", message })
const bad = (check: string, message: string, fix?: string): Finding => ({
  check,
  status: "failed",
  message,
  ...(fix === undefined ? {} : { fix })
})
const attempt = <A>(task: () => Promise<A>) => Effect.tryPromise({ try: task, catch: (cause) => cause })

const fix = "Use another backup."

const compareRows = (expected: Facts["rows"], actual: Facts["rows"]): Finding => {
  const tables = [...new Set([...Object.keys(expected), ...Object.keys(actual)])]
  const different = tables.filter((table) => expected[table] !== actual[table])
  const rows = Object.values(expected).reduce((sum, count) => sum + count, 0)
  if (different.length === 0)
    return ok("rows", `${quantity(rows, "row")} in ${quantity(tables.length, "table")}, as in the manifest.`)
  const listed = different
    .slice(0, 5)
    .map((table) => `${table} (${actual[table] ?? 0} instead of ${expected[table] ?? 0})`)
  return bad("rows", `The number of rows differs in ${quantity(different.length, "table")}: ${listed.join(", ")}.`, fix)
}

const compareHeads = (expected: Facts["auditChains"], actual: Facts["auditChains"]): ReadonlyArray<Finding> => {
  const hashes = new Map(actual.map(({ hash, organizationId, sequence }) => [organizationId, `${sequence} ${hash}`]))
  const different = expected.filter(
    ({ hash, organizationId, sequence }) => hashes.get(organizationId) !== `${sequence} ${hash}`
  )
  return different.length === 0 && expected.length === actual.length
    ? []
    : [
        bad(
          "audit log",
          `The ends of ${quantity(Math.max(1, different.length), "audit chain")} differ from the manifest.`,
          fix
        )
      ]
}

/** Every event of every organization. The lines of organizations without a problem are one line. */
const verifyChains = Effect.fnUntraced(function* (show: (done: string) => void) {
  const chain = yield* AuditChain
  const organizations = yield* repo.auditedOrganizations(yield* SqlDatabase)
  const problems: Array<Finding> = []
  let events = 0
  for (const [index, organization] of organizations.entries()) {
    show(`Verifying the audit log: organization ${index + 1} of ${organizations.length}`)
    const verdict = yield* chain.verify(organization as Id<"org">)
    events += verdict.eventCount
    if (!verdict.valid) {
      problems.push(bad("audit log", `${organization}, event ${verdict.firstInvalidSequence}: ${verdict.reason}`, fix))
    }
  }
  return problems.length > 0
    ? problems
    : [
        ok(
          "audit log",
          `${quantity(events, "event")} of ${quantity(organizations.length, "organization")}, and every chain is valid.`
        )
      ]
})

const keysFix = "Set ORGPLANE_SECRET_KEYS to the secret keys of the installation."

const verifySecrets = Effect.gen(function* () {
  const keys = yield* KeyRing
  if ((yield* inspectCanary) === "undecryptable") {
    return bad("secrets", "The secret keys cannot decrypt the secrets in this database.", keysFix)
  }
  const places = yield* inspectSealed(yield* SqlDatabase, keys)
  const total = places.reduce((sum, place) => sum + place.total, 0)
  const unreadable = places.filter((place) => place.unreadable > 0)
  if (unreadable.length === 0)
    return ok("secrets", `${quantity(total, "encrypted value")}, and the keys decrypt each of them.`)
  const listed = unreadable.map((place) => `${place.unreadable} of ${place.total} ${place.what}`)
  return bad("secrets", `The keys do not decrypt ${listed.join(", ")}.`, keysFix)
})

const skippedAfter = (checks: ReadonlyArray<string>, message: string): ReadonlyArray<Finding> =>
  checks.map((check) => ({ check, status: "skipped", message }))

/** Verifies the audit log and the secrets of an open database with this release's schema. */
export const inspectContents = Effect.fnUntraced(function* (
  secrets: ReadonlyArray<string>,
  signingKeys: ReadonlyArray<string>,
  show: (phase: string) => void
) {
  const [newest, ...others] = secrets
  if (newest === undefined) {
    return [
      bad("secrets", "There is no secret key.", keysFix),
      ...skippedAfter(["audit log"], "The audit log cannot be verified without the secret keys.")
    ]
  }
  const keys = KeyRing.layer([newest, ...others], signingKeys)
  const services = AuditChain.layer.pipe(Layer.provide(SigningKeys.layer), Layer.provideMerge(keys))
  return yield* Effect.gen(function* () {
    const chains = yield* verifyChains(show)
    show("Decrypting secrets")
    return [...chains, yield* verifySecrets]
  }).pipe(Effect.provide(services), Effect.provideService(StatementMillisMax, longStatementMillis))
})

const inDatabase = Effect.fnUntraced(function* (
  manifest: Manifest,
  secrets: ReadonlyArray<string>,
  signingKeys: ReadonlyArray<string>,
  show: (phase: string) => void
) {
  const sql = yield* SqlDatabase
  const pglite = yield* Pglite
  show("Counting rows")
  const statement = yield* repo.factsStatement(sql)
  if (statement === undefined) return [bad("rows", "The database has no tables of orgplane.", fix)]
  const facts = yield* pglite.atRest((read) =>
    attempt(async () => decodeFacts(JSON.parse((await read(statement)) ?? "")))
  )
  const before = [compareRows(manifest.rows, facts.rows), ...compareHeads(manifest.auditChains, facts.auditChains)]
  // The copy is upgraded, because the checks read the tables of this release.
  yield* install(manifest.schema ?? undefined)
  return [...before, ...(yield* inspectContents(secrets, signingKeys, show))]
})

const databaseChecks = ["rows", "audit log", "secrets"]

const mebibyte = 1024 * 1024
/** PostgreSQL needs space for a segment of its log when it starts. */
const segmentBytes = 16 * mebibyte

/**
 * The error code if the file system is full. The embedded database can fail without such a code, so the free space is
 * also checked.
 */
const fullCodeOf = async (cause: unknown, directory: string): Promise<string | undefined> => {
  const code = diskFullCode(cause)
  if (code !== undefined) return code
  const free = await statfs(directory).catch(() => undefined)
  return free !== undefined && free.bavail * free.bsize < segmentBytes ? "ENOSPC" : undefined
}

class TemporaryDirectoryFull extends Data.TaggedError("TemporaryDirectoryFull")<{ readonly code: string }> {}

const whenFull = async (code: string, file: string): Promise<ReadonlyArray<Finding>> => [
  bad(
    "temporary files",
    `The file system of the temporary directory ${tmpdir()} is full (${code}), so the backup was not verified.`,
    `Free disk space, or set the environment variable TMPDIR to a directory with more space than the backup (${Math.ceil((await sizeOf(file)) / mebibyte)} MiB).`
  ),
  ...skippedAfter(["file", ...databaseChecks], "The temporary directory is full.")
]

/** The result of each check. The temporary directory is deleted, also when the verification is canceled. */
export const verify = (
  request: RestoreRequest,
  { secretKeys: configuredSecrets = [], signingKeys = [] }: Pick<ControlPlaneOptions, "secretKeys" | "signingKeys">,
  describe: (error: unknown) => string
): Effect.Effect<ReadonlyArray<Finding>, unknown> =>
  inTemporaryDirectory((directory) =>
    Effect.gen(function* () {
      const { credentials, file, progress, signal } = request
      const unpacked = yield* attempt(async () => {
        const total = await sizeOf(file)
        const onRead = (bytes: number) => progress.show("Reading the backup", bytes, total)
        const manifest = await unpack({ file, credentials, into: directory, signal, onRead })
        demandSupported(file, manifest)
        return manifest
      }).pipe(Effect.result)
      if (unpacked._tag === "Failure") {
        if (!(unpacked.failure instanceof BackupFailed)) return yield* Effect.fail(unpacked.failure)
        const { message } = unpacked.failure
        return [bad("file", message), ...skippedAfter(databaseChecks, "The file cannot be restored.")]
      }
      const manifest = unpacked.success
      const { hasSecretKey } = summaryOf(manifest)
      const intact = ok(
        "file",
        `${quantity(manifest.parts.length, "part")} with the SHA-256 of the manifest, made by orgplane ${manifest.orgplane} at ${manifest.createdAt}, schema version ${manifest.schemaVersion}.`
      )
      const ownKeys = yield* hasSecretKey
        ? attempt(() => readKeyFile(join(directory, secretKeyName))).pipe(Effect.result)
        : Effect.succeed(undefined)
      if (ownKeys?._tag === "Failure") {
        if (!(ownKeys.failure instanceof KeysMalformed)) return yield* Effect.fail(ownKeys.failure)
        // The message omits the path of the temporary directory.
        return [intact, bad("secrets", "The key file in the backup is malformed.", fix)]
      }
      const own = ownKeys?.success
      progress.show("Opening the database")
      const checked = yield* onEmbeddedDatabase(
        { dataDir: directory, ...(manifest.schema === null ? {} : { schema: manifest.schema }) },
        inDatabase(
          manifest,
          [...configuredSecrets, ...(own?.secrets ?? [])],
          [...signingKeys, ...(own?.verifyOnly ?? [])],
          progress.show
        )
      ).pipe(Effect.result)
      if (checked._tag === "Success") return [intact, ...checked.success]
      const code = yield* Effect.promise(() => fullCodeOf(checked.failure, directory))
      if (code !== undefined) return yield* new TemporaryDirectoryFull({ code })
      return [
        intact,
        bad("database", describe(checked.failure), fix),
        ...skippedAfter(databaseChecks, "The database cannot be opened.")
      ]
    })
  ).pipe(
    Effect.catch((error) => {
      const code = error instanceof TemporaryDirectoryFull ? error.code : diskFullCode(error)
      return code === undefined ? Effect.fail(error) : attempt(() => whenFull(code, request.file))
    })
  )
