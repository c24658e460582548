/**
 * Runs the commands for PostgreSQL in `docs/backup.md`. The suite is skipped without PostgreSQL's server and client
 * programs, which are Debian's packages `postgresql` and `postgresql-client`.
 */
import { generateX25519Identity, identityToRecipient } from "age-encryption"
import { execFile } from "node:child_process"
import { appendFileSync, chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, describe, expect, it } from "vitest"
import { freePort } from "../test/free-port.ts"
import { own, unprivileged } from "../test/postgres/binaries.ts"
import { guard } from "../test/postgres/start.ts"
import { ask, makeFolder, makeWorkspace, runServer, startServer, until } from "../test/process/server.fixture.ts"
import { listPlugins, startWriters, type Write } from "../test/process/writers.fixture.ts"
import { cliProgram } from "../test/programs.ts"

const needed = ["initdb", "pg_ctl", "psql", "pg_dump", "pg_restore", "pg_basebackup", "pg_verifybackup"]
const programs = existsSync("/usr/lib/postgresql")
  ? readdirSync("/usr/lib/postgresql")
      .toSorted((a, b) => Number(b) - Number(a))
      .map((version) => join("/usr/lib/postgresql", version, "bin"))
      .find((folder) => needed.every((name) => existsSync(join(folder, name))))
  : undefined
const hasAge = existsSync("/usr/bin/age")

const page = readFileSync(join(import.meta.dirname, "../docs/backup.md"), "utf8")

/** The code blocks of a section, without the indentation of its list. */
const blocksOf = (heading: string): ReadonlyArray<string> => {
  const section = page.split(/^## /mu).find((text) => text.startsWith(`${heading}\n`)) ?? ""
  return [...section.matchAll(/^( *)```\w*\n([^]*?)^ *```$/gmu)].map(([, indentation = "", code = ""]) =>
    code.replaceAll(new RegExp(`^${indentation}`, "gmu"), "")
  )
}

const run = promisify(execFile)
const stops: Array<() => Promise<unknown>> = []
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop()
})

const password = "a password of this test"
const secretKeys = "a secret key that is long enough to be one"

