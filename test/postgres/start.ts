import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { chmod, cp, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join, relative, sep } from "node:path"
import { execute, inSession } from "../../packages/server/src/infra/sql/execute.ts"
import { freePort } from "../free-port.ts"
import { temporaryParent } from "../temporary-parent.ts"
import { findBinaries, own, relocate, unprivileged } from "./binaries.ts"
import { initialize } from "./initialized.ts"

export interface StartOptions {
  /** Default: off, because tests need no durability. Benchmarks of writes turn it on. */
  readonly fsync?: boolean
  readonly maxConnections?: number
  /** Additional server settings, as in postgresql.conf. */
  readonly settings?: Readonly<Record<string, string>>
}

export interface StartedPostgres {
  /** URL of the database `postgres`. */
  readonly url: string
  readonly pid: number
  /** Creates a database and returns its URL. A template must have no connections. */
  readonly createDatabase: (name: string, template?: string) => Promise<string>
  /** Restarts the server after it was killed, on the same port, with the same data. */
  readonly restart: () => Promise<StartedPostgres>
  /** Starts a streaming standby of this server, which stops with it at the latest. */
  readonly startStandby: () => Promise<Standby>
  readonly stop: () => Promise<void>
}

export interface Standby {
  /** URL of the database `postgres`. */
  readonly url: string
  readonly pid: number
  /** Promotes it to primary; resolves when it accepts writes. */
  readonly promote: () => Promise<void>
}

/**
 * When this process ends, even by SIGKILL, the guard's standard input is closed; the guard then stops the server and
 * removes its files. It is detached, so that Ctrl-C does not reach it first.
 */
