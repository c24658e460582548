/** Opens the requests of the page as code. */
import { useState, useSyncExternalStore } from "react"
import { recorded, requestKey, subscribe } from "../api/recorder.ts"
import { useLater } from "../design/later.ts"
import { Button } from "../design/ui.tsx"

const load = () => import("./show-as.tsx")

export const ShowAsButton = () => {
  const requests = useSyncExternalStore(subscribe, recorded)
  const [first, setFirst] = useState("")
  const [isOpen, setOpen] = useState(false)
  const dialog = useLater(load, isOpen)
  const [request] = requests
  const open = () => {
    setFirst(request === undefined ? "" : requestKey(request))
    setOpen(true)
  }
  return (
    <>
      <Button kind="quiet" disabled={request === undefined} onClick={open}>
        Show as code
      </Button>
      {dialog !== undefined && <dialog.ShowAs first={first} isOpen={isOpen} close={() => setOpen(false)} />}
    </>
  )
}
