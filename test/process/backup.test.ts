import { Decrypter, generateX25519Identity, identityToRecipient } from "age-encryption"
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it, vi } from "vitest"
import {
  ask,
  beginServer,
  type Ended,
  makeDataDir,
  makeFolder,
  makeWorkspace,
  type Running,
  runServer,
  startServer,
  until
} from "./server.fixture.ts"
import { listPlugins, startWriters } from "./writers.fixture.ts"

// Each test starts several processes, possibly on a busy machine.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

interface Finding {
  readonly check: string
  readonly status: string
  readonly message: string
}

const run = (...args: ReadonlyArray<string>) => runServer({}, { arguments: args })

/** On a busy machine, a command prints its progress every five seconds. */
const progress = /^(?:(?:Waiting|Writing|Reading|Restoring|Opening|Counting|Verifying|Decrypting)\b.*\n)*$/

const resultOf = (ended: Ended) => {
  expect(ended).toMatchObject({ code: 0, stderr: expect.stringMatching(progress) })
  return JSON.parse(ended.stdout)
}

/** Verifies a backup, and returns the exit code and the status of each check. */
const verified = async (file: string, ...args: ReadonlyArray<string>) => {
  const ended = await run("restore", file, "--verify", "--json", ...args)
  expect(ended.stderr).toMatch(progress)
  const { findings } = JSON.parse(ended.stdout) as { readonly findings: ReadonlyArray<Finding> }
  return {
    code: ended.code,
    checks: findings.map(({ check, status }) => `${status} ${check}`),
    message: findings.map(({ message }) => message).join("\n")
  }
}

const clean = ["ok file", "ok rows", "ok audit log", "ok secrets"]

const kill = async (server: Running) => {
  server.signal("SIGKILL")
  await server.ended
}

