/** The proof that the audit log is complete: its verification, and its signed checkpoints. */
import type { AuditCheckpoint, AuditVerification } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { type FormEvent, useState } from "react"
import { client } from "../../api/client.ts"
import { type Column, DataTable } from "../../design/data-table.tsx"
import { saveFile } from "../../design/download.ts"
import { Section } from "../../design/facts.tsx"
import { Badge, Button, Empty, Failure, Field, Notice, Loading, Skeleton, Time, type Tone } from "../../design/ui.tsx"

const number = new Intl.NumberFormat("en")

interface Part {
  readonly title: string
  readonly detail: string
  readonly tone: Tone
}

/** The parts of the chain, from its start to its end. */
const partsOf = (result: AuditVerification): ReadonlyArray<Part> => {
  const { eventCount, firstInvalidSequence, sealedThrough, truncatedAt, truncatedThrough } = result
  const first = (truncatedThrough ?? 0) + 1
  const last = firstInvalidSequence === null ? sealedThrough : firstInvalidSequence - 1
  return [
    ...(truncatedThrough === null
      ? []
      : [
          {
            title: `Events 1 to ${number.format(truncatedThrough)}`,
            detail: `Deleted at the end of their retention${truncatedAt === null ? "" : ` on ${truncatedAt.slice(0, 10)}`}. A signed record replaces them.`,
            tone: "neutral" as const
          }
        ]),
    ...(last === null || last < first
      ? []
      : [
          {
            title: `Events ${number.format(first)} to ${number.format(last)}`,
            detail: `${number.format(eventCount)} events were verified.`,
            tone: "good" as const
          }
        ]),
    ...(firstInvalidSequence === null
      ? []
      : [
          {
            title: `Event ${number.format(firstInvalidSequence)}`,
            detail: result.reason ?? "The first event that does not match its seal.",
            tone: "bad" as const
          }
        ]),
    ...(firstInvalidSequence === null
      ? [{ title: "Newer events", detail: "Sealed within a few seconds.", tone: "warn" as const }]
      : [])
  ]
}

const Chain = ({ result }: { readonly result: AuditVerification }) => (
  <div className="stack">
    <Notice
      title={result.valid ? "The audit log is intact" : "The audit log was changed"}
      tone={result.valid ? "good" : "bad"}
    >
      <span>
        {result.valid
          ? "No event was changed, added or deleted since it was sealed."
          : (result.reason ?? "An event does not match its seal.")}
      </span>
    </Notice>
    <ol className="chain" aria-label="The chain of events">
      {partsOf(result).map(({ detail, title, tone }) => (
        <li key={title} data-tone={tone}>
          <strong>{title}</strong>
          <span className="muted">{detail}</span>
        </li>
      ))}
    </ol>
  </div>
)

const Verification = () => {
  const [sequence, setSequence] = useState("")
  const [hash, setHash] = useState("")
  const [checked, setChecked] = useState<{ readonly sequence?: number; readonly hash?: string }>()
  const query = useQuery({
    queryKey: ["audit", "verify", checked],
    queryFn: ({ signal }) => client.audit.verify(checked, { signal, timeoutMillis: 300_000 }),
    enabled: checked !== undefined,
    staleTime: Number.POSITIVE_INFINITY
  })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    const next =
      sequence.trim() === "" && hash.trim() === ""
        ? {}
        : { sequence: Number(sequence), hash: hash.trim().toLowerCase() }
    setChecked(next)
    if (checked !== undefined && checked.sequence === next.sequence && checked.hash === next.hash) void query.refetch()
  }
  return (
    <Section title="Verify the audit log">
      <p className="muted">
        Each event is sealed together with the one before it. Someone who can write to the database, but has no secret
        key, cannot change an event unnoticed. To detect also that the newest events were deleted, save a checkpoint
        elsewhere and compare it here later.
      </p>
      <form className="stack" onSubmit={onSubmit}>
        <details>
          <summary>Compare a checkpoint that you saved</summary>
          <div className="stack verify-fields">
            <Field
              label="Sequence number"
              inputMode="numeric"
              pattern="[0-9]*"
              maxLength={16}
              required={hash !== ""}
              value={sequence}
              onChange={(event) => setSequence(event.target.value)}
            />
            <Field
              label="Hash"
              pattern="[0-9a-fA-F]*"
              maxLength={128}
              spellCheck={false}
              required={sequence !== ""}
              value={hash}
              onChange={(event) => setHash(event.target.value)}
            />
          </div>
        </details>
        <div className="row">
          <Button kind="primary" type="submit" disabled={query.isFetching}>
            {query.isFetching ? "Verifying" : "Verify now"}
          </Button>
          {query.dataUpdatedAt > 0 && !query.isFetching && (
            <span className="muted">
              Verified <Time at={new Date(query.dataUpdatedAt).toISOString()} />
            </span>
          )}
        </div>
      </form>
      {query.isFetching ? (
        <Loading label="Verifying">
          <Skeleton height={64} />
        </Loading>
      ) : query.isError ? (
        <Failure error={query.error} retry={() => void query.refetch()} />
      ) : (
        query.data !== undefined && <Chain result={query.data} />
      )}
    </Section>
  )
}

