/** `scim conformance`: sends the requests of the major identity providers and reports unexpected responses. */
import { type Connection, connectSignedIn, userAgent, withRequestLog } from "../connection.ts"
import { exit, type ExitCode } from "../exit-code.ts"
import { Failure, Interrupted, usage } from "../failure.ts"
import type { ConformanceInvocation } from "../invocation.ts"
import type { Globals } from "../global-flags.ts"
import { canPrompt, type Io, notify, print } from "../io.ts"
import { json, type OutputOptions } from "../output/render.ts"
import { textAt } from "../output/value.ts"
import { conformanceLine, conformanceReport } from "../output/conformance-report.ts"
import { escapeControls } from "../output/escape.ts"
import { yaml } from "../output/yaml.ts"
import { startProgress } from "../progress.ts"
import { pathPart, readInput } from "../request.ts"
import { nameResolver } from "../resolve-names.ts"
import { checkBaseUrl, credentialOf, warnAboutPlainHttp } from "../settings.ts"
import { confirm, promptHidden } from "../terminal.ts"
import { entra } from "./entra.ts"
import { google } from "./google.ts"
import { okta } from "./okta.ts"
import { type Outcome, runSequences, type Send, type StepResult } from "./run.ts"
import { testDomain, testName } from "./sequence.ts"

const allSequences = [okta, entra, google]
const timeoutMillis = 30_000
const pauseMillisMax = 30_000
const triesMax = 4

interface Target {
  readonly baseUrl: string
  readonly token: string
  /** Removes the temporary directory. */
  readonly end: () => Promise<void>
}

const sender =
  (io: Io, { baseUrl, token }: Target, globals: Globals): Send =>
  async (request) => {
    const send = withRequestLog(io, globals.debug)
    for (let attempt = 1; ; attempt++) {
      // An interruption does not abort the request: the IDs of created objects are needed to remove them.
      const response = await send({
        method: request.method,
        url: new URL(`${baseUrl}${request.path}`),
        headers: {
          authorization: `Bearer ${token}`,
          accept: "application/scim+json",
          "user-agent": `${userAgent} (as ${request.userAgent})`,
          ...(request.body === undefined ? {} : { "content-type": request.contentType })
        },
        body: request.body === undefined ? undefined : JSON.stringify(request.body),
        signal: AbortSignal.timeout(timeoutMillis)
      })
      const text = await response.text()
      const wait = Number(response.headers.get("retry-after") ?? Number.NaN) * 1000
      if (response.status === 429 && attempt < triesMax && wait <= pauseMillisMax) {
        await io.sleep(wait)
        continue
      }
      return { status: response.status, contentType: response.headers.get("content-type") ?? "", body: parsed(text) }
    }
  }

