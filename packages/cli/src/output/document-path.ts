/** Renders locations in a configuration document. */
import { escapeControls } from "./escape.ts"
import { listAt, textAt } from "./value.ts"

/** `teams[1].members[0]` */
export const pathText = (path: ReadonlyArray<unknown>): string =>
  path.reduce<string>(
    (text, part) =>
      typeof part === "number" ? `${text}[${part}]` : text === "" ? String(part) : `${text}.${String(part)}`,
    ""
  )

/** The path in the document, from a path in a request: without `body` and `document`. */
export const documentPath = (path: ReadonlyArray<unknown>): ReadonlyArray<unknown> =>
  path[0] === "body" && path[1] === "document" ? path.slice(2) : path

/** `org.yaml:12:9: teams[1].name must be …` */
export const problemLine = (problem: unknown, location: string | undefined): string => {
  const path = pathText(documentPath(listAt(problem, "path")))
  const where = location === undefined ? "" : `${location}: `
  return escapeControls(`${where}${path === "" ? "the document" : path} ${textAt(problem, "message") ?? ""}`)
}