export const guard = (directory: string): ChildProcess => {
  const child = spawn(
    "/bin/sh",
    [
      "-c",
      `cat > /dev/null
       for file in "$1"/*/postmaster.pid; do
         pid=$(head -n 1 "$file" 2> /dev/null) && kill -QUIT "$pid" 2> /dev/null
       done
       n=0; while [ -d "$1" ] && [ $n -lt 50 ]; do rm -rf "$1" 2> /dev/null; n=$((n + 1)); sleep 0.1; done`,
      "guard",
      directory
    ],
    { stdio: ["pipe", "ignore", "ignore"], detached: true }
  )
  child.unref()
  // The pipe would keep this process alive.
  if (child.stdin !== null && "unref" in child.stdin && typeof child.stdin.unref === "function") child.stdin.unref()
  return child
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

const exited = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null

/** Starts a PostgreSQL server on 127.0.0.1, which stops with this process at the latest. */
export const startPostgres = async (options: StartOptions = {}): Promise<StartedPostgres> => {
  const binaries = await findBinaries()
  const directory = await mkdtemp(
    join(options.fsync === true ? tmpdir() : await temporaryParent(), "orgplane-postgres-")
  )
  const watcher = guard(directory)
  const asRoot = process.getuid?.() === 0
  const dismiss = async () => {
    await rm(directory, { recursive: true, force: true, maxRetries: 5 })
    watcher.stdin?.end()
  }

  try {
    const programs = asRoot ? await relocate(binaries, directory) : binaries
    const data = join(directory, "data")
    const spawning = {
      cwd: directory,
      env: { PATH: process.env["PATH"], LC_ALL: "C", TZ: "UTC" },
      ...(asRoot ? unprivileged : {})
    }
    const password = await initialize(programs, directory, spawning)

    const settings: Record<string, string> = {
      listen_addresses: "127.0.0.1",
      unix_socket_directories: "",
      max_connections: String(options.maxConnections ?? 100),
      fsync: options.fsync === true ? "on" : "off",
      full_page_writes: options.fsync === true ? "on" : "off",
      synchronous_commit: options.fsync === true ? "on" : "off",
      timezone: "UTC",
      log_timezone: "UTC",
      // Clients receive errors anyway; "log" is the lowest level that still reports readiness.
      log_min_messages: "log",
      log_checkpoints: "off",
      ...options.settings
    }
    const boot = async (port: number, folder = data, more: Readonly<Record<string, string>> = {}) => {
      const child = spawn(
        programs.postgres,
        [
          "-D",
          folder,
          "-p",
          String(port),
          ...Object.entries({ ...settings, ...more }).flatMap(([name, value]) => ["-c", `${name}=${value}`])
        ],
        { ...spawning, stdio: ["ignore", "ignore", "pipe"] }
      )
      let log = ""
      await new Promise<void>((resolve, reject) => {
        child.stderr.setEncoding("utf8").on("data", (text: string) => {
          log = (log + text).slice(-10_000)
          if (/ready to accept (read-only )?connections/.test(log)) resolve()
        })
        child.once("error", reject)
        child.once("exit", () => reject(new Error(`PostgreSQL did not start.\n${log}`)))
        setTimeout(() => reject(new Error(`PostgreSQL was not ready after 30 s.\n${log}`)), 30_000).unref()
      })
      return child
    }

    // Another process may take the free port before it is used.
    const bootAnywhere = async (
      attempts: number,
      folder?: string,
      more?: Readonly<Record<string, string>>
    ): Promise<{ child: ChildProcess; port: number }> => {
      const port = await freePort()
      try {
        return { child: await boot(port, folder, more), port }
      } catch (cause) {
        if (attempts <= 1) throw cause
        return bootAnywhere(attempts - 1, folder, more)
      }
    }
    const first = await bootAnywhere(3)

    // Child processes of a killed server end a moment later, and use its shared memory until then.
    const bootAfterKill = async (port: number, attempts: number): Promise<ChildProcess> => {
      try {
        return await boot(port)
      } catch (cause) {
        if (attempts <= 1 || !String(cause).includes("still in use")) throw cause
        await new Promise((resolve) => setTimeout(resolve, 100))
        return bootAfterKill(port, attempts - 1)
      }
    }

    const urlAt = (port: number, database: string) => `postgres://postgres:${password}@127.0.0.1:${port}/${database}`
    const standbys: Array<ChildProcess> = []

    /** Copies the running server's files like `pg_basebackup`, which not every installation has. */
    const startStandby = async (): Promise<Standby> => {
      const folder = join(directory, `standby${standbys.length}`)
      // The server removes and rebuilds its relation caches while it runs.
      const left = new Set(["postmaster.pid", "postmaster.opts", "pg_internal.init"])
      const label = await inSession(urlAt(first.port, "postgres"), async (ask) => {
        await ask("SELECT pg_backup_start('standby', true)::text")
        await cp(data, folder, {
          recursive: true,
          filter: (path) => {
            const name = relative(data, path)
            return !left.has(basename(name)) && !name.startsWith(`pg_wal${sep}`)
          }
        })
        const [row] = await ask<{ label: string }>("SELECT labelfile AS label FROM pg_backup_stop(false)")
        return row?.label ?? ""
      })
      await writeFile(join(folder, "backup_label"), label)
      await writeFile(join(folder, "standby.signal"), "")
      if (asRoot) await own(folder)
      await chmod(folder, 0o700)
      const { child, port } = await bootAnywhere(3, folder, {
        primary_conninfo: `host=127.0.0.1 port=${first.port} user=postgres password=${password}`
      })
      standbys.push(child)
      const url = urlAt(port, "postgres")
      return {
        url,
        pid: child.pid ?? 0,
        promote: async () => void (await execute(url, "SELECT pg_promote(true, 60)"))
      }
    }
    const end = async (child: ChildProcess) => {
      if (exited(child)) return
      child.kill("SIGQUIT")
      await once(child, "exit")
    }

    const started = (child: ChildProcess): StartedPostgres => {
      const urlOf = (database: string) => urlAt(first.port, database)
      if (child.pid === undefined) throw new Error("PostgreSQL has no process id.")
      return {
        url: urlOf("postgres"),
        pid: child.pid,
        createDatabase: async (name, template) => {
          await execute(
            urlOf("postgres"),
            `CREATE DATABASE ${quoted(name)}${template === undefined ? "" : ` TEMPLATE ${quoted(template)}`}`
          )
          return urlOf(name)
        },
        restart: async () => {
          if (!exited(child)) await once(child, "exit")
          return started(await bootAfterKill(first.port, 100))
        },
        startStandby,
        stop: async () => {
          await Promise.all([child, ...standbys].map(end))
          await dismiss()
        }
      }
    }
    return started(first.child)
  } catch (cause) {
    await dismiss()
    throw cause
  }
}
