import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { examples } from "@orgplane/schema/generated/examples"
import { describe, expect, it } from "vitest"
import { docsGroups, docsPage } from "./docs-page.ts"
import { contentSecurityPolicy } from "./docs-script.ts"

const openapi: unknown = JSON.parse(readFileSync(join(import.meta.dirname, "../../../../../docs/openapi.json"), "utf8"))
interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly tags: ReadonlyArray<string>
}
const { components, paths } = openapi as {
  readonly components: { readonly schemas: Record<string, unknown> }
  readonly paths: Record<string, Record<string, Operation>>
}
const operations = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, ...operation }))
)
const index = docsPage(openapi, examples)
const groups = docsGroups(openapi)
const pages = groups.map((group) => docsPage(openapi, examples, group))
const matches = (page: string, pattern: RegExp) => [...page.matchAll(pattern)].map((match) => match[1] ?? "")

describe("the API reference", () => {
  it("lists every operation on its first page, each with a link to its place on the page of its group", () => {
    const links = matches(index, / href="\?group=([^"]+#[^"]+)"/g)
    expect(links.length).toBe(operations.length)
    for (const link of links) {
      const [group = "", id = ""] = link.split("#")
      expect(pages[groups.indexOf(group)]).toContain(`<article id="${id}"`)
    }
    for (const { operationId, path } of operations) {
      expect(index).toContain(`<b>${operationId}</b>`)
      expect(index).toContain(`<code>${path}</code>`)
    }
  })

  it("shows every operation with a request in three languages, and its response", () => {
    const all = pages.join("\n")
    for (const { method, operationId, path } of operations) {
      const start = all.indexOf(`<h3>${operationId} <`)
      expect([operationId, start > 0]).toEqual([operationId, true])
      const article = all.slice(start, all.indexOf("</article>", start))
      expect(article).toContain(`${method.toUpperCase()}</span> <code>${path}</code>`)
      const { response } = examples[operationId] ?? { response: { status: 0 } }
      expect([operationId, matches(article, /<label for="[^"]+">([^<]+)</g)]).toEqual([
        operationId,
        ["curl", "TypeScript", "Command line"]
      ])
      expect(article).toContain(`HTTP ${response.status}`)
      expect(article).toContain('class="try"')
    }
  })

  it("shows every schema that an operation refers to", () => {
    const shown = new Set(pages.flatMap((page) => matches(page, /<article id="schema-[^"]+"><h3>([^<]+)</g)))
    const links = new Set(pages.flatMap((page) => matches(page, /href="#(schema-[^"]+)"/g)))
    expect(shown.size).toBeGreaterThan(200)
    expect(links.size).toBeGreaterThan(200)
    expect(Object.keys(components.schemas).length).toBeGreaterThanOrEqual(shown.size)
  })

  it("has exactly one target for each link within a page", () => {
    for (const page of [index, ...pages]) {
      const ids = matches(page, / id="([^"]+)"/g)
      expect(ids.filter((id, position) => ids.indexOf(id) !== position)).toEqual([])
      expect(matches(page, / href="#([^"]+)"/g).filter((link) => !ids.includes(link))).toEqual([])
    }
  })

  it("has a first page of less than 150 kB, and no page of more than 350 kB", () => {
    const sizes = pages.map((page) => Buffer.byteLength(page))
    expect(Buffer.byteLength(index)).toBeLessThan(150_000)
    expect(Math.max(...sizes)).toBeLessThan(350_000)
  })

  it("loads no resources, and runs only the script that its policy names", () => {
    for (const page of [index, ...pages]) {
      const scripts = matches(page, /<script>([^]*?)<\/script>/g)
      expect(scripts.length).toBe(1)
      const hash = createHash("sha256")
        .update(scripts[0] ?? "")
        .digest("base64")
      expect(contentSecurityPolicy).toContain(`script-src 'sha256-${hash}'`)
      const markup = page.replace(scripts[0] ?? "", "")
      expect(markup).not.toMatch(/<script [^>]|<img|<link|<iframe|@import|url\(| on\w+=| src=/i)
    }
    expect(contentSecurityPolicy).toContain("default-src 'none'")
    expect(contentSecurityPolicy).toContain("connect-src 'self'")
  })

  it("escapes text of the contract and of the examples", () => {
    const evil = `<script>alert("1")</script> & \`code\``
    const document = {
      info: { title: evil, version: "1" },
      tags: [{ name: "evil", description: evil }],
      paths: {
        [`/${evil}`]: {
          get: { operationId: evil, tags: ["evil"], summary: evil, responses: { "200": { description: evil } } }
        }
      }
    }
    const example = {
      request: { method: evil, path: `/${evil}`, body: evil },
      response: { status: 200, body: evil },
      typescript: evil,
      command: evil
    }
    for (const page of [docsPage(document), docsPage(document, { [evil]: example }, "evil")]) {
      expect(page.match(/<script/g)).toHaveLength(1)
      expect(page).toContain("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;")
    }
  })
})