const stop = async (server: Running) => {
  server.signal("SIGTERM")
  expect(await server.ended).toMatchObject({ code: 0 })
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

/** Every file of a directory, with its size. */
const contentsOf = (directory: string) =>
  readdirSync(directory, { recursive: true, encoding: "utf8" })
    .sort()
    .map((name) => [name, statSync(join(directory, name)).size])

const folder = makeFolder()
const file = join(folder, "orgplane.tar")
const passphraseFile = join(folder, "passphrase")
const identityFile = join(folder, "identity")
let recipient: string

beforeAll(async () => {
  const identity = await generateX25519Identity()
  recipient = await identityToRecipient(identity)
  writeFileSync(identityFile, `# created by a test\n${identity}\n`, { mode: 0o600 })
  writeFileSync(passphraseFile, "correct horse battery staple\n", { mode: 0o600 })

  const dataDir = makeDataDir()
  const server = await startServer({ ORGPLANE_DATA_DIR: dataDir, ORGPLANE_SEED: "none" })
  await makeWorkspace(server.baseUrl)
  // Creates a signing key, which is stored encrypted.
  expect((await ask(server.baseUrl, undefined, "GET", "/v1/keys")).status).toBe(200)
  resultOf(await run("backup", "--to", file, "--data-dir", dataDir, "--json"))
  await stop(server)
})

describe("a backup of a server under load", () => {
  it("contains every write that was acknowledged before it began, also after the server is killed", async () => {
    const dataDir = makeDataDir()
    const socket = join(dataDir, "operator.sock")
    const target = join(folder, "restored")
    const backup = join(folder, "under-load.tar")
    const server = await startServer({ ORGPLANE_DATA_DIR: dataDir, ORGPLANE_SEED: "none" })
    expect([modeOf(socket), modeOf(dataDir), statSync(socket).isSocket()]).toEqual(["600", "700", true])
    const token = await makeWorkspace(server.baseUrl)
    const { ledger, stop: stopWriters } = startWriters(server.baseUrl, token)
    await until(
      async () => ledger.length,
      (count) => count >= 100
    )
    const result = resultOf(await run("backup", "--to", backup, "--data-dir", dataDir, "--json"))
    const afterBackup = ledger.length
    await until(
      async () => ledger.length,
      (count) => count >= afterBackup + 20
    )
    await kill(server)
    await stopWriters()
    expect(result).toMatchObject({ isOnline: true, isEncrypted: false, hasSecretKey: true, file: backup, dataDir })
    expect(modeOf(backup)).toBe("600")
    expect(existsSync(join(dataDir, "backup.making"))).toBe(false)
    expect(readdirSync(folder).filter((name) => name.includes("partial"))).toEqual([])

    expect(await verified(backup)).toMatchObject({ code: 0, checks: clean })

    const restored = resultOf(await run("restore", backup, "--data-dir", target, "--json"))
    expect(restored).toMatchObject({ dataDir: target, rows: result.rows })
    expect([modeOf(target), modeOf(join(target, "secret-key"))]).toEqual(["700", "600"])
    expect(readFileSync(join(target, "secret-key"), "utf8")).toBe(readFileSync(join(dataDir, "secret-key"), "utf8"))
    const began = Date.parse(restored.createdAt)
    const before = ledger.filter(({ at }) => at < began)
    expect(before.length).toBeGreaterThanOrEqual(60)
    const again = await startServer({ ORGPLANE_DATA_DIR: target, ORGPLANE_SEED: "none" })
    const ids = await listPlugins(again.baseUrl, token)
    expect(before.filter(({ id }) => !ids.has(id))).toEqual([])
    // The last writes came after the snapshot.
    expect(ids.has(ledger.at(-1)?.id ?? "")).toBe(false)
    expect((await ask(again.baseUrl, token, "POST", "/v1/audit-events/verify")).body.verification.valid).toBe(true)
    await stop(again)
    expect(existsSync(join(target, "operator.sock"))).toBe(false)

    // The socket of the killed server is still there, and nothing listens on it.
    expect(existsSync(socket)).toBe(true)
    const offline = resultOf(await run("backup", "--to", backup, "--data-dir", dataDir, "--json"))
    expect(offline).toMatchObject({ isOnline: false })
    expect(offline.rows).toBeGreaterThan(result.rows)
    await stop(await startServer({ ORGPLANE_DATA_DIR: dataDir, ORGPLANE_SEED: "none" }))
    expect(existsSync(socket)).toBe(false)
  })

  it("writes nothing if the server stops meanwhile or another backup runs", async () => {
    const dataDir = makeDataDir()
    const environment = { ORGPLANE_DATA_DIR: dataDir, ORGPLANE_SEED: "none" }
    const server = await startServer(environment)
    const to = join(folder, "interrupted.tar")
    const first = run("backup", "--to", to, "--data-dir", dataDir)
    await until(async () => existsSync(join(dataDir, "backup.making")), Boolean)
    const second = await run("backup", "--to", join(folder, "second.tar"), "--data-dir", dataDir)
    expect([second.code, second.stderr]).toEqual([1, expect.stringContaining("Another backup")])
    expect(existsSync(join(folder, "second.tar"))).toBe(false)
    await first

    const killed = run("backup", "--to", to, "--data-dir", dataDir)
    const complete = readFileSync(to)
    await until(async () => existsSync(join(dataDir, "backup.making")), Boolean)
    await kill(server)
    expect(await killed).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("Run it again.") })
    // The earlier backup is unchanged.
    expect(readFileSync(to).equals(complete)).toBe(true)
    await stop(await startServer(environment))
    expect(existsSync(join(dataDir, "backup.making"))).toBe(false)
  })
})

