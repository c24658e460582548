/** Saves a stream of the API as a file, with the size that has arrived. */
import { useEffect, useRef, useState } from "react"
import { saveStream, sizeText } from "../../design/download.ts"
import { notify } from "../../design/toast.tsx"
import { Button } from "../../design/ui.tsx"

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
      await saveStream(await open(abort.signal), name, "application/x-ndjson", ({ bytes }) => setSize(bytes))
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
