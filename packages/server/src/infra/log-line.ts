/** The format of a log line, documented in `docs/logs.md` and in the package's `log.schema.json`. */
import * as Schema from "effect/Schema"
import type { LogEntry } from "./ports/log.ts"

export const LogLine = Schema.Struct({
  time: Schema.String.check(Schema.isPattern(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/u)).annotate({
    description: "The time of the line: an ISO 8601 timestamp in UTC with milliseconds."
  }),
  level: Schema.Literals(["error", "warn", "info", "debug"]),
  message: Schema.String.check(Schema.isMinLength(1)).annotate({
    description: "One sentence. The messages of one kind of event are the same; the variable parts are in `fields`."
  }),
  request_id: Schema.optionalKey(
    Schema.String.annotate({
      description:
        "The ID of the request, as in the response header `x-request-id`. The lines of a job have the ID of the request that queued it."
    })
  ),
  trace_id: Schema.optionalKey(
    Schema.String.check(Schema.isPattern(/^[0-9a-f]{32}$/u)).annotate({
      description: "The trace of the request or job. Absent if neither the server nor the caller traces it."
    })
  ),
  span_id: Schema.optionalKey(
    Schema.String.check(Schema.isPattern(/^[0-9a-f]{16}$/u)).annotate({
      description: "The span in which the line was written, or the caller's span if the server records none."
    })
  ),
  fields: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Unknown).annotate({
      description: "Structured context that depends on the message. Credentials are never included."
    })
  ),
  cause: Schema.optionalKey(
    Schema.String.annotate({ description: "The error with its stack trace. It contains line breaks." })
  )
})

/** The JSON Schema of a log line, as the package contains it. */
export const logLineJsonSchema = (): Readonly<Record<string, unknown>> => ({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Log line of orgplane-server",
  description: "The server writes one JSON object per line to stderr. Later releases may add members.",
  ...Schema.toJsonSchemaDocument(LogLine).schema
})

/** A credential of orgplane anywhere in a text: see `crypto/tokens.ts`. */
export const credential = /op[a-z]_[0-9A-Za-z]{40,}/gu

/** The line of an entry. A credential that an error message contains is replaced. */
export const lineOf = (entry: LogEntry): string => {
  const { cause, level, message, requestId, spanId, time, traceId } = entry
  const { requestId: _, ...fields } = entry.fields
  const line: typeof LogLine.Type = {
    time,
    level,
    message,
    ...(requestId === undefined ? {} : { request_id: requestId }),
    ...(traceId === undefined ? {} : { trace_id: traceId }),
    ...(spanId === undefined ? {} : { span_id: spanId }),
    ...(Object.keys(fields).length === 0 ? {} : { fields }),
    ...(cause === undefined ? {} : { cause })
  }
  return JSON.stringify(line).replace(credential, "REDACTED")
}
