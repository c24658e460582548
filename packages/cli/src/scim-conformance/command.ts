/** `scim conformance`: sends the requests of the major identity providers and reports unexpected responses. */
import { type Connection, connect, debugged, userAgent } from "../connection.ts"
import { exit, type ExitCode, Failure, Interrupted, usage } from "../failure.ts"
import type { ConformanceChosen } from "../further.ts"
import type { Globals } from "../globals.ts"
import { canAsk, type Io, print, say } from "../io.ts"
import { json, type Look } from "../output/answer.ts"
import { textAt } from "../output/cell.ts"
import { conformanceLine, conformanceReport } from "../output/conformance.ts"
import { harmless } from "../output/harmless.ts"
import { yaml } from "../output/yaml.ts"
import { startProgress } from "../progress.ts"
import { pathPart, readInput } from "../request.ts"
import { checkBaseUrl, credentialOf, resolveSettings, warnOfPlainHttp } from "../settings.ts"
import { askHidden, confirmed } from "../terminal.ts"
import { entra } from "./entra.ts"
import { google } from "./google.ts"
import { okta } from "./okta.ts"
import { type Outcome, runSequences, type Send, type StepResult } from "./run.ts"
import { testDomain, testName } from "./sequence.ts"

const all = [okta, entra, google]
const timeoutMillis = 30_000
const pauseMillisMax = 30_000
const triesMax = 4

interface Aim {
  readonly baseUrl: string
  readonly token: string
  /** Removes the temporary directory. */
  readonly end: () => Promise<void>
}

const sender =
  (io: Io, { baseUrl, token }: Aim, globals: Globals): Send =>
  async (request) => {
    const ask = debugged(io, globals.debug)
    for (let attempt = 1; ; attempt++) {
      // An interruption does not abort the request: the IDs of created objects are needed to remove them.
      const response = await ask(
        new Request(`${baseUrl}${request.path}`, {
          method: request.method,
          redirect: "manual",
          signal: AbortSignal.timeout(timeoutMillis),
          headers: {
            authorization: `Bearer ${token}`,
            accept: "application/scim+json",
            "user-agent": `${userAgent} (as ${request.userAgent})`,
            ...(request.body === undefined ? {} : { "content-type": request.contentType })
          },
          ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) })
        })
      )
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

const tokenOf = async (io: Io, chosen: ConformanceChosen): Promise<string> => {
  const said = io.env["ORGPLANE_SCIM_TOKEN"] ?? ""
  const token =
    chosen.tokenFile === undefined && said !== ""
      ? said
      : (chosen.tokenFile === undefined || chosen.tokenFile === "-") && canAsk(io)
        ? await askHidden(io, "SCIM token (hidden):")
        : chosen.tokenFile === undefined
          ? undefined
          : (await readInput(io, chosen.tokenFile)).toString("utf8").trim()
  if (token === undefined)
    throw usage("Pass the directory's SCIM token with --token <file|->, or in ORGPLANE_SCIM_TOKEN.")
  return credentialOf(token).secret
}

const signedIn = async (io: Io, globals: Globals): Promise<Connection> => {
  const settings = await resolveSettings(io, globals)
  if (settings.credential === undefined) {
    throw new Failure(exit.notSignedIn, "Not signed in. Run 'orgplane login', or set ORGPLANE_TOKEN.")
  }
  await warnOfPlainHttp(io, settings)
  return connect(io, settings, globals.debug)
}

const nothing = async () => {}

