/** Makes the request that sends a batch, in the form that each kind of destination expects. */
import type { EventStreamDestination } from "@orgplane/schema/event-streams"
import { AwsV4Signer } from "aws4fetch"
import { gzipSync } from "node:zlib"
import * as Effect from "effect/Effect"
import { sha256 } from "../../infra/crypto/digest.ts"
import type { OutboundRequest } from "../../infra/ports/outbound.ts"

/** A line of a batch, and what some destinations need outside of it. */
export interface BatchLine {
  readonly text: string
  /** For example `plugin.update`, or the kind of a line without a type. */
  readonly name: string
  readonly time: Date
}

export interface Batch {
  readonly organizationId: string
  readonly lines: ReadonlyArray<BatchLine>
  /** The name of the object in object storage, without its extension. The same batch always has the same name. */
  readonly name: string
  /** When the object was created, as far as its name is concerned. */
  readonly time: Date
}

type Request = Pick<OutboundRequest, "url" | "method" | "headers" | "body">

const userAgent = "orgplane-event-streams"

const ndjson = ({ lines }: Batch): string => lines.map(({ text }) => `${text}\n`).join("")

const bearer = (scheme: string, token: string | undefined) =>
  token === undefined ? {} : { authorization: `${scheme} ${token}` }

/** Splunk stores the text of `event` unchanged, so that its lines can be verified. */
const splunk = ({ lines }: Batch): string =>
  lines
    .map(({ text, time }) =>
      JSON.stringify({ time: time.getTime() / 1000, source: "orgplane", sourcetype: "orgplane:event", event: text })
    )
    .join("\n")

const pad = (value: number) => String(value).padStart(2, "0")

/** The name of an object: by organization and day, so that the objects of a day can be listed. */
const objectKey = (prefix: string, { name, organizationId, time }: Batch): string => {
  const folder = prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`
  const day = `${time.getUTCFullYear()}/${pad(time.getUTCMonth() + 1)}/${pad(time.getUTCDate())}`
  return `${folder}${organizationId}/${day}/${name}.ndjson.gz`
}

const otlp = ({ lines, organizationId }: Batch) => ({
  resourceLogs: [
    {
      resource: {
        attributes: [
          { key: "service.name", value: { stringValue: "orgplane" } },
          { key: "orgplane.organization.id", value: { stringValue: organizationId } }
        ]
      },
      scopeLogs: [
        {
          scope: { name: "orgplane.events" },
          logRecords: lines.map(({ name, text, time }) => ({
            timeUnixNano: `${time.getTime()}000000`,
            severityNumber: 9,
            severityText: "INFO",
            eventName: name,
            body: { stringValue: text }
          }))
        }
      ]
    }
  ]
})

/** The headers that were stored as the secret of a collector. */
const headersOf = (secret: string | undefined) =>
  secret === undefined ? {} : (JSON.parse(secret) as Readonly<Record<string, string>>)

const withoutTrailingSlash = (url: string): string => (url.endsWith("/") ? url.slice(0, -1) : url)

const s3 = Effect.fnUntraced(function* (
  destination: Extract<EventStreamDestination, { kind: "s3" }>,
  secret: string | undefined,
  batch: Batch
) {
  const body = gzipSync(ndjson(batch))
  const key = objectKey(destination.prefix, batch).split("/").map(encodeURIComponent).join("/")
  const signer = new AwsV4Signer({
    method: "PUT",
    url: `${withoutTrailingSlash(destination.endpoint)}/${destination.bucket}/${key}`,
    headers: { "content-type": "application/x-ndjson", "x-amz-content-sha256": sha256(body) },
    body,
    accessKeyId: destination.accessKeyId,
    secretAccessKey: secret ?? "",
    service: "s3",
    region: destination.region
  })
  const { headers, url } = yield* Effect.promise(() => signer.sign())
  return { url: url.href, method: "PUT", headers: Object.fromEntries(headers), body } satisfies Request
})

/** The request that sends a batch. `secret` is as it was stored; undefined if there is none. */
export const requestOf = (
  destination: EventStreamDestination,
  secret: string | undefined,
  batch: Batch
): Effect.Effect<Request> => {
  const json = { "user-agent": userAgent, "content-type": "application/json" }
  switch (destination.kind) {
    case "https":
      return Effect.succeed(
        destination.format === "splunk_hec"
          ? {
              url: destination.url,
              method: "POST",
              headers: { ...json, ...bearer("Splunk", secret) },
              body: splunk(batch)
            }
          : {
              url: destination.url,
              method: "POST",
              headers: { ...json, "content-type": "application/x-ndjson", ...bearer("Bearer", secret) },
              body: ndjson(batch)
            }
      )
    case "s3":
      return s3(destination, secret, batch)
    case "otlp":
      return Effect.succeed({
        url: destination.url,
        method: "POST",
        headers: { ...headersOf(secret), ...json },
        body: JSON.stringify(otlp(batch))
      })
    default:
      return destination satisfies never
  }
}

/** Why a successful response means that the batch was not accepted; undefined if it was. */
export const refusalOf = (destination: EventStreamDestination, body: Uint8Array): string | undefined => {
  if (destination.kind !== "otlp") return undefined
  try {
    const { partialSuccess } = JSON.parse(new TextDecoder().decode(body)) as {
      readonly partialSuccess?: { readonly rejectedLogRecords?: number | string }
    }
    const rejected = Number(partialSuccess?.rejectedLogRecords ?? 0)
    return rejected > 0 ? `The collector rejected ${rejected} log records.` : undefined
  } catch {
    return undefined
  }
}
