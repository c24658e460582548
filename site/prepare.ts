/**
 * Arranges the pages of the site in `pages/`: the documents of the repository by task, the examples that they link to, and
 * one page for each group of the API and of the CLI. Links between documents become links between pages. A link to a document that does not exist
 * stops the build.
 */
import { existsSync } from "node:fs"
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { dirname, join, posix } from "node:path"
import { apiGroups, apiIntroduction, apiLink, apiPage, apiSource } from "./api-reference.ts"
import { cliReference } from "./cli-reference.ts"
import { examplePage, exampleText } from "./examples.ts"
import { withoutTemplates } from "./markdown.ts"
import { documents } from "./outline.ts"

const root = join(import.meta.dirname, "..")
const output = join(import.meta.dirname, "pages")

/** A file of each example that a document links to, by the page of the example. */
const examples = new Map<string, string>()

const pageOf = new Map(documents.map(({ page, source }) => [source, page]))

/** The link of a page, for a link in the document `source`. Undefined for a file of the repository that is not a page. */
const pageLink = (source: string, target: string): string | undefined => {
  const [path = "", anchor = ""] = target.split("#")
  const file = path === "" ? source : posix.normalize(posix.join(posix.dirname(source), path))
  const suffix = anchor === "" ? "" : `#${anchor}`
  if (file === apiSource) return apiLink(anchor)
  if (file === "README.md") return anchor === "configuration" ? "/operations/configuration" : "/getting-started"
  const page = pageOf.get(file)
  if (page !== undefined) return path === "" ? suffix : `/${page}${suffix}`
  const example = examplePage(file)
  if (example !== undefined) {
    examples.set(example, file)
    return `/${example}`
  }
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

/** The diagrams are part of the page, so that they have the colors of its theme. */
const withDiagrams = async (text: string): Promise<string> => {
  let result = text
  for (const [image, file = ""] of text.matchAll(/!\[[^\]]*\]\((?:docs\/)?([\w-]+\.svg)\)/gu)) {
    const svg = await readFile(join(root, "docs", file), "utf8")
    result = result.replace(image, () => svg.replace(/<style>[\s\S]*?<\/style>/u, "").replaceAll(/\n\s*\n/gu, "\n"))
  }
  return result
}

/** Documents show the light screenshot; pages have both, and their theme selects one. The size reserves the space. */
const withScreenshots = (text: string): string =>
  text.replaceAll(
    /!\[([^\]"]*)\]\((?:docs\/)?images\/([\w-]+)-light\.webp\)/gu,
    (_, description: string, name: string) =>
      ["light", "dark"]
        .map(
          (theme) =>
            `<img class="only-${theme}" src="/images/${name}-${theme}.webp" alt="${description}" width="1280" height="800" loading="lazy">`
        )
        .join("")
  )

const write = async (page: string, text: string): Promise<void> => {
  const path = join(output, `${page}.md`)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, `${withScreenshots(await withDiagrams(withoutTemplates(text)))}\n`)
}

export interface Entry {
  readonly text: string
  readonly link: string
  readonly section: string
}

export interface Groups {
  readonly api: ReadonlyArray<Entry>
  readonly cli: ReadonlyArray<Entry>
}

/** Writes all pages, and returns the pages of the two references. */
export const preparePages = async (): Promise<Groups> => {
  await rm(output, { recursive: true, force: true })
  await cp(join(root, "docs/images"), join(output, "public/images"), { recursive: true })
  for (const { page, source } of documents)
    await write(page, withPageLinks(source, await readFile(join(root, source), "utf8")))
  for (const [page, file] of examples) await write(page, exampleText(file))
  const linked = (text: string) => withPageLinks(apiSource, text)
  const cli = await cliReference()
  await write("reference/api/index", linked(apiIntroduction))
  for (const group of apiGroups) await write(group.page, apiPage(group, linked, cli.links))
  await write("reference/cli/index", cli.overview)
  for (const { page, text } of cli.pages) await write(page, text)
  return {
    api: apiGroups.map(({ page, section, title }) => ({ text: title, link: `/${page}`, section })),
    cli: cli.pages.map(({ page, section, title }) => ({
      text: title.replace("orgplane ", ""),
      link: `/${page}`,
      section
    }))
  }
}
