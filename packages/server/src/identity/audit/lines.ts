import type { AuditEvent } from "@orgplane/schema/audit"
import { stringify } from "csv-stringify/sync"

export const formats = {
  ndjson: "application/x-ndjson",
  csv: "text/csv; charset=utf-8"
} as const
export type Format = keyof typeof formats

const columns = [
  "id",
  "organizationId",
  "sequence",
  "action",
  "actorKind",
  "actorId",
  "targetId",
  "requestId",
  "address",
  "userAgent",
  "before",
  "after",
  "createdAt"
] as const satisfies ReadonlyArray<keyof AuditEvent>

/** Cells that a spreadsheet would evaluate as formulas get an apostrophe as a prefix. Objects are JSON in one cell. */
const csv = (rows: ReadonlyArray<Record<string, unknown>>, header: boolean) =>
  stringify([...rows], {
    header,
    columns: [...columns],
    escape_formulas: true,
    record_delimiter: "windows",
    cast: { object: (value) => JSON.stringify(value) }
  })

/** The text before the first event. */
export const headerOf = (format: Format): string => (format === "csv" ? csv([], true) : "")

export const linesOf = (format: Format, events: ReadonlyArray<AuditEvent>): string =>
  format === "csv" ? csv(events, false) : events.map((event) => `${JSON.stringify(event)}\n`).join("")
