/** Removes several objects one after another, after a question that shows the effects. */
import type { ReactNode } from "react"
import { BulkButton } from "../../design/bulk.tsx"
import { Impacts } from "../../design/impacts.tsx"
import { plural } from "../../design/text.ts"

/** More calls than this take too long. */
const removedMax = 50

export const BulkRemove = <Row extends { readonly id: string }>({
  effectOf,
  nouns: [one, many],
  remove,
  rows,
  ...change
}: {
  readonly rows: ReadonlyArray<Row>
  readonly clear: () => void
  readonly nouns: readonly [one: string, many: string]
  /** The object in the list of those that were not removed. */
  readonly nameOf: (row: Row) => ReactNode
  readonly changes: ReadonlyArray<string>
  readonly remove: (row: Row) => Promise<unknown>
  /** How many members the removal of this object alone would affect. */
  readonly effectOf: (row: Row, signal: AbortSignal) => Promise<number>
}) => (
  <BulkButton
    {...change}
    action="Remove"
    done="removed"
    label={`Remove ${plural(rows.length, one, many)}`}
    isDangerous
    nouns={[one, many]}
    rows={rows}
    max={removedMax}
    work={remove}
    consequences={<Effects rows={rows} effectOf={effectOf} />}
  />
)

const Effects = <Row extends { readonly id: string }>({
  effectOf,
  rows
}: {
  readonly rows: ReadonlyArray<Row>
  readonly effectOf: (row: Row, signal: AbortSignal) => Promise<number>
}) => (
  <Impacts name="removal" rows={rows} impactOf={effectOf}>
    {(impacts) => (
      <p>
        {impacts.filter(([, affected]) => affected > 0).length} of {impacts.length} have an effect on members now. The
        removal of one alone affects up to {plural(Math.max(0, ...impacts.map(([, affected]) => affected)), "member")};
        together, they can affect more. It takes effect at once.
      </p>
    )}
  </Impacts>
)