describe("restore", () => {
  it("refuses a damaged, truncated or foreign file, and leaves nothing behind", async () => {
    const bytes = readFileSync(file)
    const target = join(folder, "never")
    const damagedFile = join(folder, "damaged.tar")
    const middle = Math.floor(bytes.length / 2)
    const changed = Buffer.from(bytes)
    changed[middle] = (changed[middle] ?? 0) ^ 1
    const foreign = Buffer.from("This is not a backup. ".repeat(100))
    for (const [content, message] of [
      [changed, /is damaged or incomplete: .*differs/],
      [bytes.subarray(0, middle), /is damaged or incomplete/],
      [foreign, /is damaged|is not a backup/]
    ] as const) {
      writeFileSync(damagedFile, content)
      const restored = await run("restore", damagedFile, "--data-dir", target)
      expect(restored).toMatchObject({ code: 1, stdout: "", stderr: expect.stringMatching(message) })
      expect(existsSync(target)).toBe(false)
      const checked = await verified(damagedFile)
      expect([checked.code, checked.checks[0]]).toEqual([1, "failed file"])
    }
  })

  it("refuses a directory that is not empty, and does not change it", async () => {
    const target = makeFolder()
    mkdirSync(join(target, "database"))
    writeFileSync(join(target, "database/notes"), "keep")
    const before = contentsOf(target)
    const refused = await run("restore", file, "--data-dir", target)
    expect(refused).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("is not empty (database)") })
    expect(contentsOf(target)).toEqual(before)
  })

  it("reports usage errors and missing files", async () => {
    for (const [args, message, code] of [
      [["restore", file], "restore requires --data-dir DIR or --verify.", 2],
      [["restore", "--verify"], "restore requires the file of a backup.", 2],
      [["restore", file, "--data-dir"], "--data-dir requires a value (DIR).", 2],
      [["backup", "--data-dir", folder], "backup requires --to FILE.", 2],
      [["backup", "--too", "x"], "Unknown arguments: --too", 2],
      [["restore", join(folder, "none"), "--verify"], "Cannot read", 1],
      [["backup", "--to", join(folder, "x"), "--data-dir", join(folder, "none")], "contains no database", 1]
    ] as const) {
      const ended = await run(...args)
      expect([ended.code, ended.stdout + ended.stderr]).toEqual([code, expect.stringContaining(message)])
    }
  })

  it("names pg_dump for a PostgreSQL database", async () => {
    const environment = {
      ORGPLANE_DATABASE_URL: "postgres://orgplane@127.0.0.1:1/orgplane",
      ORGPLANE_SECRET_KEYS: "a secret key that is long enough to be one"
    }
    const ended = await runServer(environment, { arguments: ["backup", "--to", join(folder, "postgres.tar")] })
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining("pg_dump --schema=orgplane") })
  })
})

/** Ends the process with SIGKILL right after it has moved the file of this name out of the directory of a restore. */
const killedAfterMoving = (name: string) =>
  `--import=data:text/javascript,${encodeURIComponent(`
    import { promises } from "node:fs"
    import { syncBuiltinESMExports } from "node:module"
    const { rename } = promises
    promises.rename = async (from, to) => {
      await rename(from, to)
      if (String(from).endsWith("/restore.making/${name}")) process.kill(process.pid, "SIGKILL")
    }
    syncBuiltinESMExports()
  `)}`