/** Creates a temporary directory, so that the run affects no existing users, groups, tokens or holds. */
const ofItsOwn = async (connection: Connection, run: string): Promise<Aim> => {
  const made = await connection.send(
    { method: "POST", path: "/v1/scim/directories", query: {}, body: { name: `${testName}-${run}` } },
    { idempotent: true }
  )
  const [id, baseUrl, token] = [textAt(made, "directory.id"), textAt(made, "directory.baseUrl"), textAt(made, "token")]
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

const aimOf = async (io: Io, globals: Globals, chosen: ConformanceChosen, run: string): Promise<Aim> => {
  if (chosen.url !== undefined) {
    if (chosen.directory !== undefined) throw usage("Use either --directory or --url, not both.")
    return { baseUrl: checkBaseUrl(chosen.url), token: await tokenOf(io, chosen), end: nothing }
  }
  if (chosen.directory === undefined) {
    if (chosen.tokenFile !== undefined) throw usage("--token requires --directory or --url.")
    return ofItsOwn(await signedIn(io, globals), run)
  }
  const connection = await signedIn(io, globals)
  const path = `/v1/scim/directories/${pathPart(chosen.directory, "directory")}`
  const body = await connection.send({ method: "GET", path, query: {}, body: undefined })
  const hold = textAt(body, "directory.pendingHoldId")
  if (hold !== undefined) {
    // Every deactivation of the run would be added to the hold.
    throw new Failure(
      exit.conflict,
      `Deactivations of this directory are held for approval. Decide them first: orgplane scim holds get ${chosen.directory} ${hold}`
    )
  }
  const baseUrl = textAt(body, "directory.baseUrl")
  if (baseUrl === undefined)
    throw new Failure(exit.failure, "Unexpected response: the server did not return a directory.")
  return { baseUrl, token: await tokenOf(io, chosen), end: nothing }
}

const question = (chosen: ConformanceChosen) =>
  `Create, change and remove test users and groups in ${chosen.directory ?? chosen.url ?? "a directory"}, like an identity provider?`

export const conformance = async (
  io: Io,
  globals: Globals,
  look: Look,
  chosen: ConformanceChosen
): Promise<ExitCode> => {
  const isLive = chosen.directory !== undefined || chosen.url !== undefined
  if (isLive && !(await confirmed(io, question(chosen), globals.yes))) {
    await say(io, "Cancelled. Nothing was changed.")
    return exit.failure
  }
  const sequences =
    chosen.providers.length === 0 ? all : all.filter(({ provider }) => chosen.providers.includes(provider))
  const run = io.now().toString(36)
  const aim = await aimOf(io, globals, chosen, run)
  await warnOfPlainHttp(io, { baseUrl: aim.baseUrl, credential: credentialOf(aim.token), organization: undefined })

  const isDrawn = !look.quiet && (look.format === "table" || (look.format === undefined && look.terminal))
  const isLineByLine = !look.quiet && !isDrawn && (look.format === undefined || look.format === "ndjson")
  const progress = await startProgress(io, "Conformance", look.quiet || !io.err.isTerminal)
  let isRefused = false
  const onStep = async (result: StepResult, done: number, total: number): Promise<void> => {
    // Every further request would fail too.
    if (done === 1 && result.got.status === 401) {
      isRefused = true
      return
    }
    await progress.update(`${result.provider}: ${result.title}`, done / total)
    if (isLineByLine) await print(io, look.format === "ndjson" ? json(result, false) : conformanceLine(result))
  }
  let outcome: Outcome
  try {
    outcome = await runSequences({
      sequences,
      run,
      send: sender(io, aim, globals),
      onStep,
      isOver: () => isRefused || io.signal.aborted
    })
  } finally {
    await progress.stop()
    await aim.end()
  }
  if (isRefused) throw new Failure(exit.notSignedIn, `${aim.baseUrl} rejected the SCIM token.`)
  const { leftovers, steps } = outcome
  const ok = leftovers.length === 0 && steps.every(({ result }) => result === "ok")
  if (isDrawn) await print(io, conformanceReport(outcome, sequences, look))
  else if (!look.quiet && !isLineByLine) {
    const report = { ok, baseUrl: aim.baseUrl, run, steps, leftovers }
    await print(io, look.format === "yaml" ? yaml(report) : json(report, look.terminal))
  }
  if (isLive && leftovers.length > 0) {
    await say(
      io,
      `orgplane: could not remove ${leftovers.map(harmless).join(", ")}. Names of test objects start with ${testName}-${run}, email addresses end with @${testDomain}.`
    )
  }
  if (io.signal.aborted) throw new Interrupted("interrupted")
  return ok ? exit.ok : exit.failure
}
