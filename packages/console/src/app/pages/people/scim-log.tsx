/** The requests of a directory, as they arrive. */
import type { ScimDecision, ScimLogEntry } from "@orgplane/client"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { type Column, DataTable } from "../../design/data-table.tsx"
import { Dialog } from "../../design/dialog.tsx"
import { Facts } from "../../design/facts.tsx"
import { Checkbox } from "../../design/fields.tsx"
import { SimpleTable } from "../../design/simple-table.tsx"
import { Badge, Empty, Time, type Tone } from "../../design/ui.tsx"
import { useParameters, useSetParameters } from "../../parameters.ts"

/** A change is in the log with its request, a read within a second. */
const refetchMilliseconds = 3000

export const decisionTones: Readonly<Record<ScimDecision, Tone>> = {
  read: "neutral",
  created: "good",
  updated: "good",
  unchanged: "neutral",
  deleted: "warn",
  held: "warn",
  refused: "bad"
}

const decisions = Object.keys(decisionTones)
const isDecision = (text: string | undefined): text is ScimDecision => text !== undefined && decisions.includes(text)

const columns: ReadonlyArray<Column<ScimLogEntry>> = [
  {
    name: "When",
    width: "120px",
    cell: ({ createdAt }) => <Time at={createdAt} />,
    sort: ({ createdAt }) => createdAt
  },
  {
    name: "Outcome",
    width: "105px",
    cell: ({ decision }) => <Badge tone={decisionTones[decision]}>{decision}</Badge>,
    sort: ({ decision }) => decision
  },
  {
    name: "Object",
    width: "minmax(0, 2fr)",
    cell: ({ displayName, resourceType }) => (
      <span title={displayName ?? ""}>
        {resourceType === null ? "" : `${resourceType} `}
        <strong>{displayName ?? ""}</strong>
      </span>
    ),
    sort: ({ displayName }) => displayName
  },
  {
    name: "Request",
    width: "minmax(0, 3fr)",
    wide: true,
    cell: ({ method, path }) => (
      <code title={`${method} ${path}`}>
        {method} {path}
      </code>
    ),
    sort: ({ method, path }) => `${path} ${method}`
  },
  { name: "Status", width: "70px", wide: true, cell: ({ status }) => status, sort: ({ status }) => status },
  {
    name: "Reason",
    width: "minmax(0, 2fr)",
    wide: true,
    cell: ({ detail }) => <span title={detail ?? ""}>{detail ?? ""}</span>,
    sort: ({ detail }) => detail
  }
]

const text = (value: ScimLogEntry["differences"][number]["before"]): string =>
  value === null ? "" : typeof value === "string" ? value : JSON.stringify(value, null, 1)

const Differences = ({ entry: { differences } }: { readonly entry: ScimLogEntry }) =>
  differences.length === 0 ? (
    <p className="muted">It changed nothing.</p>
  ) : (
    <SimpleTable
      label="Changes"
      rows={differences.map((difference, index) => ({ ...difference, index }))}
      idOf={({ index }) => String(index)}
      columns={[
        { name: "Attribute", cell: ({ path }) => <code>{path}</code> },
        { name: "Before", cell: ({ before }) => text(before) },
        { name: "After", cell: ({ after }) => text(after) }
      ]}
    />
  )

const Details = ({ entry }: { readonly entry: ScimLogEntry }) => (
  <>
    <Facts
      rows={[
        ["Request", <code key="request">{`${entry.method} ${entry.path}`}</code>],
        [
          "Outcome",
          <Badge key="outcome" tone={decisionTones[entry.decision]}>
            {entry.decision}
          </Badge>
        ],
        ["Status", entry.scimType === null ? entry.status : `${entry.status} ${entry.scimType}`],
        ["Reason", entry.detail],
        ["Object", `${entry.resourceType ?? ""} ${entry.displayName ?? ""} ${entry.resourceId ?? ""}`.trim()],
        ["When", <Time key="when" at={entry.createdAt} />],
        ["Program", entry.userAgent],
        ["Token", entry.tokenId === null ? null : <code key="token">{entry.tokenId}</code>],
        ["Request ID", <code key="id">{entry.requestId}</code>]
      ]}
    />
    <Differences entry={entry} />
  </>
)

export const Log = ({ directoryId }: { readonly directoryId: string }) => {
  const { decision, changes } = useParameters()
  const set = useSetParameters()
  const [isLive, setLive] = useState(true)
  const [opened, setOpened] = useState<ScimLogEntry>()
  const shown = isDecision(decision) ? decision : undefined
  const changesOnly = changes === "true"
  return (
    <div className="stack">
      <div className="row">
        <select
          className="input filter"
          aria-label="Outcome"
          value={shown ?? ""}
          onChange={({ target }) => set({ decision: target.value === "" ? undefined : target.value })}
        >
          <option value="">Outcome: all</option>
          {decisions.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
        <Checkbox
          label="Without reads"
          isChecked={changesOnly}
          onChange={(isChecked) => set({ changes: isChecked ? "true" : undefined })}
        />
        <Checkbox label="Live" isChecked={isLive} onChange={setLive} />
      </div>
      <DataTable
        label="Requests"
        columns={columns}
        queryKey={["scim", directoryId, "log", shown, changesOnly]}
        load={(cursor, signal) =>
          client.scim.log(
            directoryId,
            {
              limit: 50,
              ...(shown === undefined ? {} : { decision: shown }),
              ...(changesOnly ? { changesOnly } : {}),
              ...(cursor === undefined ? {} : { cursor })
            },
            { signal }
          )
        }
        idOf={({ id }) => id}
        open={setOpened}
        {...(isLive ? { refetchInterval: refetchMilliseconds } : {})}
        empty={
          <Empty title="No request yet">
            <p>Requests of the identity provider are listed here for 30 days.</p>
          </Empty>
        }
      />
      <Dialog title="SCIM request" isOpen={opened !== undefined} onClose={() => setOpened(undefined)}>
        {opened !== undefined && <Details entry={opened} />}
      </Dialog>
    </div>
  )
}
