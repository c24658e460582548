/** A selected object, which can be removed. */
import type { ReactNode } from "react"
import "./picker.css"

export const Chip = ({
  children,
  label,
  onRemove
}: {
  readonly children: ReactNode
  readonly label: string
  readonly onRemove: () => void
}) => (
  <span className="chip">
    <span className="chip-text">{children}</span>
    <button type="button" aria-label={label} onClick={onRemove}>
      ✕
    </button>
  </span>
)
