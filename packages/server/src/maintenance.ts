/** The commands of `orgplane-server` that change the database and exit. */
import type { Configuration } from "./infra/config/environment.ts"
import * as Effect from "effect/Effect"
import { everyInterval, migrateDatabase, MigrationProgress, moveDatabase, schemaVersion } from "./infra/sql/database.ts"
import { runStep } from "./start-error.ts"

type Command = (configuration: Configuration) => Promise<string>

const names = "variables"

const write = (text: string) => Effect.sync(() => void process.stderr.write(text))

/** Rewrites one line on a terminal. Elsewhere, prints a line every 5 seconds. */
const showProgress = () =>
  process.stderr.isTTY
    ? everyInterval(200, (line) => write(`\r\u001b[K${line}`))
    : everyInterval(5000, (line) => write(`${line}\n`))

/** Clears the progress line on a terminal, so that the result or the error is on its own line. */
const clearProgress = () => void (process.stderr.isTTY && process.stderr.write("\r\u001b[K"))

const migrate: Command = async ({ options: { database } }) => {
  const { ran, version } = await runStep(
    Effect.provideService(migrateDatabase(database), MigrationProgress, showProgress()),
    { database, names }
  ).finally(clearProgress)
  if (version > schemaVersion) {
    return `The database's schema version is ${version}. It is newer than that of this release (${schemaVersion}), and compatible with it. No migrations ran.`
  }
  return ran.length === 0
    ? "The database schema is up to date. No migrations ran."
    : [`Ran ${ran.length} migrations:`, ...ran.map((name) => `  ${name}`)].join("\n")
}

const moveSchema: Command = async ({ options }) => {
  const { schema: to = "orgplane", ...database } = options.database
  const { from, moved } = await runStep(moveDatabase(database, to), { database, names })
  return `Moved ${moved} tables and sequences from the schema "${from}" to "${to}".`
}

const commands = { migrate, "move-schema": moveSchema } satisfies Readonly<Record<string, Command>>

/** Runs a command, prints its result, and sets the exit code. */
export const runMaintenance = async (command: keyof typeof commands, configuration: Configuration) => {
  try {
    process.stdout.write(`${await commands[command](configuration)}\n`)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  }
}
