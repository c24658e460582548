/** Checks of the built site: anchors, and the size of the first pages. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join, posix } from "node:path"

/** The maximum size of everything that a browser loads with a page of the site: the page, its scripts and its styles. */
export const firstPageBytesMax = 320_000

const linkPattern = /<a\b[^>]*?\shref="([^"]*)"/gu
const idPattern = /<[a-z][^>]*?\s(?:id|name)="([^"]+)"/gu

const unescaped = (text: string): string =>
  text.replaceAll("&#39;", "'").replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&amp;", "&")

/** The path of the page that a link leads to, without its extension. */
const targetOf = (page: string, path: string): string => {
  const target = path === "" ? page : posix.join("/", posix.dirname(page), path)
  const absolute = path.startsWith("/") ? path : target
  return absolute.endsWith("/") ? `${absolute}index` : absolute.replace(/\.html$/u, "")
}

/** The links to pages or anchors that do not exist. `pages` is the HTML of each page by its path: `/guides/cli`. */
export const deadLinks = (pages: ReadonlyMap<string, string>): ReadonlyArray<string> => {
  const anchors = new Map(
    [...pages].map(([page, html]) => [page, new Set([...html.matchAll(idPattern)].map(([, id = ""]) => unescaped(id)))])
  )
  return [...pages].flatMap(([page, html]) =>
    [...new Set([...html.matchAll(linkPattern)].map(([, href = ""]) => unescaped(href)))].flatMap((href) => {
      if (/^[a-z]+:/u.test(href) || href.startsWith("//")) return []
      const [path = "", anchor = ""] = href.split("#")
      const ids = anchors.get(targetOf(page, path))
      if (ids === undefined) return [`${page} links to ${href}, which is not a page.`]
      return anchor === "" || ids.has(decodeURIComponent(anchor))
        ? []
        : [`${page} links to ${href}, but the page has no such anchor.`]
    })
  )
}

/** The files that a browser loads for a page, before the reader does anything. */
export const filesOf = (html: string): ReadonlyArray<string> =>
  [...html.matchAll(/<(?:script|link|img)\b[^>]*?\s(?:src|href)="(\/[^"]+)"/gu)].map(([, file = ""]) => file)

const htmlOf = (folder: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".html") && file !== "404.html")
      .map((file) => [`/${file.replace(/\.html$/u, "")}`, readFileSync(join(folder, file), "utf8")])
  )

/** The pages that readers open first. */
const firstPages = ["/index", "/reference/api/index"]

/** Throws if a link of the built site is dead, if an image is missing, or if a first page is too large. Returns what it measured. */
export const checkSite = (folder: string): string => {
  const pages = htmlOf(folder)
  const dead = deadLinks(pages)
  if (dead.length > 0) throw new Error(`Dead links:\n${dead.join("\n")}`)
  const missing = [...pages].flatMap(([page, html]) =>
    [...html.matchAll(/<img\b[^>]*?\ssrc="(\/[^"]+)"/gu)]
      .filter(([, file = ""]) => !existsSync(join(folder, file)))
      .map(([, file = ""]) => `${page} shows ${file}, which does not exist.`)
  )
  if (missing.length > 0) throw new Error(`Missing images:\n${missing.join("\n")}`)
  const sizes = firstPages.map((page) => {
    const html = pages.get(page) ?? ""
    const bytes = filesOf(html).reduce((sum, file) => sum + statSync(join(folder, file)).size, Buffer.byteLength(html))
    if (bytes > firstPageBytesMax) throw new Error(`${page} loads ${bytes} bytes. The limit is ${firstPageBytesMax}.`)
    return `${page} loads ${Math.ceil(bytes / 1000)} kB`
  })
  return [`${pages.size} pages without dead links`, ...sizes].join(", ")
}
