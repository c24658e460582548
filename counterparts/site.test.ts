/** The built documentation site in Chromium: navigation, search, tabs, and what the first page loads. */
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, statSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { dirname, extname, join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { firstPageBytesMax } from "../site/check.ts"
import { makeFolder } from "../test/process/server.fixture.ts"
import { chromium, openBrowser, type OpenBrowser, type OpenPage } from "./browser.ts"

const root = dirname(import.meta.dirname)
const types: Readonly<Record<string, string>> = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" }

/** Serves a folder as a static host does: `/guides/sdk` is `guides/sdk.html`. */
const serveFolder = async (folder: string): Promise<Server> => {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://site.example").pathname)
    const file = [join(folder, path), join(folder, `${path}.html`), join(folder, path, "index.html")].find(
      (candidate) => candidate.startsWith(folder) && existsSync(candidate) && statSync(candidate).isFile()
    )
    if (file === undefined) response.writeHead(404).end()
    else response.setHeader("content-type", types[extname(file)] ?? "text/plain").end(readFileSync(file))
  })
  server.listen(0, "127.0.0.1")
  await new Promise((resolve) => server.once("listening", resolve))
  return server
}

describe.skipIf(chromium === undefined)("the documentation site", () => {
  let browser: OpenBrowser
  let server: Server
  let reader: OpenPage
  let baseUrl = ""

  beforeAll(async () => {
    const folder = makeFolder()
    const { status, stderr, stdout } = spawnSync(
      join(root, "site/node_modules/.bin/vitepress"),
      ["build", "site", "--outDir", folder],
      { cwd: root, encoding: "utf8" }
    )
    expect([status, status === 0 ? "" : stdout + stderr]).toEqual([0, ""])
    server = await serveFolder(folder)
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    server?.close()
  })
  beforeEach(async () => {
    reader = await browser.open()
    return async () => {
      expect(reader.problems).toEqual([])
      await reader.page.close()
    }
  })

  const visit = (path: string) => reader.page.goto(`${baseUrl}${path}`, { waitUntil: "networkidle0" })
  const waitForPath = (path: string) =>
    reader.page.waitForFunction(`location.pathname + location.hash === ${JSON.stringify(path)}`)
  const isHeadingAtTop = `Math.abs(document.getElementById("pluginscreate").getBoundingClientRect().top) < 150`

  it.each(["/", "/reference/api/"])("loads at most 320 kB for %s, from its own host", async (path) => {
    await visit(path)
    // Icons in the styles are data URLs.
    const loaded = reader.responses.filter((response) => !response.url().startsWith("data:"))
    const bodies = await Promise.all(loaded.map((response) => response.buffer()))
    const bytes = bodies.reduce((sum, body) => sum + body.length, 0)
    expect(bytes).toBeGreaterThan(100_000)
    expect(bytes).toBeLessThanOrEqual(firstPageBytesMax)
    expect(loaded.filter((response) => !response.url().startsWith(`${baseUrl}/`))).toEqual([])
  })

  it("leads from the first page to an operation", async () => {
    await visit("/")
    await reader.click('.VPNavBarMenu a[href="/reference/api/"]')
    await waitForPath("/reference/api/")
    await reader.click('.VPSidebar a[href="/reference/api/plugins"]')
    await waitForPath("/reference/api/plugins")
    await reader.click('.VPDocAsideOutline a[href="#pluginscreate"]')
    await waitForPath("/reference/api/plugins#pluginscreate")
    await reader.page.waitForFunction(isHeadingAtTop)
  })

  it("opens an operation from its own link, and leads to its command", async () => {
    await visit("/reference/api/plugins#pluginscreate")
    await reader.page.waitForFunction(isHeadingAtTop)
    await reader.click('.vp-doc a[href="/reference/cli/plugins#create"]')
    await waitForPath("/reference/cli/plugins#create")
    // The address changes before the page does.
    await reader.page.waitForFunction(`document.querySelector("h1").textContent.includes("orgplane plugins")`)
  })

  it.each([
    ["/reference/api/teams", "directly"],
    ["/reference/api/", "by a link"]
  ])("switches between the three languages on a page that was opened from %s %s", async (path, manner) => {
    await visit(path)
    if (manner === "by a link") await reader.click('.VPSidebar a[href="/reference/api/teams"]')
    await waitForPath("/reference/api/teams")
    const shown = () =>
      reader.page.evaluate<string>(
        `[...document.querySelectorAll("#teamscreate ~ .vp-code-group")[0].querySelectorAll(".blocks > div")].filter((one) => one.checkVisibility()).map((one) => one.querySelector("code").textContent).join()`
      )
    await reader.page.waitForSelector("#teamscreate ~ .vp-code-group")
    expect(await shown()).toMatch(/^curl -X POST /u)
    await reader.click("#teamscreate ~ .vp-code-group label:nth-of-type(2)")
    expect(await shown()).toBe('const result = await orgplane.teams.create({ name: "Platform" })')
    await reader.click("#teamscreate ~ .vp-code-group label:nth-of-type(3)")
    expect(await shown()).toBe("orgplane teams create --name Platform")
  })

  it("shows every example in the language that was selected last", async () => {
    await visit("/reference/api/plugins#pluginsarchive")
    const label = "#pluginsarchive ~ .vp-code-group label:nth-of-type(2)"
    const top = () => reader.page.evaluate<number>(`document.querySelector("${label}").getBoundingClientRect().top`)
    await reader.page.waitForSelector(label)
    await reader.click(label)
    const selected = `[...new Set([...document.querySelectorAll(".vp-code-group")].map((group) =>
      group.querySelector("input:checked").labels[0].textContent + " " + group.querySelector(".blocks > .active .lang").textContent))].join()`
    expect(await reader.page.evaluate(selected)).toBe("TypeScript ts")
    const before = await top()
    await reader.click("#pluginsarchive ~ .vp-code-group label:nth-of-type(3)")
    expect(Math.abs((await top()) - before)).toBeLessThan(2)
    await reader.click('.VPSidebar a[href="/reference/api/teams"]')
    await waitForPath("/reference/api/teams")
    await reader.page.waitForFunction(`${selected} === "Command line sh"`)
    await visit("/reference/api/plugins#pluginscreate")
    expect(await reader.page.evaluate(selected)).toBe("Command line sh")
    await reader.page.waitForFunction(isHeadingAtTop)
  })

  it("finds an operation by its name", async () => {
    await visit("/")
    await reader.click("#local-search button")
    await reader.page.waitForSelector(".VPLocalSearchBox input")
    await reader.page.keyboard.type("plugins.create")
    await reader.page.waitForSelector(
      '.VPLocalSearchBox a[href="/reference/api/plugins.html#pluginscreate"], .VPLocalSearchBox a[href="/reference/api/plugins#pluginscreate"]'
    )
    await reader.page.keyboard.press("Enter")
    await waitForPath("/reference/api/plugins#pluginscreate")
  })

  it("has a dark mode", async () => {
    await visit("/")
    const background = () => reader.page.evaluate<string>("getComputedStyle(document.body).backgroundColor")
    const before = await background()
    await reader.click(".VPNavBarAppearance button")
    await reader.page.waitForFunction(`getComputedStyle(document.body).backgroundColor !== ${JSON.stringify(before)}`)
    expect(await reader.page.evaluate(`document.documentElement.classList.contains("dark")`)).toBe(true)
  })
})
