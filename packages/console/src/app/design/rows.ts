/** The rows of lists: their pages, their order, and their export. */

export interface RowsPage<Row> {
  readonly items: ReadonlyArray<Row>
  readonly nextCursor: string | null
}

/** Rows that a sort or an export loads. */
export const sortedMax = 10_000
export const exportedMax = 50_000

const texts = new Intl.Collator("en", { numeric: true, sensitivity: "base" })

/** Missing values come last in both directions. */
export const sorted = <Row>(
  rows: ReadonlyArray<Row>,
  by: (row: Row) => string | number | null,
  isDescending: boolean
): ReadonlyArray<Row> => {
  const sign = isDescending ? -1 : 1
  return rows
    .map((row) => ({ row, value: by(row) }))
    .sort((a, b) => {
      if (a.value === null || b.value === null) return Number(a.value === null) - Number(b.value === null)
      if (typeof a.value === "number" && typeof b.value === "number") return sign * (a.value - b.value)
      return sign * texts.compare(String(a.value), String(b.value))
    })
    .map(({ row }) => row)
}

/** A cell that a spreadsheet would calculate is written as text. */
const csvCell = (value: unknown): string => {
  const text = typeof value === "string" ? value : value === null || value === undefined ? "" : JSON.stringify(value)
  const safe = typeof value === "string" && /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text
  // Some spreadsheets separate cells by semicolons or tabs.
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** The rows as CSV, a column per field. */
export const csvOf = (rows: ReadonlyArray<object>): string => {
  const fields = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const lines = rows.map((row) => fields.map((field) => csvCell((row as Record<string, unknown>)[field])).join(","))
  return [fields.join(","), ...lines, ""].join("\r\n")
}

/** Reads all pages, at most `exportedMax` rows. */
export const allRows = async <Row>(
  load: (cursor: string | undefined) => Promise<RowsPage<Row>>,
  onProgress: (count: number) => void
): Promise<{ readonly rows: ReadonlyArray<Row>; readonly isComplete: boolean }> => {
  const rows: Array<Row> = []
  let cursor: string | undefined
  do {
    const page = await load(cursor)
    rows.push(...page.items)
    onProgress(rows.length)
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined && rows.length < exportedMax)
  return { rows, isComplete: cursor === undefined }
}