/** A folder that takes the place of `/archive`, `/backups` and `/var/lib/postgresql`. */
const makeMachine = async () => {
  const folder = makeFolder()
  for (const name of ["archive", "backups"]) mkdirSync(join(folder, name))
  const passwords = join(folder, "pgpass")
  writeFileSync(passwords, `*:*:*:*:${password}\n`, { mode: 0o600 })
  writeFileSync(join(folder, "password"), password)
  // The first copy into the archive ends in the middle of the file, as on a full disk.
  mkdirSync(join(folder, "bin"))
  writeFileSync(
    join(folder, "bin", "cp"),
    `#!/bin/sh
case "$2" in
  ${folder}/archive/*)
    if mkdir ${folder}/interrupted 2> /dev/null; then head -c 1000 "$1" > "$2"; exit 1; fi ;;
esac
exec /bin/cp "$@"
`
  )
  chmodSync(join(folder, "bin", "cp"), 0o755)
  const asRoot = process.getuid?.() === 0
  if (asRoot) await own(folder)
  // The guard stops the servers if this process is killed.
  const watcher = guard(folder)
  stops.push(async () => void watcher.stdin?.end())

  /** The folders and the secrets of this test replace those of the page. */
  const here = (code: string) =>
    code
      .replaceAll(/(?<=[\s'=])\/(archive|backups)(?=\/)/gu, `${folder}/$1`)
      .replaceAll("/var/lib/postgresql/", `${folder}/`)
      .replaceAll("PASSWORD '…'", `PASSWORD '${password}'`)

  /** Runs commands as PostgreSQL's user. They connect to 127.0.0.1 at this port, whatever host they name. */
  const shell = async (code: string, port: number, more: Readonly<Record<string, string>> = {}) => {
    const { stdout } = await run("/bin/sh", ["-ec", here(code)], {
      cwd: folder,
      env: {
        PATH: `${join(folder, "bin")}:${programs}:${process.env["PATH"] ?? ""}`,
        LC_ALL: "C.UTF-8",
        PGHOSTADDR: "127.0.0.1",
        PGPORT: String(port),
        PGPASSFILE: passwords,
        ...more
      },
      ...(asRoot ? unprivileged : {})
    })
    return stdout
  }

  const makeCluster = async (name: string) => {
    const port = await freePort()
    const data = join(folder, name)
    const options = "--username=postgres --auth=scram-sha-256 --encoding=UTF8 --locale=C.UTF-8 --no-sync"
    await shell(`initdb --pgdata=${data} --pwfile=${folder}/password ${options}`, port)
    const settings = join(data, "postgresql.conf")
    appendFileSync(
      settings,
      `listen_addresses = '127.0.0.1'\nport = ${port}\nunix_socket_directories = ''\ntimezone = 'UTC'\n`
    )
    const start = () => shell(`pg_ctl --pgdata=${data} --log=${data}.log start`, port)
    await start()
    return {
      port,
      sh: (code: string, more?: Readonly<Record<string, string>>) => shell(code, port, more),
      /** Adds lines to postgresql.conf, and restarts PostgreSQL. */
      configure: async (lines: string) => {
        await shell(`pg_ctl --pgdata=${data} stop`, port)
        appendFileSync(settings, here(lines))
        await start()
      },
      stop: () => stopServer(data, port),
      /** Ends all processes of PostgreSQL at once, so that it archives nothing. */
      crash: () => shell(`pg_ctl --pgdata=${data} --mode=immediate stop`, port)
    }
  }
  const stopServer = (data: string, port: number) => shell(`pg_ctl --pgdata=${data} --mode=fast stop`, port)
  return { folder, makeCluster, stopServer }
}

const environmentOf = (port: number) => ({
  ORGPLANE_DATABASE_URL: `postgres://orgplane:${encodeURIComponent(password)}@127.0.0.1:${port}/orgplane`,
  ORGPLANE_DATA_DIR: join(makeFolder(), "data"),
  ORGPLANE_SECRET_KEYS: secretKeys
})

const startWriting = async (port: number) => {
  const server = await startServer(environmentOf(port))
  const token = await makeWorkspace(server.baseUrl)
  // Creates a signing key, which is stored encrypted.
  expect((await ask(server.baseUrl, undefined, "GET", "/v1/keys")).status).toBe(200)
  const writers = startWriters(server.baseUrl, token)
  return {
    token,
    ledger: writers.ledger,
    moreWrites: async (count: number) => {
      const before = writers.ledger.length
      await until(
        async () => writers.ledger.length,
        (length) => length >= before + count
      )
    },
    stop: async () => {
      await writers.stop()
      server.signal("SIGTERM")
      expect(await server.ended).toMatchObject({ code: 0 })
    }
  }
}

/** Follows the section that verifies a restored database, and compares its plugins with the acknowledged writes. */
const expectRestored = async (
  port: number,
  token: string,
  writes: { readonly present: ReadonlyArray<Write>; readonly absent: ReadonlyArray<Write> }
) => {
  const environment = environmentOf(port)
  const doctor = await runServer(environment, { arguments: ["doctor"] })
  expect(doctor.stdout).toMatch(/^ok +schema /mu)
  expect(doctor.stdout).toMatch(/^ok +keys .*encrypts all secrets/mu)
  const server = await startServer(environment)
  const ids = await listPlugins(server.baseUrl, token)
  expect(writes.present.length).toBeGreaterThanOrEqual(50)
  expect(writes.present.filter(({ id }) => !ids.has(id))).toEqual([])
  expect(writes.absent.filter(({ id }) => ids.has(id))).toEqual([])
  const verified = await runServer(
    { ORGPLANE_BASE_URL: server.baseUrl, ORGPLANE_TOKEN: token },
    { program: cliProgram, arguments: ["audit", "verify", "--output", "json"] }
  )
  expect(verified).toMatchObject({ code: 0 })
  expect(JSON.parse(verified.stdout)).toMatchObject({ verification: { valid: true } })
  expect((await ask(server.baseUrl, token, "POST", "/v1/plugins", { name: "After" })).status).toBe(201)
  server.signal("SIGTERM")
  expect(await server.ended).toMatchObject({ code: 0 })
}

/** The part of the restore that creates the roles and the database. A source server can have the same ones. */
const createRoles = blocksOf("PostgreSQL with pg_dump")[3]?.split(/^pg_restore /mu)[0] ?? ""

describe.skipIf(programs === undefined)("the commands for PostgreSQL in docs/backup.md", () => {
  it("dump a database under writes, and restore it on another server", async () => {
    const [createBackupRole = "", dump = "", , restore = ""] = blocksOf("PostgreSQL with pg_dump")
    const { makeCluster } = await makeMachine()
    const source = await makeCluster("source")
    await source.sh(createRoles)
    const grantBackups = `psql postgres://postgres@db.internal/orgplane <<'END'\n${createBackupRole}\nEND`
    await source.sh(grantBackups)
    const { ledger, moreWrites, stop, token } = await startWriting(source.port)
    await moreWrites(60)
    // The owner of the tables cannot dump them.
    await expect(source.sh(dump.replace("orgplane_backup@", "orgplane@"))).rejects.toThrow("row-level security")
    const began = Date.now()
    await source.sh(dump)
    const complete = Date.now()
    await moreWrites(20)
    await stop()
    await source.stop()

    const target = await makeCluster("target")
    await target.sh(restore)
    const absent = ledger.filter(({ begunAt }) => begunAt > complete)
    expect(absent.length).toBeGreaterThan(0)
    await expectRestored(target.port, token, { present: ledger.filter(({ at }) => at < began), absent })
    await target.sh(grantBackups)
    await target.sh(dump)
    await target.stop()
  })

  it("recover the writes until a point in time", async () => {
    const [archive = "", base = "", recover = "", , isInRecovery = ""] = blocksOf(
      "PostgreSQL with point-in-time recovery"
    )
    const { folder, makeCluster, stopServer } = await makeMachine()
    const source = await makeCluster("source")
    await source.configure(archive)
    await source.sh(createRoles)
    const { ledger, moreWrites, stop, token } = await startWriting(source.port)
    await moreWrites(20)
    await source.sh(base)
    await expect(source.sh(base)).rejects.toThrow("exists but is not empty")
    const withBase = ledger.length
    await moreWrites(40)
    const point = Date.now()
    await moreWrites(20)
    await stop()
    await source.stop()

    const time = `${new Date(point).toISOString().slice(0, -1).replace("T", " ")}+00`
    expect(recover).toContain("recovery_target_time = '2026-11-25 22:31:00+00'")
    await source.sh(recover.replace("2026-11-25 22:31:00+00", time))
    await until(
      () => source.sh(isInRecovery),
      (output) => output.trim() === "f"
    )
    const present = ledger.filter(({ at }) => at < point)
    // Some of them are only in the archived log.
    expect(present.length).toBeGreaterThan(withBase)
    expect(existsSync(join(folder, "interrupted"))).toBe(true)
    const absent = ledger.filter(({ begunAt }) => begunAt > point)
    expect(absent.length).toBeGreaterThan(0)
    await expectRestored(source.port, token, { present, absent })
    await stopServer(join(folder, "restored"), source.port)
  })

  it("recover every write of a server that crashed, if its disk can be read", async () => {
    const [archive = "", base = "", recover = "", copyLog = "", isInRecovery = ""] = blocksOf(
      "PostgreSQL with point-in-time recovery"
    )
    const { folder, makeCluster, stopServer } = await makeMachine()
    const source = await makeCluster("data")
    await source.configure(archive)
    await source.sh(createRoles)
    const { ledger, moreWrites, stop, token } = await startWriting(source.port)
    await source.sh(base)
    await moreWrites(60)
    await stop()
    await source.crash()

    const [prepare = "", start = ""] = recover.replace(/^recovery_target_.*\n/gmu, "").split(/^(?=pg_ctl )/mu)
    const recoverLog = async (commands: string) => {
      await source.sh(commands)
      await until(
        () => source.sh(isInRecovery),
        (output) => output.trim() === "f"
      )
    }
    // The archive alone ends before the last writes.
    await recoverLog(`${prepare}${start}`)
    const counted = await source.sh(
      `psql postgres://postgres@db.internal/orgplane --tuples-only --command="SELECT count(*) FROM orgplane.plugins"`
    )
    expect(Number(counted)).toBeLessThan(ledger.length)
    await stopServer(join(folder, "restored"), source.port)

    // Otherwise it would follow the log of the first recovery.
    const [timeline = ""] = /^ *`(recovery_target_timeline = '\w+')`/mu.exec(page)?.slice(1) ?? []
    expect(timeline).not.toBe("")
    const again = (commands: string) =>
      commands.replaceAll("/restored", "/again").replace(/^restore_command/mu, `${timeline}\n$&`)
    await recoverLog(again(`${prepare}${copyLog}${start}`))
    await expectRestored(source.port, token, { present: ledger, absent: [] })
    await stopServer(join(folder, "again"), source.port)
  })

  it.skipIf(!hasAge)("encrypt the secret keys for their owner", async () => {
    const [, , encrypt = ""] = blocksOf("PostgreSQL with pg_dump")
    const folder = makeFolder()
    const identity = await generateX25519Identity()
    writeFileSync(join(folder, "key.txt"), `${identity}\n`, { mode: 0o600 })
    const options = { cwd: folder, env: { PATH: process.env["PATH"], ORGPLANE_SECRET_KEYS: secretKeys } }
    await run("/bin/sh", ["-ec", encrypt.replace("age1…", await identityToRecipient(identity))], options)
    const { stdout } = await run("age", ["--decrypt", "--identity", "key.txt", "secret-keys.age"], options)
    expect(stdout).toBe(`${secretKeys}\n`)
  })
})
