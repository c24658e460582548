/** Opens the command palette, as Ctrl+K and ⌘K do. */
import { useEffect, useState } from "react"
import { useLater } from "../design/later.ts"
import { notify } from "../design/toast.tsx"
import { Button } from "../design/ui.tsx"

const load = () => import("./palette.tsx")
const onFailure = (error: unknown) => notify("The list of pages could not be loaded. Reload the page.", "bad", error)

export const PaletteButton = () => {
  const [isOpen, setOpen] = useState(false)
  const palette = useLater(load, isOpen, onFailure)
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== "k" || !(event.metaKey || event.ctrlKey)) return
      event.preventDefault()
      setOpen((open) => !open)
    }
    document.addEventListener("keydown", onKeyDown)
    return () => document.removeEventListener("keydown", onKeyDown)
  }, [])
  return (
    <>
      <Button onClick={() => setOpen(true)} aria-keyshortcuts="Control+K Meta+K">
        Go to… <kbd className="muted">Ctrl K</kbd>
      </Button>
      {palette !== undefined && <palette.Palette isOpen={isOpen} close={() => setOpen(false)} />}
    </>
  )
}
