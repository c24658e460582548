/** The generated pages of the documentation site, and the checks of the built site. */
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { examples } from "../packages/schema/src/generated/examples.ts"
import { contract } from "../scripts/codegen/reflect.ts"
import { apiGroups, apiLink, apiPage, operationLinks } from "../site/api-reference.ts"
import { checkSite, deadLinks, filesOf } from "../site/check.ts"
import { examplePage, exampleText } from "../site/examples.ts"
import { cliReference } from "../site/cli-reference.ts"
import { withoutTemplates } from "../site/markdown.ts"

const cli = await cliReference()
const unchanged = (text: string) => text
const apiPages = new Map(apiGroups.map((group) => [`/${group.page}`, apiPage(group, unchanged, cli.links)]))
const cliPages = new Map(cli.pages.map(({ page, text }) => [`/${page}`, text]))
const operations = contract().groups.flatMap((group) => group.operations)

/** The part of a page below the heading of the second level with this anchor. */
const sectionOf = (page: string | undefined, heading: string): string =>
  page?.split(/^(?=## )/mu).find((section) => section.startsWith(`## ${heading}\n`)) ?? ""

describe("the API reference of the site", () => {
  it("has a page for each group", () => {
    expect(apiGroups.map(({ title }) => title).toSorted()).toEqual(
      contract()
        .groups.map(({ title }) => title)
        .toSorted()
    )
    expect(new Set(apiPages.keys()).size).toBe(apiGroups.length)
  })

  it("shows every operation with a request in three tabs, and its response", () => {
    expect(operations.length).toBeGreaterThan(300)
    for (const { method, operationId, path } of operations) {
      const page = operationLinks.get(operationId)?.split("#")[0] ?? ""
      const section = sectionOf(apiPages.get(page), operationId)
      expect([operationId, section.includes(`\n\`${method} ${path}\``)]).toEqual([operationId, true])
      const [, tabs = "", response = ""] = /^::: code-group$([^]*?)^:::$([^]*)/mu.exec(section) ?? []
      const panels = [...tabs.matchAll(/^```(\w+) \[([^\]]+)\]\n([^]*?)\n```$/gmu)]
      expect([operationId, panels.map(([, language, label]) => `${language} ${label}`)]).toEqual([
        operationId,
        ["sh curl", "ts TypeScript", "sh Command line"]
      ])
      const [curl, typescript, command] = panels.map(([, , , code]) => code)
      const example = examples[operationId]
      expect(curl).toContain(`https://orgplane.example${example?.request.path}`)
      expect(typescript).toMatch(/^const (?:result|response) = await /u)
      expect(command).toMatch(/^orgplane /mu)
      expect(response).toContain(`Response: \`HTTP ${example?.response.status}\``)
      expect([operationId, /^```(?:json|txt)\n/mu.test(response)]).toEqual([
        operationId,
        example?.response.body !== undefined
      ])
    }
  })

  it("is the target of links to docs/api.md", () => {
    expect(apiLink("pluginscreate")).toBe("/reference/api/plugins#pluginscreate")
    expect(apiLink("api-keys")).toBe("/reference/api/api-keys")
    expect(apiLink("")).toBe("/reference/api/")
  })

  it("links to the command of each operation that has one", () => {
    for (const [operationId, link] of cli.links) {
      expect([operationId, [...apiPages.values()].some((text) => text.includes(`](${link})`))]).toEqual([
        operationId,
        true
      ])
      const [page = "", anchor = ""] = link.split("#")
      const headings = [...(cliPages.get(page) ?? "").matchAll(/^## (.*)$/gmu)].map(([, heading = ""]) =>
        heading.replaceAll(" ", "-")
      )
      expect([operationId, headings]).toEqual([operationId, expect.arrayContaining([anchor])])
    }
    expect(cli.links.size).toBeGreaterThan(250)
  })
})

describe("the CLI reference of the site", () => {
  it("shows the usage and the description of every command", () => {
    const commands = cli.pages.flatMap((page) => page.commands.map((command) => ({ ...command, page })))
    expect(commands.length).toBeGreaterThan(300)
    for (const { help, page, path } of commands) {
      const heading = page.title === "General commands" || path.length === 1 ? path.join(" ") : path.slice(1).join(" ")
      const section = sectionOf(`${page.text}\n`, heading)
      expect([path, section.includes(help.usage)]).toEqual([path, true])
      expect([path, section.includes(help.description.split("\n")[0] ?? "")]).toEqual([path, true])
      for (const { command } of help.examples ?? []) expect(section).toContain(command)
      for (const { name } of help.flags) expect(section).toContain(`--${name}`)
      expect(cli.overview).toContain(`](/${page.page}#`)
    }
  })

  it("shows an example of every command of an operation", () => {
    for (const [operationId, link] of cli.links) {
      const [page = "", anchor = ""] = link.split("#")
      const section = (cliPages.get(page) ?? "")
        .split(/^(?=## )/mu)
        .find((text) => text.split("\n")[0]?.slice(3).replaceAll(" ", "-") === anchor)
      expect([operationId, /^```sh\n[^]*?orgplane /mu.test(section ?? "")]).toEqual([operationId, true])
    }
  })

  it("shows URLs in descriptions as code, not as links", () => {
    const text = cli.pages.map((page) => page.text.replaceAll(/^```[\s\S]*?^```/gmu, "")).join("\n")
    expect(text).toContain("such as `http://localhost:3000/webhooks` |")
    expect(text.replaceAll(/`[^`\n]+`/gu, "")).not.toMatch(/https?:/u)
  })

  it("includes the commands that are not operations", () => {
    const paths = cli.pages.flatMap(({ commands }) => commands.map(({ path }) => path.join(" ")))
    expect(paths).toEqual(expect.arrayContaining(["login", "api", "members invite", "audit tail", "scim conformance"]))
    expect(paths).not.toContain("__complete")
  })
})

describe("the checks of the built site", () => {
  const folder = mkdtempSync(join(tmpdir(), "orgplane-site-"))
  afterAll(() => rmSync(folder, { recursive: true }))

  it("find links to pages and anchors that do not exist", () => {
    const pages = new Map([
      ["/index", '<h1 id="top">Start</h1><a class="x" href="/guides/a#one">good</a><a href="#top">good</a>'],
      [
        "/guides/a",
        '<h2 id="one">1</h2><a href="/">good</a><a href="./b">good</a><a href="https://a.example/#x">good</a>'
      ],
      ["/guides/b", '<h2 id="caf&#39;é">2</h2><a href="#caf%27%C3%A9">good</a><a href="/guides/a.html#one">good</a>']
    ])
    expect(deadLinks(pages)).toEqual([])
    const dead = new Map([
      ...pages,
      ["/guides/c", '<a href="/guides/a#two">dead</a><a href="/d">dead</a><a href="#x">dead</a>']
    ])
    expect(deadLinks(dead)).toEqual([
      "/guides/c links to /guides/a#two, but the page has no such anchor.",
      "/guides/c links to /d, which is not a page.",
      "/guides/c links to #x, but the page has no such anchor."
    ])
  })

  it("add up the files of the first pages", () => {
    const page = '<link rel="stylesheet" href="/a.css"><script type="module" src="/a.js"></script>'
    expect(filesOf(page)).toEqual(["/a.css", "/a.js"])
    mkdirSync(join(folder, "reference/api"), { recursive: true })
    writeFileSync(join(folder, "index.html"), page)
    writeFileSync(join(folder, "reference/api/index.html"), page)
    writeFileSync(join(folder, "a.css"), "")
    writeFileSync(join(folder, "a.js"), "x".repeat(200_000))
    expect(checkSite(folder)).toBe("2 pages without dead links, /index loads 201 kB, /reference/api/index loads 201 kB")
    writeFileSync(join(folder, "a.js"), "x".repeat(320_000))
    expect(() => checkSite(folder)).toThrow("The limit is 320000.")
  })

  it("reject braces outside code, which would be a template", () => {
    expect(withoutTemplates("`{{ name }}` <b>")).toBe("`{{ name }}` &lt;b>")
    expect(() => withoutTemplates("a {{ name }}")).toThrow("Write double braces as code: a {{ name }}")
  })
})

describe("the examples", () => {
  const embedding = readFileSync(join(import.meta.dirname, "../docs/embedding.md"), "utf8")
  const recipes = [...embedding.matchAll(/\(\.\.\/(examples\/embed\/\w+\/[^)]+)\)/gu)].map(([, file = ""]) => file)

  it("have a page with the code of every recipe", () => {
    expect(recipes.length).toBeGreaterThanOrEqual(8)
    for (const file of recipes) {
      expect([file, examplePage(file)]).toEqual([file, file.split("/").slice(0, 3).join("/")])
      expect(exampleText(file)).toContain("/orgplane")
    }
  })
  it("include the file that recipes share", () => {
    expect(exampleText("examples/embed/hono/server.ts")).toContain("## control-plane.ts")
    expect(exampleText("examples/embed/next/control-plane.js")).not.toContain("## control-plane.ts")
  })
  it("are no tests and no other files", () => {
    for (const file of ["examples/examples.test.ts", "examples/package.json", "docs/api.md", "examples/none.ts"])
      expect([file, examplePage(file)]).toEqual([file, undefined])
  })
})

it("keeps no generated page of the site in the repository", () => {
  const tracked = execFileSync("git", ["ls-files", "site"], { cwd: join(import.meta.dirname, ".."), encoding: "utf8" })
  expect(tracked.split("\n").filter((file) => /^site\/(?:pages|\.vitepress\/(?:dist|cache))\//u.test(file))).toEqual([])
})
