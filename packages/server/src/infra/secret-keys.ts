import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { randomBytes } from "node:crypto"
import { access, chmod, link, mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { ControlPlaneOptions } from "./options.ts"

/** The secret keys are missing or too weak. */
export class SecretKeysUnusable extends Data.TaggedError("SecretKeysUnusable")<{ readonly message: string }> {}

const lengthMin = 32
const makeSecret = () => randomBytes(32).toString("base64url")

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false
  )

/** The secret key of a data directory, created at the first start with mode 0600: it decrypts every stored secret. */
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
  // The key is first written under another name, so that a crash does not leave an empty key file.
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
  // Anyone could decrypt values that an empty key encrypts.
  if (secret.length < lengthMin) {
    throw new SecretKeysUnusable({
      message:
        `The secret key ${path} is empty or truncated: it must have at least ${lengthMin} characters. ` +
        "The database contains nothing encrypted with it. Restore the file from a backup, or delete it to create a new key."
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
    if (options.signingKeys?.some((key) => key.length < lengthMin) === true) {
      return yield* new SecretKeysUnusable({
        message: `Each key in the option signingKeys (orgplane-server: ORGPLANE_SIGNING_KEYS) must have at least ${lengthMin} characters.`
      })
    }
    const [first, ...others] = options.secretKeys ?? []
    if (first !== undefined) {
      if ([first, ...others].some((secret) => secret.length < lengthMin)) {
        return yield* new SecretKeysUnusable({
          message: `Each key in the option secretKeys (orgplane-server: ORGPLANE_SECRET_KEYS) must have at least ${lengthMin} characters.`
        })
      }
      return [first, ...others]
    }
    const { database } = options
    if (database.kind === "postgres") {
      return yield* new SecretKeysUnusable({
        message:
          "Set the option secretKeys (orgplane-server: ORGPLANE_SECRET_KEYS). With PostgreSQL, all processes must share the same secret keys."
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
              message: `Cannot read the secret key in the data directory: ${cause instanceof Error ? cause.message : String(cause)}`
            })
    })
    return [secret]
  })
