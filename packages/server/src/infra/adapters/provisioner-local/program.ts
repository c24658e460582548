/** The program that starts a runtime, as the operating system finds it. */
import { access, constants, stat } from "node:fs/promises"
import { delimiter, isAbsolute, join } from "node:path"
import { pathExists } from "../../path-exists.ts"

export interface RuntimeCommand {
  /** The program and its arguments, run without a shell. `node` means the Node.js binary that runs this server. */
  readonly command: ReadonlyArray<string>
  /** The program's complete environment: this server's own contains secrets. */
  readonly environment?: Readonly<Record<string, string>>
}

/** `node` means the Node.js binary that runs this server. */
export const executableOf = (program: string): string => (program === "node" ? process.execPath : program)

/** What is wrong with a command. `path` is the program, or the script of `node`. */
export interface CommandFault {
  readonly kind: "relative" | "missing" | "not_executable" | "not_in_path"
  readonly path: string
}

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (stats) => stats.isFile(),
    () => false
  )

const isExecutable = async (path: string): Promise<boolean> =>
  (await isFile(path)) &&
  (await access(path, constants.X_OK).then(
    () => true,
    () => false
  ))

/** The system's default if the environment has no `PATH`. */
const pathDefault = "/bin:/usr/bin"

const findInPath = async (program: string, path: string): Promise<string | undefined> => {
  for (const directory of path.split(delimiter).filter(isAbsolute)) {
    const file = join(directory, program)
    if (await isExecutable(file)) return file
  }
  return undefined
}

/**
 * The executable file of the command, or why it cannot be executed. Each runtime runs in its own directory, so relative
 * paths do not work. Does not run the program.
 */
export const inspectCommand = async ({ command, environment }: RuntimeCommand): Promise<string | CommandFault> => {
  const [name = "", script] = command
  const program = executableOf(name)
  if (!/[/\\]/.test(program)) {
    return (await findInPath(program, environment?.["PATH"] ?? pathDefault)) ?? { kind: "not_in_path", path: program }
  }
  if (!isAbsolute(program)) return { kind: "relative", path: program }
  if (!(await pathExists(program))) return { kind: "missing", path: program }
  if (!(await isExecutable(program))) return { kind: "not_executable", path: program }
  if (name === "node" && script !== undefined && !script.startsWith("-")) {
    if (!isAbsolute(script)) return { kind: "relative", path: script }
    if (!(await isFile(script))) return { kind: "missing", path: script }
  }
  return program
}
