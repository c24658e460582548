/** The name of an object, as a link to its page. */
import { Link } from "@tanstack/react-router"
import type { MouseEvent, ReactNode } from "react"
import { visible } from "./visible.ts"

const stop = (event: MouseEvent) => event.stopPropagation()

/** It can be in a row that opens something else when it is clicked. */
export const NameLink = ({
  children,
  isOfRow = false,
  title,
  to
}: {
  /** Whether the row opens the same page, and has the focus instead. */
  readonly isOfRow?: boolean
  readonly to: string
  readonly title?: string
  readonly children: ReactNode
}) => (
  <Link
    to={to}
    title={title === undefined ? undefined : visible(title)}
    onClick={stop}
    {...(isOfRow ? { className: "row-link", tabIndex: -1 } : {})}
  >
    {children}
  </Link>
)
