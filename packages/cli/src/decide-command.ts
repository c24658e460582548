/** `approvals approve` and `approvals reject`: show releases of plugins, and approve or reject exactly what they showed. */
import { type Connection, connectSignedIn } from "./connection.ts"
import { exit, type ExitCode } from "./exit-code.ts"
import { describeFailure, Failure, usage } from "./failure.ts"
import type { DecideInvocation } from "./invocation.ts"
import type { Globals } from "./global-flags.ts"
import { canPrompt, type Io, notify } from "./io.ts"
import { checkFields } from "./operations.ts"
import { escapeControls } from "./output/escape.ts"
import { reviewedRelease } from "./output/plugin-release.ts"
import { printOne, printOutcome } from "./output/print.ts"
import type { OutputOptions } from "./output/render.ts"
import { member, textAt } from "./output/value.ts"
import { shellQuoted } from "./shell.ts"
import { overrides } from "./overrides/index.ts"
import { pathPart } from "./request.ts"
import { nameResolver } from "./resolve-names.ts"
import { confirm } from "./terminal.ts"

const releasesMax = 100

const words = {
  approve: { verb: "Approve", states: ["pending", "rejected"] },
  reject: { verb: "Reject", states: ["pending"] }
} as const

/** Fails unless the user can review the releases on a terminal, or passes the digest of a single release. */
const checkReview = (io: Io, globals: Globals, { decision, digest, releases }: DecideInvocation): void => {
  const [first = ""] = releases
  if (releases.length > releasesMax) {
    throw usage(
      `You can ${decision} at most ${releasesMax} releases at once, got ${releases.length}. Run the command several times.`
    )
  }
  if (digest !== undefined) {
    if (releases.length > 1)
      throw usage("--digest requires exactly one release. Run the command once for each release.")
    if (!/^[0-9a-f]{64}$/u.test(digest)) {
      throw usage(`--digest must be 64 characters of 0-9 and a-f, got '${escapeControls(digest)}'.`)
    }
    return
  }
  if (canPrompt(io) && !globals.yes) return
  const one = releases.length > 1 ? ", and one release at a time" : ""
  throw usage(
    `To ${decision} without a prompt, --digest is required${one}. Review the release and get its digest with 'orgplane approvals get ${shellQuoted(escapeControls(first))}'.`
  )
}

const fetched = async (connection: Connection, id: string): Promise<unknown> => {
  try {
    return member(
      await connection.send({
        method: "GET",
        path: `/v1/approvals/${pathPart(id, "release-id")}`,
        query: {},
        body: undefined
      }),
      "item"
    )
  } catch (error) {
    if (describeFailure(error).error !== "plugin_release_not_found") throw error
    throw new Failure(
      exit.notFound,
      `The release '${escapeControls(id)}' does not exist. Run 'orgplane approvals list'.`
    )
  }
}

interface Reviewed {
  readonly releaseId: string
  readonly digest: string
}

/** Shows the releases, and asks one question about all of them. Undefined if the user does not confirm. */
const review = async (
  io: Io,
  connection: Connection,
  output: OutputOptions,
  decision: DecideInvocation["decision"],
  ids: ReadonlyArray<string>
): Promise<ReadonlyArray<Reviewed> | undefined> => {
  const { states, verb } = words[decision]
  const releases: Array<unknown> = []
  const reviewed: Array<Reviewed> = []
  for (const id of ids) {
    const release = await fetched(connection, id)
    const [state = "?", digest] = [textAt(release, "state"), textAt(release, "digest")]
    if (digest === undefined || !states.some((each) => each === state)) {
      throw new Failure(
        exit.conflict,
        `The release ${escapeControls(id)} is not pending. Its state is '${escapeControls(state)}'. Run 'orgplane approvals list' to find the pending release.`
      )
    }
    releases.push(release)
    reviewed.push({ releaseId: id, digest })
  }
  for (const release of releases) await notify(io, `${reviewedRelease(release, output)}\n`)
  const [first] = releases
  const question =
    releases.length > 1
      ? `${verb} these ${releases.length} releases?`
      : `${verb} release ${String(member(first, "number"))} of ${textAt(first, "name") ?? "?"}?`
  return (await confirm(io, question, false)) ? reviewed : undefined
}

export const decide = async (
  io: Io,
  globals: Globals,
  output: OutputOptions,
  invocation: DecideInvocation
): Promise<ExitCode> => {
  const { comment, decision, digest } = invocation
  const operationId = `approvals.${decision}`
  if (decision === "reject" && comment === undefined) throw usage("Missing: --comment.")
  checkReview(io, globals, invocation)
  await checkFields(operationId, globals.json)
  const connection = await connectSignedIn(io, globals)
  const names = nameResolver(connection)
  const ids: Array<string> = []
  for (const release of invocation.releases) ids.push(await names.idOf(operationId, "releaseId", release))
  const releases =
    digest === undefined
      ? await review(io, connection, output, decision, [...new Set(ids)])
      : ids.map((releaseId) => ({ releaseId, digest }))
  if (releases === undefined) {
    await notify(io, "Canceled. Nothing was changed.")
    return exit.failure
  }
  const body = await connection.send(
    {
      method: "POST",
      path: `/v1/approvals/${decision}`,
      query: {},
      body: { releases, ...(comment === undefined ? {} : { comment }) }
    },
    { idempotent: true }
  )
  await printOutcome(io, body, output, () => printOne(io, body, output, overrides[operationId] ?? {}))
  return exit.ok
}
