/** Saves a stream of the API as a file, with the size that has arrived. */
import { useEffect, useRef, useState } from "react"
import { notify } from "../../design/toast.tsx"
import { Button } from "../../design/ui.tsx"

const units = ["bytes", "kB", "MB", "GB", "TB"] as const

export const sizeText = (bytes: number): string => {
  const power = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  return `${(bytes / 1000 ** power).toLocaleString("en", { maximumFractionDigits: 1 })} ${units[power]}`
}

/** The browser keeps the parts of a larger export in memory, so the command line is used for it. */
const bytesMax = 1_000_000_000

const save = (name: string, blob: Blob) => {
  const url = URL.createObjectURL(blob)
  const link = document.createElement("a")
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}

export const DownloadButton = ({
  children,
  name,
  open
}: {
  readonly children: string
  /** The name of the file. */
  readonly name: string
  readonly open: (signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>
}) => {
  const [size, setSize] = useState<number>()
  const controller = useRef<AbortController>(null)
  useEffect(() => () => controller.current?.abort(), [])
  const start = async () => {
    const abort = new AbortController()
    controller.current = abort
    setSize(0)
    try {
      const parts: Array<Uint8Array<ArrayBuffer>> = []
      let bytes = 0
      const reader = (await open(abort.signal)).getReader()
      for (;;) {
        const { done, value } = await reader.read()
        if (done) break
        parts.push(new Uint8Array(value))
        bytes += value.byteLength
        if (bytes > bytesMax) throw new Error("The export is larger than 1 GB. Use the command line.")
        setSize(bytes)
      }
      save(name, new Blob(parts, { type: "application/x-ndjson" }))
      notify("The export was saved.")
    } catch (error) {
      if (!abort.signal.aborted) notify("The export failed.", "bad", error)
    }
    setSize(undefined)
  }
  if (size === undefined) return <Button onClick={() => void start()}>{children}</Button>
  return (
    <span className="row">
      <span role="status">{sizeText(size)} received</span>
      <Button kind="quiet" onClick={() => controller.current?.abort()}>
        Stop
      </Button>
    </span>
  )
}
