/** Overrides of the commands for telemetry. */
import { member } from "../output/value.ts"
import type { Override } from "../override.ts"

const sumOf = (rows: ReadonlyArray<unknown>, name: string): number =>
  rows.reduce<number>((sum, row) => {
    const value = member(row, name)
    return sum + (typeof value === "number" ? value : 0)
  }, 0)

/** The sums of the printed ledger rows: sent = accepted + duplicate + dropped. */
const totalOf = (rows: ReadonlyArray<unknown>): string => {
  const [sent, accepted, duplicate, dropped, removed] = [
    "sent",
    "accepted",
    "duplicate",
    "dropped",
    "fieldsRemoved"
  ].map((name) => sumOf(rows, name))
  return `${sent} sent = ${accepted} accepted + ${duplicate} duplicate + ${dropped} dropped; ${removed} fields removed`
}

export const telemetryOverrides: Readonly<Record<string, Override>> = {
  "telemetry.ingest": {
    examples: [
      {
        command: "orgplane telemetry ingest --input batch.json",
        description: 'Send {"events": [...]}, at most 50 events. Events with an ID can be resent safely'
      },
      {
        command: "jq -sc '{events: .[:50]}' events.ndjson | orgplane telemetry ingest --input -",
        description: "Send the first 50 events of an NDJSON file"
      }
    ]
  },
  "telemetry.describe": {
    alias: "schema",
    subject: "telemetry",
    examples: [{ command: "orgplane telemetry schema", description: "List the accepted event types and fields" }]
  },
  "telemetry.ledger": {
    columns: ["receivedAt", "requestId", "sent", "accepted", "duplicate", "dropped", "fieldsRemoved"],
    id: "requestId",
    total: totalOf,
    examples: [
      {
        command: "orgplane telemetry ledger --all",
        description: "List the batches of the last 30 days with their results"
      },
      {
        command: "orgplane telemetry ledger --request-id req_… -o json | jq '.items[].reasons'",
        description: "Show why events of a request were dropped"
      }
    ]
  }
}
