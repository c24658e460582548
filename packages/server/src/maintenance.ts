/** The commands of `orgplane-server` that change the database and exit. */
import type { Configuration } from "./infra/config/environment.ts"
import { migrateDatabase, moveDatabase, schemaVersion } from "./infra/sql/database.ts"
import { runStep } from "./start-error.ts"

type Command = (configuration: Configuration) => Promise<string>

const names = "variables"

const migrate: Command = async ({ options: { database } }) => {
  const { ran, version } = await runStep(migrateDatabase(database), { database, names })
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
