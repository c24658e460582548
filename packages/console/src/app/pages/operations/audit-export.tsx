/** The export of the audit log, with the filters that are set and with its progress. */
import { useRef, useState } from "react"
import { client } from "../../api/client.ts"
import { Dialog } from "../../design/dialog.tsx"
import { type Progress, saveStream, sizeText, TooLargeError } from "../../design/download.ts"
import { SelectField } from "../../design/fields.tsx"
import { notify } from "../../design/toast.tsx"
import { Button, Failure, Notice } from "../../design/ui.tsx"
import { useAuditFilters } from "./audit-filters.tsx"

const formats = {
  ndjson: { label: "NDJSON, one event per line", type: "application/x-ndjson" },
  csv: { label: "CSV, for spreadsheets", type: "text/csv" }
} as const

type Format = keyof typeof formats

const isFormat = (value: string): value is Format => value in formats

const number = new Intl.NumberFormat("en")

export const AuditExport = () => {
  const filters = useAuditFilters()
  const [isOpen, setOpen] = useState(false)
  const [format, setFormat] = useState<Format>("ndjson")
  const [progress, setProgress] = useState<Progress>()
  const [error, setError] = useState<unknown>()
  const running = useRef<AbortController>(undefined)
  const isFiltered = Object.keys(filters).length > 0

  const run = async () => {
    const controller = new AbortController()
    running.current = controller
    setError(undefined)
    setProgress({ bytes: 0, lines: 0 })
    try {
      const stream = await client.audit.export(
        { ...filters, format },
        { signal: controller.signal, timeoutMillis: Number.POSITIVE_INFINITY }
      )
      const day = new Date().toISOString().slice(0, 10)
      const { lines } = await saveStream(stream, `audit-${day}.${format}`, formats[format].type, setProgress)
      notify(`${number.format(format === "csv" ? Math.max(0, lines - 1) : lines)} events were exported.`)
      setOpen(false)
    } catch (cause) {
      if (!controller.signal.aborted) setError(cause)
    }
    setProgress(undefined)
    running.current = undefined
  }
  const stop = () => running.current?.abort()
  return (
    <>
      <Button onClick={() => setOpen(true)}>Export…</Button>
      <Dialog
        title="Export the audit log"
        description={
          isFiltered
            ? "The file contains the events that match the filters of the page, oldest first."
            : "The file contains all events, oldest first."
        }
        isOpen={isOpen}
        onClose={() => {
          stop()
          setOpen(false)
        }}
      >
        <SelectField
          label="Format"
          value={format}
          disabled={progress !== undefined}
          options={Object.entries(formats).map(([value, { label }]) => [value, label] as const)}
          onChange={({ target }) => isFormat(target.value) && setFormat(target.value)}
        />
        {error instanceof TooLargeError ? (
          <Notice title="The export is too large" tone="bad">
            <span>{error.message} You can also narrow the filters.</span>
          </Notice>
        ) : (
          error !== undefined && <Failure error={error} />
        )}
        <div className="row dialog-actions">
          <span role="status">
            {progress !== undefined && `${number.format(progress.lines)} lines, ${sizeText(progress.bytes)}`}
          </span>
          {progress === undefined ? (
            <Button kind="primary" onClick={() => void run()}>
              Export the events
            </Button>
          ) : (
            <Button onClick={stop}>Stop the export</Button>
          )}
        </div>
      </Dialog>
    </>
  )
}
