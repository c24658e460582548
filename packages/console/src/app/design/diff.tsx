/** Differences of two texts or two JSON values, side by side; one below the other where there is no space for both. */
import { diffLines } from "diff"
import { useMemo } from "react"
import "./diff.css"

type Kind = "same" | "removed" | "added"

interface Side {
  readonly line: number
  readonly text: string
}

interface Row {
  readonly kind: Kind | "changed"
  readonly before: Side | undefined
  readonly after: Side | undefined
}

/** Longer texts are not compared, because that would block the page. */
const comparedMax = 400_000
/** The time grows with the square of the number of changed lines. */
const comparedMilliseconds = 500
const shownMax = 2000
/** Unchanged lines that are shown around a change. */
const context = 3

const linesOf = (text: string) => (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n")

/** The lines of both texts, with removed and added lines of a change next to each other. Undefined if it takes too long. */
const rowsOf = (before: string, after: string): ReadonlyArray<Row> | undefined => {
  if (before.length + after.length > comparedMax) return undefined
  const parts = diffLines(before, after, { timeout: comparedMilliseconds })
  if (parts === undefined) return undefined
  const rows: Array<Row> = []
  let left = 0
  let right = 0
  let removed: Array<Side> = []
  const flush = (added: ReadonlyArray<Side>) => {
    for (let index = 0; index < Math.max(removed.length, added.length); index++) {
      const [one, other] = [removed[index], added[index]]
      const kind = one === undefined ? "added" : other === undefined ? "removed" : "changed"
      rows.push({ kind, before: one, after: other })
    }
    removed = []
  }
  for (const part of parts) {
    const lines = part.value === "" ? [] : linesOf(part.value)
    if (part.removed) removed = lines.map((text) => ({ line: ++left, text }))
    else if (part.added) flush(lines.map((text) => ({ line: ++right, text })))
    else {
      flush([])
      for (const text of lines) {
        rows.push({ kind: "same", before: { line: ++left, text }, after: { line: ++right, text } })
      }
    }
  }
  flush([])
  return rows
}

/** The rows near a change; undefined stands for rows that are left out. */
const shortened = (rows: ReadonlyArray<Row>): ReadonlyArray<Row | undefined> => {
  const near = new Set<number>()
  rows.forEach(({ kind }, index) => {
    if (kind === "same") return
    for (let each = index - context; each <= index + context; each++) near.add(each)
  })
  const result: Array<Row | undefined> = []
  rows.forEach((row, index) => {
    if (near.has(index)) result.push(row)
    else if (result.at(-1) !== undefined || result.length === 0) result.push(undefined)
  })
  return result
}

const Cell = ({ side, sign }: { readonly side: Side | undefined; readonly sign: string }) => (
  <>
    <td className="diff-line">{side?.line ?? ""}</td>
    <td className="diff-text" data-sign={side === undefined ? "none" : sign}>
      {side !== undefined && sign !== "same" && (
        <span className="visually-hidden">{sign === "removed" ? "Removed: " : "Added: "}</span>
      )}
      {side?.text ?? ""}
    </td>
  </>
)

export const TextDiff = ({
  after,
  before,
  label
}: {
  readonly before: string
  readonly after: string
  readonly label: string
}) => {
  const rows = useMemo(() => {
    const all = rowsOf(before, after)
    return all === undefined ? undefined : shortened(all)
  }, [after, before])
  if (before === after) return <p className="muted">There is no difference.</p>
  if (rows === undefined)
    return <p className="muted">The texts differ too much, or are too long, to be compared here.</p>
  return (
    <div className="diff" tabIndex={0} role="region" aria-label={label}>
      <table>
        <colgroup>
          <col className="diff-number" />
          <col />
          <col className="diff-number" />
          <col />
        </colgroup>
        <thead>
          <tr>
            <th colSpan={2}>Before</th>
            <th colSpan={2}>After</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, shownMax).map((row, index) =>
            row === undefined ? (
              <tr key={index} className="diff-gap">
                <td colSpan={4}>…</td>
              </tr>
            ) : (
              <tr key={index} data-kind={row.kind}>
                <Cell side={row.before} sign={row.kind === "same" ? "same" : "removed"} />
                <Cell side={row.after} sign={row.kind === "same" ? "same" : "added"} />
              </tr>
            )
          )}
          {rows.length > shownMax && (
            <tr className="diff-gap">
              <td colSpan={4}>
                The first {shownMax} lines are shown, of {rows.length}.
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  )
}

const jsonOf = (value: unknown) =>
  value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value, null, 2)

export const ValueDiff = ({
  after,
  before,
  label
}: {
  readonly before: unknown
  readonly after: unknown
  readonly label: string
}) => <TextDiff before={jsonOf(before)} after={jsonOf(after)} label={label} />
