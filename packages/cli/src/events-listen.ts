/** `events listen`: sends each event of the live stream to a URL, signed like a webhook. */
import { makeEventStream } from "@orgplane/client/transport"
import { connectSignedIn } from "./connection.ts"
import type { ExitCode } from "./exit-code.ts"
import { exit } from "./exit-code.ts"
import { usage } from "./failure.ts"
import type { Globals } from "./global-flags.ts"
import type { ListenEventsInvocation } from "./invocation.ts"
import { type Io, notify, print } from "./io.ts"
import { escapeControls } from "./output/escape.ts"
import { renderEvent } from "./output/event-line.ts"
import type { OutputOptions } from "./output/render.ts"
import { printSelected } from "./output/selection.ts"
import { cell, member, textAt } from "./output/value.ts"
import { pad } from "./output/width.ts"

const timeoutMillis = 30_000
const secretPrefix = "whsec_"
const columns = ["sequence", "type", "id", "status", "durationMillis", "error"]

interface Delivery {
  readonly id: string
  readonly sequence: unknown
  readonly type: string
  readonly status: number | null
  readonly error: string | null
  readonly durationMillis: number
}

const isLoopback = ({ hostname }: URL): boolean =>
  hostname === "localhost" ||
  hostname.endsWith(".localhost") ||
  hostname === "[::1]" ||
  /^127(\.\d+){3}$/u.test(hostname)

const targetOf = (text: string, allowRemote: boolean): URL => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw usage("--forward-to must be an http or https URL, such as http://localhost:3000/webhooks.")
  }
  if (!allowRemote && !isLoopback(url)) {
    throw usage(
      "--forward-to must be on this machine, such as http://localhost:3000. To send events to another machine, add --allow-remote."
    )
  }
  return url
}

const signerOf = async (secret: string) => {
  const base64 = secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : ""
  const bytes = Buffer.from(base64, "base64")
  if (bytes.length === 0 || bytes.toString("base64").replace(/=/gu, "") !== base64.replace(/=/gu, "")) {
    throw usage("--secret must be whsec_ and base64, as 'orgplane webhook-endpoints create' prints it.")
  }
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"])
  return async (text: string) =>
    `v1,${Buffer.from(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(text))).toString("base64")}`
}

/** The cause at the end of a chain, such as `connect ECONNREFUSED 127.0.0.1:3000`. */
const reasonOf = (error: unknown): string => {
  const cause = member(error, "cause")
  if (cause instanceof Error) return reasonOf(cause)
  // An error about several addresses has no message.
  return textAt(error, "message") ?? textAt(error, "code") ?? String(error)
}

const lineOf = ({ durationMillis, error, id, sequence, status, type }: Delivery): string =>
  [
    pad(cell(sequence), 7),
    pad(cell(type), 26),
    pad(cell(id), 30),
    `${status ?? escapeControls(error ?? "")} (${durationMillis} ms)`
  ].join("  ")

/** Sends events until the command is interrupted. */
export const listenEvents = async (
  io: Io,
  globals: Globals,
  output: OutputOptions,
  { after, allowRemote, forwardTo, secret, types }: ListenEventsInvocation
): Promise<ExitCode> => {
  const url = targetOf(forwardTo, allowRemote)
  const usedSecret = secret ?? secretPrefix + Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64")
  const sign = await signerOf(usedSecret)
  const connection = await connectSignedIn(io, globals)

  const forward = async (event: unknown): Promise<Delivery> => {
    const id = textAt(event, "id") ?? ""
    const type = textAt(event, "type") ?? ""
    const body = JSON.stringify({ type, timestamp: member(event, "createdAt"), data: event })
    const startedAt = io.now()
    const timestamp = String(Math.floor(startedAt / 1000))
    const headers = {
      "content-type": "application/json",
      "user-agent": "orgplane-webhooks",
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": await sign(`${id}.${timestamp}.${body}`)
    }
    const signal = AbortSignal.any([io.signal, AbortSignal.timeout(timeoutMillis)])
    const base = { id, sequence: member(event, "sequence"), type }
    try {
      const response = await io.send({ method: "POST", url, headers, body, signal })
      await response.text()
      return { ...base, status: response.status, error: null, durationMillis: io.now() - startedAt }
    } catch (error) {
      if (io.signal.aborted) throw error
      const reason = signal.aborted ? `no response in ${timeoutMillis / 1000} seconds` : reasonOf(error)
      return { ...base, status: null, error: reason, durationMillis: io.now() - startedAt }
    }
  }

  await notify(
    io,
    secret === undefined
      ? `Forwarding events to ${url.href}. The secret is ${usedSecret}`
      : `Forwarding events to ${url.href}.`
  )
  const stream = makeEventStream(async (lastEventId) => {
    const start = lastEventId ?? (after === undefined ? undefined : String(after))
    const query = { ...(types === undefined ? {} : { types }), ...(start === undefined ? {} : { after: start }) }
    const data = await connection.stream({ method: "GET", path: "/v1/events/stream", query, body: undefined })
    return { data, response: { status: 200, headers: new Headers(), requestId: undefined } }
  }, io.signal)
  for await (const event of stream) {
    const delivery = await forward(event)
    if (await printSelected(io, delivery, output)) continue
    await print(io, renderEvent(delivery, output, { columns, line: () => lineOf(delivery), values: () => delivery }))
  }
  return exit.ok
}
