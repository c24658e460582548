/** The name of an object, as a link to its page. */
import { Link } from "@tanstack/react-router"
import type { MouseEvent, ReactNode } from "react"

const stop = (event: MouseEvent) => event.stopPropagation()

/** It can be in a row that opens something else when it is clicked. */
export const NameLink = ({ children, to }: { readonly to: string; readonly children: ReactNode }) => (
  <Link to={to} onClick={stop}>
    {children}
  </Link>
)
