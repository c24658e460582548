/** The command palette, which opens with Ctrl+K or ⌘K: every page by name. */
import { useNavigate } from "@tanstack/react-router"
import { type KeyboardEvent as ReactKeyboardEvent, useEffect, useId, useState } from "react"
import { Dialog } from "../design/dialog.tsx"
import { Button } from "../design/ui.tsx"
import { areas } from "../areas.ts"

const pages = [
  { to: "/", name: "Home", title: "" },
  ...areas.flatMap(({ entries, title }) => entries.map((entry) => ({ ...entry, title })))
]

export const Palette = () => {
  const [isOpen, setOpen] = useState(false)
  const [text, setText] = useState("")
  const [index, setIndex] = useState(0)
  const navigate = useNavigate()
  const id = useId()
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== "k" || !(event.metaKey || event.ctrlKey)) return
      event.preventDefault()
      setOpen((open) => !open)
    }
    document.addEventListener("keydown", onKeyDown)
    return () => document.removeEventListener("keydown", onKeyDown)
  }, [])

  const matches = pages.filter(({ name, title }) => `${title} ${name}`.toLowerCase().includes(text.toLowerCase()))
  const selected = Math.min(index, matches.length - 1)
  const close = () => {
    setOpen(false)
    setText("")
    setIndex(0)
  }
  const go = (to: string) => {
    close()
    void navigate({ to })
  }
  const onKeyDown = (event: ReactKeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setIndex((selected + step + matches.length) % Math.max(1, matches.length))
    }
    const match = matches[selected]
    if (event.key === "Enter" && match !== undefined) go(match.to)
  }
  return (
    <>
      <Button onClick={() => setOpen(true)} aria-keyshortcuts="Control+K Meta+K">
        Go to… <kbd className="muted">Ctrl K</kbd>
      </Button>
      <Dialog title="Go to a page" isOpen={isOpen} onClose={close}>
        <input
          className="input"
          role="combobox"
          aria-label="Page"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={selected >= 0 ? `${id}-${selected}` : undefined}
          autoComplete="off"
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            setIndex(0)
          }}
          onKeyDown={onKeyDown}
        />
        <div role="listbox" aria-label="Pages" id={`${id}-list`} className="palette">
          {matches.map(({ name, title, to }, each) => (
            <div
              role="option"
              aria-selected={each === selected}
              id={`${id}-${each}`}
              key={to}
              onMouseMove={() => setIndex(each)}
              onClick={() => go(to)}
            >
              <span className="muted">{title}</span> {name}
            </div>
          ))}
        </div>
        {matches.length === 0 && <p role="status">No page has this name.</p>}
      </Dialog>
    </>
  )
}
