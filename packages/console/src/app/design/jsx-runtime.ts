/**
 * What JSX is compiled to in the console: React's own functions, which receive texts with hidden characters shown by their
 * code points. Every text that a repository, an MCP server or a person has written becomes a child or a label of an element
 * here, so no page can forget it. Values of fields and other properties stay as they are.
 */
import * as react from "react/jsx-runtime"
import { visible } from "./visible.ts"

export { Fragment } from "react/jsx-runtime"
export type { JSX } from "react/jsx-runtime"

type Create = typeof react.jsx

const shown = (child: unknown): unknown => {
  if (typeof child === "string") return visible(child)
  if (!Array.isArray(child)) return child
  const children: ReadonlyArray<unknown> = child.map(shown)
  return children.some((each, index) => each !== child[index]) ? children : child
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** Texts that browsers show and screen readers read. */
const labels = ["title", "aria-label", "alt", "placeholder"]

const shownProps = (type: Parameters<Create>[0], props: unknown): unknown => {
  if (!isRecord(props)) return props
  let next = props
  for (const name of typeof type === "string" ? ["children", ...labels] : ["children"]) {
    const value = shown(props[name])
    if (value !== props[name]) next = { ...next, [name]: value }
  }
  return next
}

const withVisibleText =
  (create: Create): Create =>
  (type, props, key) =>
    create(type, shownProps(type, props), key)

export const jsx = withVisibleText(react.jsx)
export const jsxs = withVisibleText(react.jsxs)
