/** What a person needs beyond the contract of the operations on telemetry. */
import { member } from "./output/cell.ts"
import type { Override } from "./overrides.ts"

const sumOf = (rows: ReadonlyArray<unknown>, name: string): number =>
  rows.reduce<number>((sum, row) => {
    const value = member(row, name)
    return sum + (typeof value === "number" ? value : 0)
  }, 0)

/** The ledger's law, over the rows that were shown. */
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
        description: 'Send {"events": [...]}, at most 50; with an id on each the same file can be sent again'
      },
      {
        command: "jq -sc '{events: .[:50]}' events.ndjson | orgplane telemetry ingest --input -",
        description: "The first fifty of a file that has one a line"
      }
    ]
  },
  "telemetry.describe": {
    alias: "schema",
    subject: "telemetry",
    examples: [{ command: "orgplane telemetry schema", description: "Which types and fields are kept" }]
  },
  "telemetry.ledger": {
    columns: ["receivedAt", "requestId", "sent", "accepted", "duplicate", "dropped", "fieldsRemoved"],
    id: "requestId",
    total: totalOf,
    examples: [
      { command: "orgplane telemetry ledger --all", description: "What became of each batch of the last 30 days" },
      {
        command: "orgplane telemetry ledger --request-id req_… -o json | jq '.items[].reasons'",
        description: "Why events of one request were dropped"
      }
    ]
  }
}
