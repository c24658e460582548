/** `members invite`: runs one invitation as the operation, several with a result each. */
import { failed, isFinal, linesOf, report, type Result, wrong } from "./batch.ts"
import { connect, type Connection } from "./connection.ts"
import { exit, type ExitCode, Failure, tell, usage } from "./failure.ts"
import type { InviteChosen } from "./further.ts"
import type { Globals } from "./globals.ts"
import type { Io } from "./io.ts"
import type { Line } from "./lines.ts"
import { runOperation } from "./operations.ts"
import type { Look } from "./output/answer.ts"
import { member, textAt } from "./output/cell.ts"
import { resolveSettings, warnOfPlainHttp } from "./settings.ts"
import type { CommandTable } from "./table.ts"

const columns = ["email", "role", "teamIds"]

/** The request body of a line. Values of the line override the flags. */
const bodyOf = (chosen: InviteChosen, value: Readonly<Record<string, unknown>>) => {
  const { email, role = chosen.role } = value
  const teams = value["teamIds"] ?? chosen.teamIds
  // In a CSV cell, spaces or semicolons separate them.
  const teamIds = typeof teams === "string" ? teams.split(/[\s;]+/).filter((id) => id !== "") : teams
  return {
    email,
    ...(role === undefined ? {} : { role }),
    ...(Array.isArray(teamIds) && teamIds.length === 0 ? {} : { teamIds }),
    ...(chosen.link ? { send: false } : {})
  }
}

async function* results(
  connection: Connection,
  chosen: InviteChosen,
  lines: ReadonlyArray<Line>
): AsyncGenerator<Result> {
  for (const each of lines) {
    if ("wrong" in each) {
      yield wrong(each.line, each.wrong)
      continue
    }
    const body = bodyOf(chosen, each.value)
    if (typeof body.email !== "string") {
      yield wrong(each.line, "email is missing")
      continue
    }
    const email = body.email
    try {
      const response = await connection.send(
        { method: "POST", path: "/v1/invitations", query: {}, body },
        { idempotent: true }
      )
      yield {
        line: each.line,
        ok: true,
        id: textAt(response, "invitation.id") ?? null,
        email,
        role: textAt(response, "invitation.role") ?? null,
        link: member(response, "link") ?? null,
        error: null
      }
    } catch (error) {
      if (isFinal(error)) throw error
      if (tell(error).error === "idempotency_key_completed") {
        // The key was created for this call: the response to the first attempt was lost and the request retried.
        yield { line: each.line, ok: true, id: null, email, role: body.role ?? null, link: null, error: null }
        continue
      }
      yield { ...failed(each.line, error), email }
    }
  }
}

export const invite = async (
  io: Io,
  table: CommandTable,
  globals: Globals,
  look: Look,
  chosen: InviteChosen
): Promise<ExitCode> => {
  const [only, ...others] = chosen.emails
  if (only === undefined && chosen.file === undefined) throw usage("Specify an email address, or a file with --file.")
  if (only !== undefined && others.length === 0 && chosen.file === undefined) {
    const operation = table
      .flatMap((group) => group.operations)
      .find((operation) => operation.id === "invitations.create")
    if (operation === undefined)
      throw new Failure(exit.failure, "The command table has no operation 'invitations.create'.")
    return runOperation(io, globals, look, {
      kind: "operation",
      operation,
      ids: [],
      args: [],
      values: {
        email: only,
        ...(chosen.role === undefined ? {} : { role: chosen.role }),
        ...(chosen.teamIds.length === 0 ? {} : { "team-id": chosen.teamIds }),
        ...(chosen.link ? { send: false } : {})
      },
      input: undefined,
      file: undefined,
      limit: undefined,
      all: false,
      watch: false,
      noWait: false,
      timeoutSeconds: 0
    })
  }
  const settings = await resolveSettings(io, globals)
  if (settings.credential === undefined) {
    throw new Failure(exit.notSignedIn, "Not signed in. Run 'orgplane login', or set ORGPLANE_TOKEN.")
  }
  await warnOfPlainHttp(io, settings)
  const told: ReadonlyArray<Line> = chosen.emails.map((email, index) => ({ line: index + 1, value: { email } }))
  const lines = chosen.file === undefined ? told : [...told, ...(await linesOf(io, chosen.file, columns))]
  return report(
    io,
    // A truncated link does not work.
    chosen.link ? { ...look, columns: undefined } : look,
    ["line", "ok", "email", "role", "id", ...(chosen.link ? ["link.url"] : []), "error.code", "error.message"],
    results(connect(io, settings, globals.debug), chosen, lines)
  )
}
