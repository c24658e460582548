/** A table of rows that are already there, without a row being a link. More rows are shown on request. */
import { type ReactNode, useState } from "react"
import { Button } from "./ui.tsx"
import "./simple-table.css"

export interface SimpleColumn<Row> {
  readonly name: string
  readonly cell: (row: Row) => ReactNode
  readonly isNumber?: boolean
}

const step = 50

export const SimpleTable = <Row,>({
  columns,
  idOf,
  label,
  rows
}: {
  readonly label: string
  readonly columns: ReadonlyArray<SimpleColumn<Row>>
  readonly rows: ReadonlyArray<Row>
  readonly idOf: (row: Row) => string
}) => {
  const [shown, setShown] = useState(step)
  return (
    <div className="stack">
      <div className="simple-table" tabIndex={0} role="region" aria-label={label}>
        <table>
          <thead>
            <tr>
              {columns.map(({ isNumber, name }) => (
                <th key={name} scope="col" data-number={isNumber}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shown).map((row) => (
              <tr key={idOf(row)}>
                {columns.map(({ cell, isNumber, name }) => (
                  <td key={name} data-number={isNumber}>
                    {cell(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > shown && (
        <div className="row">
          <Button onClick={() => setShown(shown + step)}>Show more</Button>
          <span className="muted">
            {shown} of {rows.length}
          </span>
        </div>
      )}
    </div>
  )
}

/** A few numbers, each with its name. */
export const Numbers = ({ rows }: { readonly rows: ReadonlyArray<readonly [name: string, value: ReactNode]> }) => (
  <dl className="numbers">
    {rows.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)
