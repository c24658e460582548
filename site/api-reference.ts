/** The API reference: one page for each group, with an example of every operation. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { examples } from "../packages/schema/src/generated/examples.ts"
import type { ExampleWithCalls } from "../packages/schema/src/shared/example.ts"
import {
  exampleRequests,
  exampleResponse,
  type Security,
  shortened
} from "../packages/schema/src/shared/example-requests.ts"
import { sections } from "../scripts/codegen/sections.ts"
import { chaptersOf, codeBlock, headingOf, slug } from "./markdown.ts"

const root = join(import.meta.dirname, "..")

/** The document that the pages are made of. */
export const apiSource = "docs/api.md"

export interface ApiOperation {
  readonly id: string
  /** The anchor of the operation on the page of its group. */
  readonly anchor: string
  /** The chapter in `docs/api.md`, which begins with the heading. */
  readonly text: string
}

export interface ApiGroup {
  readonly title: string
  readonly section: string
  /** The path of the page, without a leading slash. */
  readonly page: string
  /** The heading and the description. */
  readonly introduction: string
  readonly operations: ReadonlyArray<ApiOperation>
}

interface Document {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly operationId: string; readonly security?: Security }>>>
  >
}

const [introduction = "", ...chapters] = chaptersOf(readFileSync(join(root, apiSource), "utf8"), "##")

/** The text before the first group: credentials, common errors, and the list of all operations. */
export const apiIntroduction = introduction

const sectionOf = (group: string): string => {
  const section = sections.find(({ groups }) => groups.includes(group))
  if (section === undefined) throw new Error(`The group ${group} is in no section.`)
  return section.title
}

export const apiGroups: ReadonlyArray<ApiGroup> = chapters.map((chapter) => {
  const [introduction = "", ...parts] = chaptersOf(chapter, "###")
  const title = headingOf(chapter)
  const operations = parts.map((text) => {
    const id = headingOf(text)
    return { id, anchor: slug(id), text }
  })
  return {
    title,
    section: sectionOf(operations[0]?.id.split(".")[0] ?? ""),
    page: `reference/api/${slug(title)}`,
    // The pages show the examples themselves.
    introduction: introduction.replace(/^Examples: .*\n+/mu, ""),
    operations
  }
})

/** The link to an operation, by its ID. */
export const operationLinks: ReadonlyMap<string, string> = new Map(
  apiGroups.flatMap(({ operations, page }) => operations.map(({ anchor, id }) => [id, `/${page}#${anchor}`] as const))
)

/** The link to a heading of `docs/api.md`. */
export const apiLink = (anchor: string): string => {
  const group = apiGroups.find(
    ({ operations, title }) => slug(title) === anchor || operations.some((operation) => operation.anchor === anchor)
  )
  if (group === undefined) return anchor === "" ? "/reference/api/" : `/reference/api/#${anchor}`
  return slug(group.title) === anchor ? `/${group.page}` : `/${group.page}#${anchor}`
}

const openapi = JSON.parse(readFileSync(join(root, "docs/openapi.json"), "utf8")) as Document

const securityOf: ReadonlyMap<string, Security | undefined> = new Map(
  Object.values(openapi.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId, security }) => [operationId, security] as const)
  )
)

const responseText = (example: ExampleWithCalls): string => {
  const [head = "", ...rest] = exampleResponse(example).split("\n\n")
  const body = rest.join("\n\n")
  const [status = "", ...headers] = head.split("\n").map((line) => `\`${shortened(line)}\``)
  return [
    `Response: ${status}${headers.length === 0 ? "" : ` with ${headers.join(", ")}`}`,
    ...(body === "" ? [] : [codeBlock(typeof example.response.body === "string" ? "txt" : "json", shortened(body))])
  ].join("\n\n")
}

/** The tabs with the request, and the response. */
export const exampleText = (id: string, example: ExampleWithCalls): string =>
  [
    "::: code-group",
    ...exampleRequests(example, securityOf.get(id)).map(({ code, label, language }) =>
      codeBlock(`${language} [${label}]`, shortened(code))
    ),
    ":::",
    responseText(example)
  ].join("\n\n")

const raised = (text: string): string => text.replaceAll(/^##(#*) /gmu, (_, more: string) => `#${more} `)

/** The command after the path becomes a link to its help. */
const withCommandLink = (text: string, link: string | undefined): string =>
  link === undefined ? text : text.replace(/^(`[A-Z]+ [^`]+` · )(`orgplane [^`]+`)$/mu, `$1[$2](${link})`)

/** The page of a group. `linked` rewrites the links of the document; `commandLinks` are by operation ID. */
export const apiPage = (
  group: ApiGroup,
  linked: (text: string) => string,
  commandLinks: ReadonlyMap<string, string>
): string =>
  [
    raised(linked(group.introduction)).trim(),
    ...group.operations.map(({ id, text }) => {
      const example = examples[id]
      if (example === undefined) throw new Error(`The operation ${id} has no example.`)
      return [withCommandLink(raised(linked(text)).trim(), commandLinks.get(id)), exampleText(id, example)].join("\n\n")
    })
  ].join("\n\n")
