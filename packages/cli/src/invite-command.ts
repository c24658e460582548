/** `members invite`: runs `invitations.create` for one invitation, and prints one result per invitation for several. */
import { failedLine, invalidLine, isFinal, linesOf, report, type Result } from "./batch.ts"
import { type Connection, connectSignedIn } from "./connection.ts"
import { exit, type ExitCode } from "./exit-code.ts"
import { describeFailure, Failure, usage } from "./failure.ts"
import type { InviteInvocation } from "./invocation.ts"
import type { Globals } from "./global-flags.ts"
import type { Io } from "./io.ts"
import type { Line } from "./batch-lines.ts"
import { runOperation } from "./operations.ts"
import type { OutputOptions } from "./output/render.ts"
import { member, textAt } from "./output/value.ts"
import { type NameResolver, nameResolver } from "./resolve-names.ts"
import type { CommandTable } from "./command-table.ts"

const columns = ["email", "role", "teamIds"]

interface Body {
  readonly email: unknown
  readonly role?: unknown
  readonly teamIds?: unknown
  readonly send?: false
}

/** The request body of a line. Values of the line override the flags. */
const bodyOf = (invocation: InviteInvocation, value: Readonly<Record<string, unknown>>): Body => {
  const { email, role = invocation.role } = value
  const teams = value["teamIds"] ?? invocation.teamIds
  // In a CSV cell, team IDs are separated by spaces or semicolons.
  const teamIds = typeof teams === "string" ? teams.split(/[\s;]+/).filter((id) => id !== "") : teams
  return {
    email,
    ...(role === undefined ? {} : { role }),
    ...(Array.isArray(teamIds) && teamIds.length === 0 ? {} : { teamIds }),
    ...(invocation.link ? { send: false } : {})
  }
}

/** The body with IDs for the names of the role and the teams. */
const withIds = async (names: NameResolver, body: Body): Promise<Body> => {
  const idOf = async (member: string, value: unknown): Promise<unknown> =>
    typeof value === "string" ? names.idOf("invitations.create", member, value) : value
  const { role, teamIds } = body
  return {
    ...body,
    ...(role === undefined ? {} : { role: await idOf("role", role) }),
    ...(Array.isArray(teamIds) ? { teamIds: await Promise.all(teamIds.map((id) => idOf("teamIds", id))) } : {})
  }
}

async function* results(
  connection: Connection,
  invocation: InviteInvocation,
  lines: ReadonlyArray<Line>
): AsyncGenerator<Result> {
  const names = nameResolver(connection)
  for (const each of lines) {
    if ("error" in each) {
      yield invalidLine(each.line, each.error)
      continue
    }
    let body = bodyOf(invocation, each.value)
    if (typeof body.email !== "string") {
      yield invalidLine(each.line, "email is missing")
      continue
    }
    const email = body.email
    try {
      body = await withIds(names, body)
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
      if (describeFailure(error).error === "idempotency_key_completed") {
        // The key was created for this call: the response to the first attempt was lost and the request retried.
        yield { line: each.line, ok: true, id: null, email, role: body.role ?? null, link: null, error: null }
        continue
      }
      yield { ...failedLine(each.line, error), email }
    }
  }
}

export const invite = async (
  io: Io,
  table: CommandTable,
  globals: Globals,
  output: OutputOptions,
  invocation: InviteInvocation
): Promise<ExitCode> => {
  const [only, ...others] = invocation.emails
  if (only === undefined && invocation.file === undefined)
    throw usage("Specify an email address, or a file with --file.")
  if (only !== undefined && others.length === 0 && invocation.file === undefined) {
    const operation = table
      .flatMap((group) => group.operations)
      .find((operation) => operation.id === "invitations.create")
    if (operation === undefined)
      throw new Failure(exit.failure, "The command table has no operation 'invitations.create'.")
    return runOperation(io, globals, output, {
      kind: "operation",
      operation,
      ids: [],
      args: [],
      values: {
        email: only,
        ...(invocation.role === undefined ? {} : { role: invocation.role }),
        ...(invocation.teamIds.length === 0 ? {} : { "team-id": invocation.teamIds }),
        ...(invocation.link ? { send: false } : {})
      },
      input: undefined,
      file: undefined,
      limit: undefined,
      all: false,
      wait: false,
      timeoutSeconds: 0
    })
  }
  const connection = await connectSignedIn(io, globals)
  const fromArguments: ReadonlyArray<Line> = invocation.emails.map((email, index) => ({
    line: index + 1,
    value: { email }
  }))
  const lines =
    invocation.file === undefined ? fromArguments : [...fromArguments, ...(await linesOf(io, invocation.file, columns))]
  return report(
    io,
    // A truncated link does not work.
    invocation.link ? { ...output, columns: undefined } : output,
    ["line", "ok", "email", "role", "id", ...(invocation.link ? ["link.url"] : []), "error.code", "error.message"],
    results(connection, invocation, lines)
  )
}