describe("a restore that was killed", () => {
  const killed = async (name: string) => {
    const target = join(makeFolder(), "data")
    const ended = await runServer(
      { NODE_OPTIONS: killedAfterMoving(name) },
      { arguments: ["restore", file, "--data-dir", target] }
    )
    expect(ended).toMatchObject({ code: null, signal: "SIGKILL", stdout: "" })
    return target
  }
  const entriesOf = (directory: string) => readdirSync(directory).filter((name) => !name.startsWith("orgplane.lock"))

  it("before it moved the database is deleted by the next restore, which can be of another backup", async () => {
    const target = await killed("secret-key")
    expect(entriesOf(target)).toEqual(["restore.making", "secret-key"])
    const started = await runServer({ ORGPLANE_DATA_DIR: target })
    expect([started.code, started.stderr]).toEqual([
      1,
      expect.stringContaining(`Run the same command again: orgplane-server restore FILE --data-dir ${target}.`)
    ])
    // A restore of a damaged file also deletes the killed restore.
    const damagedFile = join(folder, "damaged-again.tar")
    writeFileSync(damagedFile, readFileSync(file).subarray(0, 100_000))
    expect(await run("restore", damagedFile, "--data-dir", target)).toMatchObject({ code: 1 })
    expect(entriesOf(target)).toEqual([])

    const again = await killed("secret-key")
    resultOf(await run("restore", file, "--data-dir", again, "--json"))
    expect(entriesOf(again)).toEqual(["database", "secret-key"])
    await stop(await startServer({ ORGPLANE_DATA_DIR: again, ORGPLANE_SEED: "none" }))
  })

  it("after it moved the database is complete, and the next restore reports this and changes nothing", async () => {
    const target = await killed("database")
    const before = contentsOf(target)
    const refused = await run("restore", file, "--data-dir", target)
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining(`A restore into ${target} was interrupted after it was complete.`)
    ])
    expect(contentsOf(target)).toEqual(before)
    await stop(await startServer({ ORGPLANE_DATA_DIR: target, ORGPLANE_SEED: "none" }))

    // The key belongs to the server from now on, also if its database is missing.
    rmSync(join(target, "database"), { recursive: true })
    const missing = await run("restore", file, "--data-dir", target)
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining("is not empty (secret-key)")])
    expect(existsSync(join(target, "secret-key"))).toBe(true)
  })

  it("does not delete a key file that was in the directory before", async () => {
    const target = makeFolder()
    writeFileSync(join(target, "secret-key"), "a secret key that is long enough to be one\n", { mode: 0o600 })
    mkdirSync(join(target, "restore.making"))
    const refused = await run("restore", file, "--data-dir", target)
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("is not empty (secret-key)")])
    expect(existsSync(join(target, "secret-key"))).toBe(true)
  })
})

describe("an encrypted backup", () => {
  it("is restored with its passphrase or identity only, and the age format is the standard one", async () => {
    const dataDir = join(folder, "source")
    resultOf(await run("restore", file, "--data-dir", dataDir, "--json"))
    const withPassphrase = join(folder, "passphrase.age")
    const withIdentity = join(folder, "identity.age")
    const common = ["--data-dir", dataDir, "--json"]
    const encrypted = resultOf(
      await run("backup", "--to", withPassphrase, "--passphrase-file", passphraseFile, ...common)
    )
    expect(encrypted).toMatchObject({ isEncrypted: true, isOnline: false })
    resultOf(await run("backup", "--to", withIdentity, "--recipient", recipient, ...common))
    expect(readFileSync(withIdentity, "latin1")).toMatch(/^age-encryption\.org\/v1\n/)
    const secretKey = readFileSync(join(dataDir, "secret-key"), "utf8").trim()
    expect(readFileSync(withIdentity).includes(secretKey)).toBe(false)

    expect(await verified(withPassphrase, "--passphrase-file", passphraseFile)).toMatchObject({
      code: 0,
      checks: clean
    })
    expect(await verified(withIdentity, "--identity-file", identityFile)).toMatchObject({ code: 0, checks: clean })

    const wrongPassphrase = join(folder, "wrong-passphrase")
    writeFileSync(wrongPassphrase, "a wrong passphrase\n")
    const target = join(folder, "never")
    for (const [args, message] of [
      [[withPassphrase], "is encrypted. Set --identity-file or --passphrase-file."],
      [[withPassphrase, "--passphrase-file", wrongPassphrase], "The passphrase does not decrypt"],
      [[withPassphrase, "--identity-file", identityFile], "The identity does not decrypt"],
      [[withIdentity, "--passphrase-file", passphraseFile], "The passphrase does not decrypt"],
      [[file, "--passphrase-file", passphraseFile], "is not encrypted."]
    ] as const) {
      const refused = await run("restore", ...args, "--data-dir", target)
      expect(refused).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(message) })
      expect(existsSync(target)).toBe(false)
    }
    const damagedFile = join(folder, "damaged.age")
    const bytes = readFileSync(withIdentity)
    bytes[bytes.length - 1000] = (bytes[bytes.length - 1000] ?? 0) ^ 1
    writeFileSync(damagedFile, bytes)
    const damaged = await run("restore", damagedFile, "--data-dir", target, "--identity-file", identityFile)
    expect(damaged).toMatchObject({ code: 1, stderr: expect.stringContaining("is damaged or incomplete") })
    expect(existsSync(target)).toBe(false)

    const decrypter = new Decrypter()
    decrypter.addPassphrase("correct horse battery staple")
    expect((await decrypter.decrypt(readFileSync(withPassphrase))).length).toBe(encrypted.bytes)
    // The program `age`, where it is installed, decrypts to the same archive, which `tar` lists.
    if (spawnSync("age", ["--version"]).error === undefined) {
      const plain = execFileSync("age", ["--decrypt", "-i", identityFile, withIdentity], { maxBuffer: 2 ** 30 })
      const names = execFileSync("tar", ["-t"], { input: plain, encoding: "utf8", maxBuffer: 2 ** 24 }).split("\n")
      expect(names.slice(0, 3)).toEqual(["manifest.json", "manifest.json.sha256", "database/"])
    }
  })

  it("rejects keys that cannot be used before it reads the database", async () => {
    const short = join(folder, "short")
    writeFileSync(short, "short\n")
    const { code, stderr } = await run(
      "backup",
      "--to",
      join(folder, "x"),
      "--data-dir",
      folder,
      "--recipient",
      "age1x"
    )
    expect([code, stderr]).toEqual([1, expect.stringContaining("--recipient must be a public key")])
    const identity = await generateX25519Identity()
    const secret = await run("backup", "--to", join(folder, "x"), "--data-dir", folder, "--recipient", identity)
    expect([secret.code, secret.stderr]).toEqual([1, expect.stringContaining("it is a private key")])
    expect(secret.stderr).not.toContain(identity)
    const weak = await run("backup", "--to", join(folder, "x"), "--data-dir", folder, "--passphrase-file", short)
    expect([weak.code, weak.stderr]).toEqual([1, expect.stringContaining("at least 12 characters")])
  })
})

