/** The API reference of a running server in Chromium: tabs, filter, links, and requests with the reader's token. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { createClient } from "../packages/client/src/index.ts"
import { makeFolder, seedOf, startServer } from "../test/process/server.fixture.ts"
import { chromium, openBrowser, type OpenBrowser, type OpenPage } from "./browser.ts"

describe.skipIf(chromium === undefined)("the API reference of a server", () => {
  let browser: OpenBrowser
  let reader: OpenPage
  let baseUrl = ""
  let token = ""

  beforeAll(async () => {
    const dataDir = makeFolder()
    const server = await startServer({ ORGPLANE_DATA_DIR: dataDir, ORGPLANE_SEED: "demo" })
    baseUrl = server.baseUrl
    token = seedOf(dataDir).ownerToken
    browser = await openBrowser()
  })
  afterAll(() => browser?.close())
  beforeEach(async () => {
    reader = await browser.open()
    return () => reader.page.close()
  })

  const visit = (path: string) => reader.page.goto(`${baseUrl}${path}`, { waitUntil: "networkidle0" })
  const article = "#plugins-create"
  const fill = (selector: string, value: string) =>
    reader.page.evaluate(`{
      const field = document.querySelector(${JSON.stringify(selector)})
      field.value = ${JSON.stringify(value)}
      field.dispatchEvent(new Event("input", { bubbles: true }))
    }`)
  const expectNoProblems = async () => {
    expect(reader.problems).toEqual([])
    expect(await reader.violations()).toEqual([])
  }

  it("filters the operations by name, path and summary", async () => {
    await visit("/docs")
    const shown = () =>
      reader.page.evaluate<ReadonlyArray<string>>(
        `[...document.querySelectorAll("[data-find]")].filter((one) => one.checkVisibility()).map((one) => one.querySelector("b").textContent)`
      )
    expect((await shown()).length).toBeGreaterThan(300)
    await reader.page.keyboard.press("/")
    await reader.page.keyboard.type("teams create")
    expect(await shown()).toEqual(["teams.create"])
    expect(await reader.page.evaluate(`document.querySelectorAll("[data-group]:not([hidden])").length`)).toBe(1)
    await expectNoProblems()
  })

  it("opens an operation from the list, and from its own link", async () => {
    await visit("/docs")
    await reader.click('a[href="?group=plugins#plugins-create"]')
    await reader.page.waitForSelector(`${article}:target`)
    expect(new URL(reader.page.url()).search).toBe("?group=plugins")
    await visit("/docs?group=teams#teams-create")
    const top = await reader.page.evaluate<number>(
      `document.querySelector("#teams-create:target").getBoundingClientRect().top`
    )
    expect(Math.abs(top)).toBeLessThan(10)
    await expectNoProblems()
  })

  it("switches between the three languages, by mouse and by keyboard", async () => {
    await visit(`/docs?group=plugins${article}`)
    const panels = () =>
      reader.page.evaluate<ReadonlyArray<string>>(
        `[...document.querySelectorAll("${article} .panel")].filter((one) => one.checkVisibility()).map((one) => one.textContent.split(" ")[0])`
      )
    expect(await panels()).toEqual(["curl"])
    await reader.click(`${article} .tabs label:nth-of-type(2)`)
    expect(await panels()).toEqual(["const"])
    await reader.page.keyboard.press("ArrowRight")
    expect(await panels()).toEqual(["orgplane"])
    await expectNoProblems()
  })

  it("shows every example in the language that was selected last", async () => {
    await visit("/docs?group=plugins#plugins-archive")
    const label = "#plugins-archive .tabs label:nth-of-type(2)"
    const top = () => reader.page.evaluate<number>(`document.querySelector("${label}").getBoundingClientRect().top`)
    const before = await top()
    await reader.click(label)
    expect(Math.abs((await top()) - before)).toBeLessThan(2)
    await visit("/docs?group=teams#teams-remove")
    const selected = await reader.page.evaluate<ReadonlyArray<string>>(
      `[...new Set([...document.querySelectorAll(".tabs > input:checked")].map((one) => one.labels[0].textContent))]`
    )
    expect(selected).toEqual(["TypeScript"])
    expect(
      Math.abs(
        await reader.page.evaluate<number>(`document.querySelector("#teams-remove:target").getBoundingClientRect().top`)
      )
    ).toBeLessThan(10)
    await expectNoProblems()
  })

  it("sends a request with the reader's token, after a confirmation, and shows the response", async () => {
    await visit(`/docs?group=plugins${article}`)
    await reader.click("#token")
    await reader.page.keyboard.type(token)
    await reader.click(`${article} .try summary`)
    await fill(`${article} .try textarea`, JSON.stringify({ name: "Made in the browser" }))
    await reader.click(`${article} .try button`)
    await reader.page.waitForFunction(`document.querySelector("${article} .try code").textContent.startsWith("HTTP")`)
    expect(reader.dialogs).toEqual(["Send POST /v1/plugins to this server?"])
    expect(await reader.textOf(`${article} .try code`)).toMatch(/^HTTP 201\n[^]*"name": "Made in the browser"/u)
    const client = createClient({ baseUrl, token })
    const plugins = await client.plugins.list({ q: "Made in the browser" }).take(2)
    expect(plugins.map(({ name }) => name)).toEqual(["Made in the browser"])
    // The token stays in the tab.
    expect(await reader.page.evaluate("document.cookie + Object.keys(localStorage)")).toBe("")
    expect(reader.responses.filter((response) => !response.url().startsWith(`${baseUrl}/`))).toEqual([])
    await expectNoProblems()
  })

  it("shows the error for a token that is not valid", async () => {
    await visit("/docs?group=teams#teams-list")
    await fill("#token", "ops_invalid")
    await reader.click("#teams-list .try summary")
    await reader.click("#teams-list .try button")
    await reader.page.waitForFunction(`document.querySelector("#teams-list .try code").textContent.startsWith("HTTP")`)
    expect(await reader.textOf("#teams-list .try code")).toContain('HTTP 401\n\n{\n  "error": "unauthorized"')
    expect(reader.dialogs).toEqual([])
    expect(await reader.violations()).toEqual([])
  })

  it("runs no other script, and reports the attempt", async () => {
    await visit("/docs")
    await reader.page.evaluate(`{
      const script = document.createElement("script")
      script.textContent = "window.injected = true"
      document.body.append(script)
    }`)
    await reader.page.waitForFunction("window.recordedViolations.length > 0")
    expect(await reader.page.evaluate("window.injected === undefined")).toBe(true)
    expect(await reader.violations()).toEqual(["script-src-elem inline"])
  })
})
