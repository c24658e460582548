import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { contentSecurityPolicy, docsPage } from "./docs-page.ts"

const openapi: unknown = JSON.parse(readFileSync(join(import.meta.dirname, "../../../../../docs/openapi.json"), "utf8"))
const { components, paths } = openapi as {
  readonly components: { readonly schemas: Record<string, unknown> }
  readonly paths: Record<string, Record<string, { readonly operationId: string; readonly summary: string }>>
}
const operations = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, ...operation }))
)
const page = docsPage(openapi)
const all = (pattern: RegExp) => [...page.matchAll(pattern)].map((match) => match[1] ?? "")

describe("the API reference page", () => {
  it("shows every operation with its path, and every schema", () => {
    for (const { method, operationId, path } of operations) {
      expect(page).toContain(`<h3>${operationId}</h3>`)
      expect(page).toContain(`${method.toUpperCase()}</span> <code>${path}</code>`)
    }
    for (const name of Object.keys(components.schemas)) expect(page).toContain(`<h3>${name}</h3>`)
  })

  it("has exactly one target for each of its links", () => {
    const ids = all(/ id="([^"]+)"/g)
    expect(new Set(ids).size).toBe(ids.length)
    const links = all(/ href="#([^"]+)"/g)
    expect(links.length).toBeGreaterThan(operations.length)
    expect(links.filter((link) => !ids.includes(link))).toEqual([])
  })

  it("loads no resources and runs no scripts", () => {
    expect(all(/ href="([^#"][^"]*)"/g)).toEqual(["openapi.json"])
    expect(page).not.toMatch(/<script|<img|<link|<iframe|@import|url\(| on\w+=| src=/i)
    expect(contentSecurityPolicy).toContain("default-src 'none'")
  })

  it("escapes text of the contract", () => {
    const evil = `<script>alert("1")</script> & \`code\``
    const shown = docsPage({
      info: { title: evil, version: "1" },
      tags: [{ name: evil, description: evil }],
      paths: {
        [`/${evil}`]: {
          get: { operationId: evil, tags: [evil], summary: evil, responses: { "200": { description: evil } } }
        }
      }
    })
    expect(shown).not.toContain("<script")
    expect(shown).toContain("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; <code>code</code>")
  })
})