describe("the file of a backup", () => {
  it("replaces the rest of a killed backup with the same process ID, as in containers", async () => {
    const dataDir = makeDataDir()
    const script = 'touch "$0/.again.tar.$$.partial"; exec "$@"'
    const ended = await runServer(
      {},
      {
        through: ["sh", "-c", script, folder],
        arguments: ["backup", "--to", join(folder, "again.tar"), "--data-dir", dataDir]
      }
    )
    expect(ended).toMatchObject({ code: 0, stderr: expect.stringMatching(progress) })
    expect(readdirSync(folder).filter((name) => name.startsWith(".again.tar"))).toEqual([])
  })

  it("cannot be a file of the data directory, also through a symbolic link", async () => {
    const dataDir = join(folder, "keys")
    mkdirSync(join(dataDir, "database"), { recursive: true })
    const key = join(dataDir, "secret-key")
    writeFileSync(key, "a secret key that is long enough to be one\n", { mode: 0o600 })
    const link = join(folder, "link")
    symlinkSync(dataDir, link)
    for (const to of [key, join(link, "secret-key"), join(dataDir, "orgplane.lock"), join(dataDir, "database/x")]) {
      const ended = await run("backup", "--to", to, "--data-dir", dataDir)
      expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining("belongs to the installation")])
    }
    expect(readdirSync(dataDir)).toEqual(["database", "secret-key"])
    expect(readFileSync(key, "utf8")).toBe("a secret key that is long enough to be one\n")
  })
})

