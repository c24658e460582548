import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { randomBytes } from "node:crypto"
import { access, chmod, link, mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { ControlPlaneOptions } from "./options.ts"

/** The secrets that seal and sign are missing or too weak. */
export class SecretKeysUnusable extends Data.TaggedError("SecretKeysUnusable")<{ readonly message: string }> {}

const lengthMin = 32
const makeSecret = () => randomBytes(32).toString("base64url")

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false
  )

/** A data directory's own secret, made at the first start: 0600, because whoever reads it opens every sealed value. */
const ownSecret = async (dataDir: string, mayMake: boolean): Promise<string> => {
  const path = join(dataDir, "secret-key")
  if (!mayMake) {
    // A new key could not decrypt anything, and would prevent restoring the old one.
    if (await isThere(path)) return (await readFile(path, "utf8")).trim()
    throw new SecretKeysUnusable({
      message:
        `The secret key ${path} is missing, and the database contains secrets that only this key can decrypt. ` +
        "Restore the file from a backup, or set ORGPLANE_SECRET_KEYS to its content."
    })
  }
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  await chmod(dataDir, 0o700)
  // Written whole under another name first: a crash in between must not leave an empty secret behind.
  const hidden = `${path}.${process.pid}`
  await writeFile(hidden, `${makeSecret()}\n`, { mode: 0o600 })
  try {
    await link(hidden, path)
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && cause.code === "EEXIST")) throw cause
  } finally {
    await rm(hidden, { force: true })
  }
  const secret = (await readFile(path, "utf8")).trim()
  // What the database seals from now on would be open to everybody who tries the empty secret.
  if (secret.length < lengthMin) {
    throw new SecretKeysUnusable({
      message:
        `The secret key ${path} is empty or cut short: it needs at least ${lengthMin} characters. ` +
        "The database holds nothing that it sealed. Restore the file from a backup, or delete it to have a new one made."
    })
  }
  return secret
}

/**
 * The secrets of a control plane, newest first; with `isSealed` none is generated, because the database already has
 * its keys.
 */
export const secretKeysOf = (
  options: ControlPlaneOptions,
  isSealed: boolean
): Effect.Effect<readonly [string, ...Array<string>], SecretKeysUnusable> =>
  Effect.gen(function* () {
    const [first, ...others] = options.secretKeys ?? []
    if (first !== undefined) {
      if ([first, ...others].some((secret) => secret.length < lengthMin)) {
        return yield* new SecretKeysUnusable({ message: `Each secret key needs at least ${lengthMin} characters.` })
      }
      return [first, ...others]
    }
    const { database } = options
    if (database.kind === "postgres") {
      return yield* new SecretKeysUnusable({
        message: "With PostgreSQL the secret keys must be given (ORGPLANE_SECRET_KEYS): all processes share them."
      })
    }
    if (database.dataDir === "memory") return [makeSecret()]
    const { dataDir } = database
    const secret = yield* Effect.tryPromise({
      try: () => ownSecret(dataDir, !isSealed),
      catch: (cause) =>
        cause instanceof SecretKeysUnusable
          ? cause
          : new SecretKeysUnusable({
              message: `The data directory's secret key cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`
            })
    })
    return [secret]
  })
