/**
 * Arranges the pages of the site in `pages/`: the documents of the repository by task, and one page for each group of
 * the API and of the CLI. Links between documents become links between pages. A link to a document that does not exist
 * stops the build.
 */
import { existsSync } from "node:fs"
import { mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { dirname, join, posix } from "node:path"
import { commands } from "../packages/cli/src/generated/commands.ts"
import { documents } from "./outline.ts"

const root = join(import.meta.dirname, "..")
const output = join(import.meta.dirname, "pages")

const slug = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-")

/** The chapters of a page at its headings of the second level. The first one is the introduction. */
const chaptersOf = (text: string): ReadonlyArray<string> => text.split(/^(?=## )/mu)

const headingOf = (chapter: string): string => /^## (.*)$/mu.exec(chapter)?.[1] ?? ""

const api = chaptersOf(await readFile(join(root, "docs/api.md"), "utf8"))

/** The page of each heading of the API reference, by anchor. */
const apiPages = new Map<string, string>()
for (const chapter of api.slice(1))
  for (const [, heading = ""] of chapter.matchAll(/^##+ (.*)$/gmu))
    apiPages.set(slug(heading), `/reference/api/${slug(headingOf(chapter))}`)

const pageOf = new Map(documents.map(({ page, source }) => [source, page]))

/** The link of a page, for a link in the document `source`. Undefined for a file of the repository that is not a page. */
const pageLink = (source: string, target: string): string | undefined => {
  const [path = "", anchor = ""] = target.split("#")
  const file = path === "" ? source : posix.normalize(posix.join(posix.dirname(source), path))
  const suffix = anchor === "" ? "" : `#${anchor}`
  if (file === "docs/api.md")
    return anchor === "" ? "/reference/api/" : `${apiPages.get(anchor) ?? "/reference/api/"}${suffix}`
  if (file === "README.md") return anchor === "configuration" ? "/operations/configuration" : "/getting-started"
  const page = pageOf.get(file)
  if (page !== undefined) return path === "" ? suffix : `/${page}${suffix}`
  if (!existsSync(join(root, file))) throw new Error(`${source} links to ${target}, which does not exist.`)
  return undefined
}

/** Rewrites the links outside code blocks. Files that are not pages become plain text. */
const withPageLinks = (source: string, text: string): string =>
  text
    .split(/(^```[\s\S]*?^```)/mu)
    .map((part) =>
      part.startsWith("```")
        ? part
        : part.replaceAll(/(?<!!)\[([^\]]*)\]\(([^)\s]+)\)/gu, (link: string, label: string, target: string) => {
            if (/^(https?:|mailto:)/u.test(target)) return link
            const page = pageLink(source, target)
            return page === undefined ? label : `[${label}](${page})`
          })
    )
    .join("")

/** Text outside code is not a template: tags and braces in it are escaped. */
const withoutTemplates = (text: string): string =>
  text
    .split(/(^```[\s\S]*?^```|`[^`\n]+`)/mu)
    .map((part) => (part.startsWith("`") ? part : part.replaceAll("<", "&lt;")))
    .join("")

/** The diagrams are part of the page, so that they have the colors of its theme. */
const withDiagrams = async (text: string): Promise<string> => {
  let result = text
  for (const [image, file = ""] of text.matchAll(/!\[[^\]]*\]\((?:docs\/)?([\w-]+\.svg)\)/gu)) {
    const svg = await readFile(join(root, "docs", file), "utf8")
    result = result.replace(image, () => svg.replace(/<style>[\s\S]*?<\/style>/u, "").replaceAll(/\n\s*\n/gu, "\n"))
  }
  return result
}

const write = async (page: string, text: string): Promise<void> => {
  const path = join(output, `${page}.md`)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, `:::::: v-pre\n\n${await withDiagrams(withoutTemplates(text))}\n\n::::::\n`)
}

/** The reference of one group of commands. */
const commandText = (group: (typeof commands)[number]): string =>
  [
    `# orgplane ${group.name}`,
    group.summary,
    ...group.operations.map((operation) =>
      [
        `## ${operation.name}`,
        "```sh\n" +
          ["orgplane", group.name, operation.name, ...operation.ids.map(() => "<id>"), "[flags]"].join(" ") +
          "\n```",
        [`${operation.summary}.`, operation.description ?? ""].join(" ").trim(),
        `API: [${operation.id}](/reference/api/${(apiPages.get(slug(operation.id)) ?? "/").split("/").at(-1)}#${slug(operation.id)})`,
        ...(operation.flags.length === 0
          ? []
          : [
              [
                "| flag | required | description |",
                "|---|---|---|",
                ...operation.flags.map(
                  (flag) =>
                    `| \`--${flag.name}\` | ${flag.required === true ? "yes" : ""} | ${(flag.help ?? "").replaceAll("|", "\\|").replaceAll("\n", " ")} |`
                )
              ].join("\n")
            ])
      ].join("\n\n")
    )
  ].join("\n\n")

export interface Groups {
  readonly api: ReadonlyArray<{ readonly text: string; readonly link: string }>
  readonly cli: ReadonlyArray<{ readonly text: string; readonly link: string }>
}

/** Writes all pages, and returns the pages of the two references. */
export const preparePages = async (): Promise<Groups> => {
  await rm(output, { recursive: true, force: true })
  for (const { page, source } of documents)
    await write(page, withPageLinks(source, await readFile(join(root, source), "utf8")))
  const [introduction = "", ...chapters] = api
  await write("reference/api/index", withPageLinks("docs/api.md", introduction))
  for (const chapter of chapters)
    await write(
      `reference/api/${slug(headingOf(chapter))}`,
      withPageLinks(
        "docs/api.md",
        chapter.replaceAll(/^##(#*) /gmu, (_, more: string) => `#${more} `)
      )
    )
  for (const group of commands) await write(`reference/cli/${group.name}`, commandText(group))
  const pages = chapters.map((chapter) => ({
    text: headingOf(chapter),
    link: `/reference/api/${slug(headingOf(chapter))}`
  }))
  return { api: pages, cli: commands.map(({ name }) => ({ text: name, link: `/reference/cli/${name}` })) }
}
