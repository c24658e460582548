/** Shows the requests of the page as code. */
import { type ComponentProps, type ComponentType, useState, useSyncExternalStore } from "react"
import { recorded, subscribe } from "../api/recorder.ts"
import { notify } from "../design/toast.tsx"
import { Button } from "../design/ui.tsx"
import type { ShowAsDialog } from "./show-as-dialog.tsx"

export const ShowAs = () => {
  const requests = useSyncExternalStore(subscribe, recorded)
  const [dialog, setDialog] = useState<{ readonly Content: ComponentType<ComponentProps<typeof ShowAsDialog>> }>()
  const [openings, setOpenings] = useState(0)
  const [isOpen, setOpen] = useState(false)
  const open = async () => {
    try {
      setDialog({ Content: (await import("./show-as-dialog.tsx")).ShowAsDialog })
    } catch (error) {
      return notify("The code could not be loaded.", "bad", error)
    }
    setOpenings((count) => count + 1)
    setOpen(true)
  }
  return (
    <>
      <Button kind="quiet" disabled={requests.length === 0} onClick={() => void open()}>
        Show as code
      </Button>
      {dialog !== undefined && <dialog.Content key={openings} isOpen={isOpen} onClose={() => setOpen(false)} />}
    </>
  )
}