const save = (checkpoint: AuditCheckpoint) =>
  saveFile(
    `audit-checkpoint-${checkpoint.sequence}.json`,
    new Blob([`${JSON.stringify(checkpoint, null, 2)}\n`], { type: "application/json" })
  )

const columns: ReadonlyArray<Column<AuditCheckpoint>> = [
  {
    name: "Through event",
    width: "120px",
    cell: ({ sequence }) => number.format(sequence),
    sort: ({ sequence }) => sequence
  },
  { name: "Hash", width: "minmax(0, 3fr)", cell: ({ hash }) => <code title={hash}>{hash}</code> },
  {
    name: "Key",
    width: "minmax(0, 1fr)",
    wide: true,
    cell: ({ keyId }) => <code title={keyId}>{keyId}</code>,
    sort: ({ keyId }) => keyId
  },
  {
    name: "Signed",
    width: "120px",
    wide: true,
    cell: ({ createdAt }) => <Time at={createdAt} />,
    sort: ({ createdAt }) => createdAt
  },
  {
    name: "File",
    width: "90px",
    cell: (checkpoint) => (
      <Button
        kind="quiet"
        aria-label={`Save checkpoint ${checkpoint.sequence}`}
        onClick={(event) => {
          event.stopPropagation()
          save(checkpoint)
        }}
      >
        Save
      </Button>
    )
  }
]

const Keys = () => {
  const query = useQuery({ queryKey: ["system", "keys"], queryFn: ({ signal }) => client.system.keys({ signal }) })
  const keys = query.data?.keys ?? []
  if (keys.length === 0) return null
  return (
    <p className="muted wrap">
      Checkpoints are signed with Ed25519. The public keys of this installation are{" "}
      {keys.map(({ kid, retiredAt }, index) => (
        <span key={kid}>
          {index > 0 && ", "}
          <code>{kid}</code>
          {retiredAt !== null && " (replaced)"}
        </span>
      ))}
      .
    </p>
  )
}

const checkpointCount = 50

export const Integrity = () => (
  <div className="stack">
    <Verification />
    <Section title="Checkpoints" actions={<Badge tone="good">signed</Badge>}>
      <p className="muted">
        A checkpoint is the hash of all events up to its number. Save one from time to time in a system that the
        operators of orgplane cannot change.
      </p>
      <Keys />
      <DataTable
        label="Checkpoints"
        columns={columns}
        queryKey={["audit", "checkpoints"]}
        load={(cursor, signal) =>
          client.audit.checkpoints({ limit: checkpointCount, ...(cursor === undefined ? {} : { cursor }) }, { signal })
        }
        idOf={({ sequence }) => String(sequence)}
        empty={
          <Empty title="No checkpoints yet">
            <p>The first one is signed soon after the first change.</p>
          </Empty>
        }
      />
    </Section>
  </div>
)
