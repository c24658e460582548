/**
 * The JSX functions of the console: those of React, with the code points of hidden characters in texts and labels. This
 * applies to every text of a repository, an MCP server or a person, on every page. Values of fields and other properties are
 * unchanged.
 */
import * as react from "react/jsx-runtime"
import { visible } from "./visible.ts"

export { Fragment } from "react/jsx-runtime"
export type { JSX } from "react/jsx-runtime"

type Create = typeof react.jsx

const withVisibleCharacters = (child: unknown): unknown => {
  if (typeof child === "string") return visible(child)
  if (!Array.isArray(child)) return child
  const children: ReadonlyArray<unknown> = child.map(withVisibleCharacters)
  return children.some((each, index) => each !== child[index]) ? children : child
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** Texts that browsers show and screen readers read. */
const labels = ["title", "aria-label", "alt", "placeholder"]

const visibleProps = (type: Parameters<Create>[0], props: unknown): unknown => {
  if (!isRecord(props)) return props
  let next = props
  for (const name of typeof type === "string" ? ["children", ...labels] : ["children"]) {
    const value = withVisibleCharacters(props[name])
    if (value !== props[name]) next = { ...next, [name]: value }
  }
  return next
}

const withVisibleText =
  (create: Create): Create =>
  (type, props, key) =>
    create(type, visibleProps(type, props), key)

export const jsx = withVisibleText(react.jsx)
export const jsxs = withVisibleText(react.jsxs)
