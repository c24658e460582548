/** The ledger of telemetry: what became of the events of each request. */
import type { TelemetryLedgerEntry, TelemetryReason } from "@orgplane/client"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { type Column, DataTable } from "../../design/data-table.tsx"
import { Dialog } from "../../design/dialog.tsx"
import { ExportButton } from "../../design/export-button.tsx"
import { Facts } from "../../design/facts.tsx"
import { Badge, Empty, PageHeader, Time } from "../../design/ui.tsx"
import { Name } from "../../objects/names.tsx"
import { useParameters } from "../../parameters.ts"
import { Filters, TextFilter } from "../operations/filters.tsx"
import "./insights.css"

const pageSize = 50
const exportPageSize = 100
const refreshMilliseconds = 10_000

const reasons: Readonly<Record<TelemetryReason, string>> = {
  event_malformed: "not an event",
  type_unknown: "unknown type of event",
  timestamp_malformed: "invalid timestamp",
  timestamp_too_old: "older than the retention period",
  timestamp_in_future: "too far in the future",
  source_unknown: "unknown source",
  field_unknown: "unknown field",
  field_identity: "field that the credential determines",
  id_malformed: "invalid ID",
  session_id_malformed: "invalid session ID",
  duration_malformed: "invalid duration",
  success_malformed: "invalid success",
  dimensions_malformed: "invalid dimensions",
  dimensions_too_many: "too many dimensions",
  dimension_malformed: "invalid dimension",
  metadata_malformed: "invalid metadata"
}

const Sender = ({ entry, isLink }: { readonly entry: TelemetryLedgerEntry; readonly isLink: boolean }) => (
  <Name id={entry.workerId ?? entry.apiKeyId ?? entry.orgMembershipId ?? entry.userId} link={isLink} />
)

const columns: ReadonlyArray<Column<TelemetryLedgerEntry>> = [
  {
    name: "Received",
    width: "minmax(100px, 1fr)",
    cell: ({ receivedAt }) => <Time at={receivedAt} />,
    sort: ({ receivedAt }) => receivedAt
  },
  { name: "Sender", width: "minmax(0, 2fr)", cell: (entry) => <Sender entry={entry} isLink={false} /> },
  { name: "Sent", width: "70px", wide: true, cell: ({ sent }) => sent, sort: ({ sent }) => sent },
  { name: "Accepted", width: "80px", cell: ({ accepted }) => accepted, sort: ({ accepted }) => accepted },
  {
    name: "Duplicate",
    width: "80px",
    wide: true,
    cell: ({ duplicate }) => duplicate,
    sort: ({ duplicate }) => duplicate
  },
  {
    name: "Dropped",
    width: "80px",
    wide: true,
    cell: ({ dropped }) => (dropped === 0 ? 0 : <Badge tone="bad">{dropped}</Badge>),
    sort: ({ dropped }) => dropped
  },
  {
    name: "Fields removed",
    width: "120px",
    wide: true,
    cell: ({ fieldsRemoved }) => (fieldsRemoved === 0 ? 0 : <Badge tone="warn">{fieldsRemoved}</Badge>),
    sort: ({ fieldsRemoved }) => fieldsRemoved
  }
]

const Details = ({ entry }: { readonly entry: TelemetryLedgerEntry }) => (
  <div className="stack">
    <Facts
      rows={[
        ["Received", new Date(entry.receivedAt).toLocaleString("en")],
        ["Request", <code>{entry.requestId}</code>],
        ["Sender", <Sender entry={entry} isLink />],
        ["Member", <Name id={entry.orgMembershipId} />],
        ["Sent", entry.sent],
        ["Accepted", entry.accepted],
        ["Duplicate", entry.duplicate],
        ["Dropped", entry.dropped],
        ["Fields removed", entry.fieldsRemoved]
      ]}
    />
    {entry.reasons.length === 0 ? (
      <p className="muted">Every event was stored as it was sent.</p>
    ) : (
      <table className="numbers">
        <thead>
          <tr>
            <th>Reason</th>
            <th>Count</th>
          </tr>
        </thead>
        <tbody>
          {entry.reasons.map(({ count, reason }) => (
            <tr key={reason}>
              <td>{reasons[reason]}</td>
              <td>{count}</td>
            </tr>
          ))}
        </tbody>
      </table>
    )}
  </div>
)

export const Page = () => {
  const requestId = useParameters()["requestId"]
  const [opened, setOpened] = useState<TelemetryLedgerEntry>()
  const page = (limit: number, cursor: string | undefined, signal?: AbortSignal) =>
    client.telemetry.ledger(
      {
        limit,
        ...(requestId === undefined ? {} : { requestId }),
        ...(cursor === undefined ? {} : { cursor })
      },
      { signal }
    )
  return (
    <>
      <PageHeader
        title="Telemetry ledger"
        description="What became of the events of each request in the last 30 days: accepted, duplicate or dropped, and why."
        actions={<ExportButton name="telemetry-ledger" load={(cursor) => page(exportPageSize, cursor)} />}
      />
      <Filters>
        <TextFilter name="requestId" label="Request ID" placeholder="req_…" />
      </Filters>
      <DataTable
        label="Requests"
        columns={columns}
        queryKey={["telemetry", "ledger", requestId]}
        load={(cursor, signal) => page(pageSize, cursor, signal)}
        idOf={({ id }) => id}
        open={setOpened}
        isExported={false}
        refetchInterval={refreshMilliseconds}
        empty={
          requestId === undefined ? (
            <Empty title="No telemetry yet">
              <p>A row appears for each request of the desktop app or a worker with events.</p>
            </Empty>
          ) : (
            <Empty title="Nothing matches">
              <p>The ID is in the header x-request-id of the response.</p>
            </Empty>
          )
        }
      />
      <Dialog title="A request with events" isOpen={opened !== undefined} onClose={() => setOpened(undefined)}>
        {opened !== undefined && <Details entry={opened} />}
      </Dialog>
    </>
  )
}
