/** Changes as rows with what was there before and what is there after, and changes of capabilities with their signals. */
import type { PluginCapabilityChange, PluginSignal } from "@orgplane/client"
import type { ReactNode } from "react"
import { Badge } from "../../design/ui.tsx"
import "./content.css"

export interface ChangeRow {
  readonly id: string
  readonly kind: string
  readonly before?: ReactNode
  readonly after?: ReactNode
  /** Where it is, such as a file with a line. */
  readonly at?: string
}

const Side = ({
  at,
  sign,
  value
}: {
  readonly sign: "added" | "removed"
  readonly value: ReactNode
  readonly at: string | undefined
}) =>
  value === undefined ? (
    <td />
  ) : (
    <td data-sign={sign}>
      <span className="visually-hidden">{sign === "added" ? "Added: " : "Removed: "}</span>
      {value}
      {at !== undefined && (
        <small>
          <code>{at}</code>
        </small>
      )}
    </td>
  )

export const ChangeTable = ({ label, rows }: { readonly label: string; readonly rows: ReadonlyArray<ChangeRow> }) => (
  <div className="change-table" role="region" aria-label={label} tabIndex={0}>
    <table>
      <thead>
        <tr>
          <th className="change-kind">Kind</th>
          <th>Before</th>
          <th>After</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ after, at, before, id, kind }) => (
          <tr key={id}>
            <td className="muted">{kind}</td>
            <Side sign="removed" value={before} at={after === undefined ? at : undefined} />
            <Side sign="added" value={after} at={at} />
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

/** A sentence of the server, in which names and commands are between backticks. */
export const Sentence = ({ text }: { readonly text: string }) => (
  <>
    {text.split("`").map((part, index, parts) =>
      // Without its end, a backtick is part of the text.
      index % 2 === 1 && index < parts.length - 1 ? (
        <code key={index}>{part}</code>
      ) : (
        <span key={index}>
          {index % 2 === 1 ? "`" : ""}
          {part}
        </span>
      )
    )}
  </>
)

const sentenceEnd = " Before: "
/** The part after "New hook: ", which the column shows already. */
const withoutKind = (sentence: string) => sentence.replace(/^(?:New|Changed|Removed) [\w -]{1,40}: /, "")

/** A sentence of a change, such as "Changed hook: runs b. Before: runs a.", as its two sides. */
const sidesOf = (sentence: string): { readonly before?: string; readonly after: string } => {
  const end = sentence.lastIndexOf(sentenceEnd)
  const after = withoutKind(end < 0 ? sentence : sentence.slice(0, end))
  return end < 0 ? { after } : { after, before: sentence.slice(end + sentenceEnd.length) }
}

const changedSides = (sentence: string): Pick<ChangeRow, "after" | "before"> => {
  const { after, before } = sidesOf(sentence)
  return {
    after: <Sentence text={after} />,
    ...(before === undefined ? {} : { before: <Sentence text={before} /> })
  }
}

const kindOf = (kind: string) => kind.replaceAll("_", " ")
const placeOf = ({ line, path }: PluginCapabilityChange) => `${path}:${line}`

export interface CapabilityDifference {
  readonly grew: ReadonlyArray<PluginCapabilityChange>
  readonly changed: ReadonlyArray<PluginCapabilityChange>
  readonly shrank: ReadonlyArray<PluginCapabilityChange>
  readonly truncated: boolean
  readonly signals?: ReadonlyArray<PluginSignal> | undefined
}

export const Signals = ({ signals }: { readonly signals: ReadonlyArray<PluginSignal> }) => (
  <ul className="facts" aria-label="Signals">
    {signals.map(({ line, message, path, rule }, index) => (
      <li key={index}>
        <Badge tone="warn">{kindOf(rule)}</Badge> <Sentence text={message} />{" "}
        <code className="muted">
          {path}:{line}
        </code>
      </li>
    ))}
  </ul>
)

export const CapabilityChanges = ({
  difference,
  label
}: {
  readonly difference: CapabilityDifference
  readonly label: string
}) => {
  const { changed, grew, shrank, signals = [], truncated } = difference
  const rows: ReadonlyArray<ChangeRow> = [
    ...grew.map((change, index) => ({
      id: `grew ${index}`,
      kind: kindOf(change.kind),
      after: <Sentence text={withoutKind(change.sentence)} />,
      at: placeOf(change)
    })),
    ...changed.map((change, index) => ({
      id: `changed ${index}`,
      kind: kindOf(change.kind),
      ...changedSides(change.sentence),
      at: placeOf(change)
    })),
    ...shrank.map((change, index) => ({
      id: `shrank ${index}`,
      kind: kindOf(change.kind),
      before: <Sentence text={withoutKind(change.sentence)} />,
      at: placeOf(change)
    }))
  ]
  return (
    <div className="stack">
      {signals.length > 0 && <Signals signals={signals} />}
      {rows.length === 0 ? (
        <p className="muted">No capability is added, changed or removed.</p>
      ) : (
        <ChangeTable label={label} rows={rows} />
      )}
      {truncated && <p className="muted">There are more changes than are shown. Review the files too.</p>}
    </div>
  )
}
