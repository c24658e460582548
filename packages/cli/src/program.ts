/** One run of the CLI: parses the command line, runs the command, reports failures. */
import { api } from "./api.ts"
import type { Chosen } from "./command-tree.ts"
import { exit, type ExitCode, Interrupted, renderFailure, tell } from "./failure.ts"
import type { Globals } from "./globals.ts"
import { type Io, print, say } from "./io.ts"
import { invite } from "./invite.ts"
import { login, logout, profiles } from "./login.ts"
import { callTool, connectByBrowser } from "./mcp-connect.ts"
import { runOperation } from "./operations.ts"
import type { Look } from "./output/answer.ts"
import { harmlessLines } from "./output/harmless.ts"
import { parse } from "./parse.ts"
import { testSso } from "./sso.ts"
import type { CommandTable } from "./table.ts"
import { tail } from "./tail.ts"

const colored = (io: Io): boolean =>
  (io.env["NO_COLOR"] ?? "") === "" && !io.argv.includes("--no-color") && io.env["TERM"] !== "dumb"

const lookOf = (io: Io, globals: Globals): Look => ({
  format: globals.output,
  quiet: globals.quiet,
  terminal: io.out.isTerminal,
  columns: io.out.isTerminal ? (io.out.columns ?? 80) : undefined,
  colors: io.out.isTerminal && colored(io),
  unicode: io.out.isTerminal && colored(io) && speaksUtf8(io.env),
  now: io.now()
})

/** Whether the locale is UTF-8. The first variable that is set decides, in POSIX order. */
const speaksUtf8 = (env: Io["env"]): boolean => {
  const locale = [env["LC_ALL"], env["LC_CTYPE"], env["LANG"]].find((each) => each !== undefined && each !== "")
  return locale === undefined ? process.platform !== "linux" : /utf-?8/i.test(locale)
}

/** Whether JSON output is requested. Checked before parsing, because usage errors have this format too. */
const wantsJson = ({ argv }: Io): boolean =>
  argv.some(
    (word, index) =>
      /^(-o|--output)=?(nd)?json$/.test(word) ||
      (/^(-o|--output)$/.test(word) && /^(nd)?json$/.test(argv[index + 1] ?? ""))
  )

const perform = async (io: Io, table: CommandTable, globals: Globals, chosen: Chosen): Promise<ExitCode> => {
  const look = lookOf(io, globals)
  switch (chosen.kind) {
    case "operation":
      return runOperation(io, globals, look, chosen)
    case "api":
      return api(io, globals, look, chosen)
    case "login":
      return login(io, globals, look, chosen)
    case "invite":
      return invite(io, table, globals, look, chosen)
    case "connect":
      return connectByBrowser(io, globals, look, chosen)
    case "ssoTest":
      return testSso(io, globals, look, chosen)
    case "call":
      return callTool(io, globals, look, chosen)
    case "tail":
      return tail(io, globals, look, chosen)
    case "conformance": {
      const { conformance } = await import("./scim-conformance/command.ts")
      return conformance(io, globals, look, chosen)
    }
    case "logout":
      return logout(io, globals, look)
    case "profiles":
      return profiles(io, look, chosen.verb, chosen.name)
    case "completions": {
      const { completions } = await import("./completions.ts")
      await print(io, completions(table, chosen.shell))
      return exit.ok
    }
    default:
      return chosen satisfies never
  }
}

export const run = async (io: Io, table: CommandTable): Promise<ExitCode> => {
  try {
    const parsed = await parse(io.argv, { table, colors: io.out.isTerminal && colored(io), columns: io.out.columns })
    if (parsed.kind === "print") {
      await print(io, parsed.text)
      return exit.ok
    }
    if (parsed.kind === "usage") {
      await say(
        io,
        wantsJson(io)
          ? renderFailure({ exitCode: exit.usage, error: "usage", message: parsed.message }, true)
          : `orgplane: ${harmlessLines(parsed.message)}`
      )
      return exit.usage
    }
    return await perform(io, table, parsed.globals, parsed.chosen)
  } catch (error) {
    if (error instanceof Interrupted || io.signal.aborted) return exit.interrupted
    const told = tell(error)
    const pen = { unicode: false, colors: io.err.isTerminal && colored(io) }
    await say(io, renderFailure(told, wantsJson(io), pen))
    return told.exitCode
  }
}
