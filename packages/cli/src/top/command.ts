/** `top`: shows the state of a server until the user quits. */
import { connect } from "../connection.ts"
import { exit, type ExitCode } from "../exit-code.ts"
import { describeFailure, Failure, Interrupted, usage } from "../failure.ts"
import type { Globals } from "../global-flags.ts"
import type { TopInvocation } from "../invocation.ts"
import { type Io, print } from "../io.ts"
import { json, type OutputOptions } from "../output/render.ts"
import { printSelected } from "../output/selection.ts"
import { member } from "../output/value.ts"
import { yaml } from "../output/yaml.ts"
import { readInput } from "../request.ts"
import { resolveSettings, warnAboutPlainHttp } from "../settings.ts"
import { draw } from "./draw.ts"
import { parseMetrics } from "./metrics-text.ts"
import { type Readiness, readinessOf } from "./readiness.ts"
import { type Reading, type Summary, summarize } from "./summary.ts"

/** The metrics of a server have a bounded number of series. */
const metricsBytesMax = 8 * 1024 * 1024
/** A change of the terminal's size is visible after at most this time. */
const sliceMillis = 200
const intervalSecondsMax = 3600

const enterScreen = "\u001b[?1049h\u001b[?25l"
const leaveScreen = "\u001b[?25h\u001b[?1049l"
const home = "\u001b[H"
const clearRest = "\u001b[J"
const clearLine = "\u001b[K"
/** In raw mode, Ctrl+C and Ctrl+D are characters. */
const quitKeys = ["q", "Q", "\u0003", "\u0004"]

const tokenOf = async (io: Io, file: string | undefined): Promise<string> => {
  const text = file === undefined ? io.env["ORGPLANE_METRICS_TOKEN"] : (await readInput(io, file)).toString("utf8")
  const token = text?.trim() ?? ""
  if (token === "") {
    throw new Failure(
      exit.notSignedIn,
      "No metrics token is configured. Set ORGPLANE_METRICS_TOKEN to the value that the server has, or use --metrics-token-file."
    )
  }
  return token
}

const textOf = async (stream: ReadableStream<Uint8Array>): Promise<string> => {
  const decoder = new TextDecoder()
  let text = ""
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > metricsBytesMax)
      throw new Failure(exit.failure, "The metrics of the server are larger than 8 MiB.")
  }
  return text
}

const render = (summary: Summary, output: OutputOptions): string => {
  if (output.format === "json" || output.format === "ndjson")
    return json(summary, output.format === "json" && output.terminal)
  if (output.format === "yaml") return `---\n${yaml(summary)}`
  return draw(summary, {
    columns: output.columns ?? 100,
    rows: undefined,
    colors: output.colors,
    footer: output.terminal ? undefined : ""
  }).join("\n")
}

export const top = async (
  io: Io,
  globals: Globals,
  output: OutputOptions,
  { intervalSeconds, metricsTokenFile, once }: TopInvocation
): Promise<ExitCode> => {
  if (!(intervalSeconds >= 1 && intervalSeconds <= intervalSecondsMax)) {
    throw usage(`--interval must be a number of seconds from 1 to ${intervalSecondsMax}.`)
  }
  const token = await tokenOf(io, metricsTokenFile)
  const { baseUrl } = await resolveSettings(io, globals)
  const settings = { baseUrl, credential: { kind: "session" as const, secret: token }, organization: undefined }
  await warnAboutPlainHttp(io, settings)
  const connection = connect(io, settings, globals)

  /** A server that is not ready responds with the status 503. */
  const readReadiness = async (): Promise<Readiness> => {
    const request = { method: "GET", path: "/v1/ready", query: {}, body: undefined }
    let failure: unknown
    const body = await connection.send(request, { retries: 0 }).catch((error: unknown) => {
      failure = error
      return member(error, "body")
    })
    const readiness = readinessOf(body)
    if (readiness !== undefined) return readiness
    throw failure ?? new Failure(exit.failure, `${baseUrl} is not an orgplane server. Check --base-url.`)
  }

  const readMetrics = async () => {
    try {
      const stream = await connection.stream({ method: "GET", path: "/v1/metrics", query: {}, body: undefined })
      return parseMetrics(await textOf(stream))
    } catch (error) {
      if (describeFailure(error).status !== 404) throw error
      throw new Failure(
        exit.notSignedIn,
        "The server does not return its metrics, because its ORGPLANE_METRICS_TOKEN is not set, or differs from yours. Use the token of the server."
      )
    }
  }

  const read = async (): Promise<Reading> => {
    // Without the metrics, the reason is clearer than that of the readiness.
    const samples = await readMetrics()
    const atMillis = io.now()
    return { samples, atMillis, readiness: await readReadiness() }
  }

  let before = await read()
  const isLive =
    !once && output.terminal && output.format === undefined && output.selection === undefined && io.stdin.isTTY === true
  if (!isLive) {
    for (;;) {
      await io.sleep(intervalSeconds * 1000)
      const after = await read()
      const summary = summarize(baseUrl, before, after)
      before = after
      if (!(await printSelected(io, summary, output))) await print(io, render(summary, output))
      if (once) return exit.ok
    }
  }

  const quitting = new AbortController()
  const onKey = (chunk: Buffer | string) => {
    const text = chunk.toString()
    if (quitKeys.some((key) => text.includes(key))) quitting.abort()
  }
  let shown: Summary | undefined
  let message = ""
  const size = () => `${io.out.columns ?? 80}x${io.out.rows ?? 24}`
  const show = async () => {
    const footer = message === "" ? `q quits   refreshed every ${intervalSeconds} s` : message
    const lines =
      shown === undefined
        ? [`Reading ${baseUrl} …`, footer]
        : draw(shown, { columns: io.out.columns ?? 80, rows: io.out.rows ?? 24, colors: output.colors, footer })
    await io.out.write(`${home}${lines.map((each) => `${each}${clearLine}`).join("\r\n")}${clearRest}`)
  }
  io.stdin.setRawMode?.(true)
  io.stdin.on("data", onKey)
  io.stdin.resume()
  try {
    await io.out.write(enterScreen)
    for (;;) {
      await show()
      let drawn = size()
      const due = io.now() + intervalSeconds * 1000
      while (!quitting.signal.aborted && io.now() < due) {
        await io.sleep(Math.min(sliceMillis, due - io.now()))
        if (size() === drawn) continue
        drawn = size()
        await show()
      }
      if (quitting.signal.aborted) return exit.ok
      try {
        const after = await read()
        shown = summarize(baseUrl, before, after)
        before = after
        message = ""
      } catch (error) {
        // A server that restarts is shown again when it responds.
        if (io.signal.aborted || error instanceof Failure) throw error
        message = `${describeFailure(error).message} Retrying.`
      }
    }
  } catch (error) {
    if (error instanceof Interrupted || io.signal.aborted) return exit.ok
    throw error
  } finally {
    io.stdin.off("data", onKey)
    io.stdin.pause()
    io.stdin.setRawMode?.(false)
    await io.out.write(leaveScreen)
  }
}