const parsed = (text: string): unknown => {
  if (text === "") return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const tokenOf = async (io: Io, invocation: ConformanceInvocation): Promise<string> => {
  const tokenFromEnv = io.env["ORGPLANE_SCIM_TOKEN"] ?? ""
  const token =
    invocation.tokenFile === undefined && tokenFromEnv !== ""
      ? tokenFromEnv
      : (invocation.tokenFile === undefined || invocation.tokenFile === "-") && canPrompt(io)
        ? await promptHidden(io, "SCIM token (hidden):")
        : invocation.tokenFile === undefined
          ? undefined
          : (await readInput(io, invocation.tokenFile)).toString("utf8").trim()
  if (token === undefined)
    throw usage("Pass the directory's SCIM token with --token <file|->, or in ORGPLANE_SCIM_TOKEN.")
  return credentialOf(token).secret
}

const noCleanup = async () => {}

/** Creates a temporary directory, so that the run affects no existing users, groups, tokens or holds. */
const temporaryDirectory = async (connection: Connection, run: string): Promise<Target> => {
  const created = await connection.send(
    { method: "POST", path: "/v1/scim/directories", query: {}, body: { name: `${testName}-${run}` } },
    { idempotent: true }
  )
  const [id, baseUrl, token] = [
    textAt(created, "directory.id"),
    textAt(created, "directory.baseUrl"),
    textAt(created, "token")
  ]
  if (id === undefined || baseUrl === undefined || token === undefined) {
    throw new Failure(exit.failure, "Unexpected response: the server did not return a directory.")
  }
  const path = `/v1/scim/directories/${pathPart(id, "directory")}`
  return {
    baseUrl,
    token,
    end: async () => {
      await connection.send({ method: "DELETE", path, query: { members: "end" }, body: undefined })
    }
  }
}

const targetOf = async (io: Io, globals: Globals, invocation: ConformanceInvocation, run: string): Promise<Target> => {
  if (invocation.url !== undefined) {
    if (invocation.directory !== undefined) throw usage("Use either --directory or --url, not both.")
    return { baseUrl: checkBaseUrl(invocation.url), token: await tokenOf(io, invocation), end: noCleanup }
  }
  if (invocation.directory === undefined) {
    if (invocation.tokenFile !== undefined) throw usage("--token requires --directory or --url.")
    return temporaryDirectory(await connectSignedIn(io, globals), run)
  }
  const connection = await connectSignedIn(io, globals)
  const id = await nameResolver(connection).idOf("scim.getDirectory", "scimDirectoryId", invocation.directory)
  const path = `/v1/scim/directories/${pathPart(id, "directory")}`
  const body = await connection.send({ method: "GET", path, query: {}, body: undefined })
  const hold = textAt(body, "directory.pendingHoldId")
  if (hold !== undefined) {
    // Every deactivation of the run would be added to the hold.
    throw new Failure(
      exit.conflict,
      `Deactivations of this directory are held for approval. Approve or reject them first: orgplane scim holds get ${id} ${hold}`
    )
  }
  const baseUrl = textAt(body, "directory.baseUrl")
  if (baseUrl === undefined)
    throw new Failure(exit.failure, "Unexpected response: the server did not return a directory.")
  return { baseUrl, token: await tokenOf(io, invocation), end: noCleanup }
}

const question = (invocation: ConformanceInvocation) =>
  `Create, change and remove test users and groups in ${invocation.directory ?? invocation.url ?? "a directory"}, as an identity provider would?`

export const conformance = async (
  io: Io,
  globals: Globals,
  output: OutputOptions,
  invocation: ConformanceInvocation
): Promise<ExitCode> => {
  const isLive = invocation.directory !== undefined || invocation.url !== undefined
  if (isLive && !(await confirm(io, question(invocation), globals.yes))) {
    await notify(io, "Canceled. Nothing was changed.")
    return exit.failure
  }
  const sequences =
    invocation.providers.length === 0
      ? allSequences
      : allSequences.filter(({ provider }) => invocation.providers.includes(provider))
  const run = io.now().toString(36)
  const target = await targetOf(io, globals, invocation, run)
  await warnAboutPlainHttp(io, {
    baseUrl: target.baseUrl,
    credential: credentialOf(target.token),
    organization: undefined
  })

  const isDrawn = !output.quiet && (output.format === "table" || (output.format === undefined && output.terminal))
  const isLineByLine = !output.quiet && !isDrawn && (output.format === undefined || output.format === "ndjson")
  const progress = await startProgress(io, "Conformance", output.quiet || !io.err.isTerminal)
  let isUnauthorized = false
  const onStep = async (result: StepResult, done: number, total: number): Promise<void> => {
    // Every further request would fail too.
    if (done === 1 && result.got.status === 401) {
      isUnauthorized = true
      return
    }
    await progress.update(`${result.provider}: ${result.title}`, done / total)
    if (isLineByLine) await print(io, output.format === "ndjson" ? json(result, false) : conformanceLine(result))
  }
  let outcome: Outcome
  try {
    outcome = await runSequences({
      sequences,
      run,
      send: sender(io, target, globals),
      onStep,
      isStopped: () => isUnauthorized || io.signal.aborted
    })
  } finally {
    await progress.stop()
    await target.end()
  }
  if (isUnauthorized) throw new Failure(exit.notSignedIn, `${target.baseUrl} rejected the SCIM token.`)
  const { leftovers, steps } = outcome
  const ok = leftovers.length === 0 && steps.every(({ result }) => result === "ok")
  if (isDrawn) await print(io, conformanceReport(outcome, sequences, output))
  else if (!output.quiet && !isLineByLine) {
    const report = { ok, baseUrl: target.baseUrl, run, steps, leftovers }
    await print(io, output.format === "yaml" ? yaml(report) : json(report, output.terminal))
  }
  if (isLive && leftovers.length > 0) {
    await notify(
      io,
      `orgplane: Cannot remove ${leftovers.map(escapeControls).join(", ")}. The names of test objects start with ${testName}-${run}, and their email addresses end with @${testDomain}.`
    )
  }
  if (io.signal.aborted) throw new Interrupted("interrupted")
  return ok ? exit.ok : exit.failure
}