describe("the verification of a backup", () => {
  it("reports secret keys that do not belong to the database", async () => {
    const dataDir = join(folder, "other-key")
    resultOf(await run("restore", file, "--data-dir", dataDir, "--json"))
    writeFileSync(join(dataDir, "secret-key"), "another secret key that is long enough to be one\n", { mode: 0o600 })
    const wrong = join(folder, "wrong-key.tar")
    resultOf(await run("backup", "--to", wrong, "--data-dir", dataDir, "--json"))
    const { checks, code, message } = await verified(wrong)
    expect([code, checks]).toEqual([1, ["ok file", "ok rows", "failed audit log", "failed secrets"]])
    expect(message).toContain("ORGPLANE_SECRET_KEYS")
  })

  const directoriesIn = (temporary: string) =>
    readdirSync(temporary).filter((name) => name.startsWith("orgplane-verify-"))

  it("deletes the directories of killed verifications, but not that of a running one", async () => {
    const temporary = makeFolder()
    const begin = () => beginServer({ TMPDIR: temporary }, { arguments: ["restore", file, "--verify"] })
    const withKey = () =>
      directoriesIn(temporary).filter((name) => existsSync(join(temporary, name, "data/secret-key")))
    const killed = begin()
    await until(async () => withKey().length, Boolean)
    killed.signal("SIGKILL")
    await killed.ended
    const [leftover = ""] = directoriesIn(temporary)
    const path = join(temporary, leftover)
    expect([modeOf(path), modeOf(join(path, "data")), modeOf(join(path, "data/secret-key"))]).toEqual([
      "700",
      "700",
      "600"
    ])

    const paused = begin()
    await until(async () => withKey().some((name) => name !== leftover), Boolean)
    paused.signal("SIGSTOP")
    // The paused verification deleted the leftover before it began.
    expect(directoriesIn(temporary)).not.toContain(leftover)
    expect(await runServer({ TMPDIR: temporary }, { arguments: ["restore", file, "--verify"] })).toMatchObject({
      code: 0
    })
    expect(directoriesIn(temporary)).toHaveLength(1)
    paused.signal("SIGCONT")
    expect(await paused.ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ok {7}secrets/m) })
    expect(directoriesIn(temporary)).toEqual([])
  })

  /** Runs a command with a small file system at a path. */
  const withSpace = (path: string, size: string) =>
    ["unshare", "-rm", "sh", "-c", `mount -t tmpfs -o size=${size} tmpfs "$0" && exec "$@"`, path] as const
  const canMount = spawnSync("unshare", ["-rm", "true"]).status === 0

  it.skipIf(!canMount)(
    "reports a full temporary directory and how to set another one (skipped without user namespaces)",
    async () => {
      const temporary = makeFolder()
      const ended = await runServer(
        { TMPDIR: temporary },
        { arguments: ["restore", file, "--verify", "--json"], through: withSpace(temporary, "4m") }
      )
      const { findings } = JSON.parse(ended.stdout) as { readonly findings: ReadonlyArray<Finding> }
      expect([ended.code, findings.map(({ check, status }) => `${status} ${check}`)]).toEqual([
        1,
        ["failed temporary files", "skipped file", "skipped rows", "skipped audit log", "skipped secrets"]
      ])
      expect(findings[0]).toMatchObject({
        message: `The file system of the temporary directory ${temporary} is full (ENOSPC), so the backup was not verified.`,
        fix: expect.stringContaining("set the environment variable TMPDIR")
      })
      const target = makeFolder()
      const restored = await runServer(
        {},
        { arguments: ["restore", file, "--data-dir", target], through: withSpace(target, "4m") }
      )
      expect([restored.code, restored.stderr]).toEqual([
        1,
        expect.stringContaining(`The file system of ${target} is full (ENOSPC). Nothing was restored.`)
      ])
    }
  )

  it("names TMPDIR when the temporary directory cannot be used", async () => {
    const ended = await runServer({ TMPDIR: join(folder, "none") }, { arguments: ["restore", file, "--verify"] })
    expect([ended.code, ended.stderr]).toEqual([
      1,
      expect.stringContaining(`${join(folder, "none")} (ENOENT). Set the environment variable TMPDIR`)
    ])
  })

  it("ends with an error and deletes its directory when it is canceled", async () => {
    const temporary = makeFolder()
    const child = beginServer({ TMPDIR: temporary }, { arguments: ["restore", file, "--verify"] })
    await until(async () => readdirSync(temporary).some((name) => name.startsWith("orgplane-verify-")), Boolean)
    child.signal("SIGINT")
    expect(await child.ended).toMatchObject({ code: 130, stderr: expect.stringContaining("canceled") })
    expect(readdirSync(temporary).filter((name) => name.startsWith("orgplane-verify-"))).toEqual([])
  })
})
