/** The frame of the console: navigation, the command palette, the themes, and requests as code. */
import type { Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { giveEmail } from "../../server/test/enterprise/sso.fixture.ts"
import { platformAdmin } from "../../server/test/harness.ts"
import {
  addMember,
  checkAccessibility,
  checkWidth,
  failOnFaults,
  loaded,
  makeWorkspace,
  screenshot,
  startConsole
} from "./harness.ts"

failOnFaults()

const { plane, viewer } = await startConsole({ workers: false })
const owner = await makeWorkspace(plane)
const { open, page } = await viewer(owner)

describe("the frame of the console", () => {
  it("goes to a page from the command palette, with the keyboard alone", async () => {
    await open("/plugins")
    await page.keyboard.press("Control+k")
    await page.getByRole("combobox", { name: "Page, action or object" }).fill("members")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { level: 1, name: "Members" }).waitFor()
  })

  it("leaves Ctrl+click on the link of a row to the browser, and keeps the link out of the tab order", async () => {
    const { id } = await owner.client.teams.create({ name: "Linked team" })
    await open("/teams")
    const link = page.getByRole("row").getByRole("link", { name: "Linked team" })
    expect(await link.getAttribute("tabindex")).toBe("-1")
    // The browser does the rest: a tab that it opens behind the page does not always load while a test waits for it.
    const isLeftToBrowser = await link.evaluate((element) =>
      element.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, ctrlKey: true, metaKey: true }))
    )
    expect([isLeftToBrowser, await link.getAttribute("href")]).toEqual([true, `/console/teams/${id}`])
    expect(new URL(page.url()).pathname).toBe("/console/teams")
    await link.click()
    await page.getByRole("heading", { level: 1, name: "Linked team" }).waitFor()
  })

  it("keeps the order of a list in its address, after a reload and with Back, and ignores unknown columns", async () => {
    await owner.client.teams.create({ name: "Aardvarks" })
    await owner.client.teams.create({ name: "Zookeepers" })
    await open("/teams")
    const name = page.getByRole("columnheader", { name: "Name" })
    const isShown = () =>
      expect
        .poll(async () => [await name.getAttribute("aria-sort"), await page.locator('[data-index="0"]').innerText()])
        .toEqual(["descending", expect.stringContaining("Zookeepers")])
    await name.getByRole("button").click()
    await expect.poll(() => name.getAttribute("aria-sort")).toBe("ascending")
    expect(new URL(page.url()).search).toBe("?sort=Name")
    await name.getByRole("button").click()
    await isShown()
    expect(new URL(page.url()).search).toBe("?sort=-Name")
    await page.reload()
    await isShown()
    await page.getByRole("row").filter({ hasText: "Aardvarks" }).click()
    await page.getByRole("heading", { level: 1, name: "Aardvarks" }).waitFor()
    await page.goBack()
    await isShown()
    await name.getByRole("button").click()
    await expect.poll(() => new URL(page.url()).search).toBe("")
    await open("/teams?sort=-Nothing")
    await page.getByRole("row").filter({ hasText: "Zookeepers" }).waitFor()
    expect(await page.locator("[aria-sort]").count()).toBe(0)
  })

  it("finds objects in the command palette, and shows why a search fails", async () => {
    await owner.client.teams.create({ name: "Zebra crossing" })
    await open("/plugins")
    await page.keyboard.press("Control+k")
    const search = page.getByRole("combobox", { name: "Page, action or object" })
    await page.route("**/v1/search?*", (route) =>
      route.fulfill({ status: 403, json: { error: "forbidden", message: "The plan has no search." } })
    )
    await search.fill("zeb")
    await page.getByRole("dialog").getByText("The plan has no search.").waitFor()
    await page.unroute("**/v1/search?*")
    const searches: Array<string> = []
    page.on("request", (request) => {
      const { pathname, searchParams } = new URL(request.url())
      if (pathname.endsWith("/v1/search")) searches.push(searchParams.get("q") ?? "")
    })
    await search.pressSequentially("ra c")
    await page.getByRole("option", { name: "Team Zebra crossing" }).waitFor()
    await expect.poll(() => searches).toContain("zebra c")
    expect(searches.length).toBeLessThan(4)
    await checkAccessibility(page)
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { level: 1, name: "Zebra crossing" }).waitFor()
  })

  it("scrolls the sidebar to the entry of the page, also of a page that belongs to an entry", async () => {
    const entry = page.getByRole("navigation", { name: "Main" }).locator('[aria-current="page"]')
    const isInside = () =>
      entry.evaluate((element) => {
        const list = element.closest("nav")?.getBoundingClientRect()
        const { bottom, top } = element.getBoundingClientRect()
        return list !== undefined && top >= list.top && bottom <= list.bottom
      })
    await open("/deliveries")
    await expect.poll(() => entry.textContent()).toBe("Code host deliveries")
    await expect.poll(isInside).toBe(true)
    await open("/connector-accounts")
    await expect.poll(() => entry.textContent()).toBe("Connectors")
  })

  it("opens a skill that the command palette finds by its name", async () => {
    await owner.client.configObjects.create({
      input: { type: "skill", rawSourceText: "---\nname: quokka-review\ndescription: Reviews it.\n---\nReview it." }
    })
    await open("/plugins")
    await page.keyboard.press("Control+k")
    await page.getByRole("combobox", { name: "Page, action or object" }).fill("quokka")
    await page.getByRole("option", { name: "Config object quokka-review skill" }).click()
    await page.getByRole("heading", { level: 1, name: "quokka-review" }).waitFor()
  })

  it("shows the requests of a page as code", async () => {
    await open("/plugins")
    await page.getByRole("button", { name: "Show as code" }).click()
    const dialog = page.getByRole("dialog", { name: "This page as code" })
    const option = dialog.getByRole("option", { name: "plugins.list" })
    await option.waitFor({ state: "attached" })
    await dialog.getByLabel("Request").selectOption({ label: await option.innerText() })
    await dialog.getByRole("tab", { name: "CLI" }).click()
    await expect.poll(() => dialog.locator("pre").innerText()).toContain("orgplane plugins list")
    expect(await dialog.locator("pre").innerText()).toContain(`--organization ${owner.organizationId}`)
    await checkAccessibility(page)
    await page.keyboard.press("Escape")
    await dialog.waitFor({ state: "detached" })
    // A page whose data are still cached sends no request.
    const navigation = page.getByRole("navigation", { name: "Main" })
    await navigation.getByRole("link", { name: "Teams", exact: true }).click()
    await page.getByRole("heading", { level: 1, name: "Teams" }).waitFor()
    await navigation.getByRole("link", { name: "Plugins", exact: true }).click()
    await page.getByRole("heading", { level: 1, name: "Plugins" }).waitFor()
    await page.getByRole("button", { name: "Show as code" }).click()
    await option.waitFor({ state: "attached" })
    await page.keyboard.press("Escape")
    await dialog.waitFor({ state: "detached" })
  })

  it("has an accessible frame that fits at every width in both themes", async () => {
    const other = await viewer(owner)
    await other.open("/plugins")
    for (const [width, colorScheme] of [
      [1280, "light"],
      [1280, "dark"],
      [360, "light"],
      [360, "dark"],
      [2560, "dark"],
      [3840, "light"]
    ] as const) {
      await other.page.setViewportSize({ width, height: 800 })
      await other.page.emulateMedia({ colorScheme })
      await checkAccessibility(other.page)
      await checkWidth(other.page)
      await screenshot(other.page, `plugins-${width}-${colorScheme}`)
    }
  })

  it("asks a person who is not signed in to sign in", async () => {
    const stranger = await viewer()
    await stranger.page.goto("/console/plugins")
    await stranger.page.getByRole("heading", { name: "Sign in to orgplane" }).waitFor()
    await checkAccessibility(stranger.page)
  })

  it("offers a plain member only what they may do", async () => {
    const member = await addMember(plane, owner, "member")
    const { id } = await owner.client.teams.create({ name: "Plain" })
    const other = await viewer(member)
    await other.open("/teams")
    const navigation = other.page.getByRole("navigation", { name: "Main" })
    await navigation.getByRole("link", { name: "Teams" }).waitFor()
    const links = await navigation.getByRole("link").allInnerTexts()
    for (const name of ["Audit", "Single sign-on", "API keys", "Metrics", "Rollouts"]) expect(links).not.toContain(name)
    const buttons = () => other.page.getByRole("main").getByRole("button").allInnerTexts()
    await expect.poll(async () => (await buttons()).includes("Create a team")).toBe(false)
    await other.open(`/teams/${id}`)
    await expect
      .poll(async () => (await buttons()).filter((name) => ["Add members", "Edit", "Remove"].includes(name)))
      .toEqual([])
    // Each page of the sidebar can be read.
    for (const link of links) {
      await navigation.getByRole("link", { name: link, exact: true }).click()
      await loaded(other.page)
      expect(await other.page.getByText("You are not allowed to do this").count(), link).toBe(0)
    }
    await other.page.context().close()
  })

  it("leads only platform administrators to their page", async () => {
    await open("/teams")
    const link = (on: Page) =>
      on.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Platform administration" })
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Audit" }).waitFor()
    expect(await link(page).count()).toBe(0)
    const root = await makeWorkspace(plane, "Root")
    await giveEmail(plane, root, platformAdmin)
    const other = await viewer(root)
    await other.open("/teams")
    await link(other.page).waitFor()
    await other.page.context().close()
  })

  it("shows that a page does not exist", async () => {
    await page.goto("/console/nothing")
    await page.getByText("This page does not exist").waitFor()
  })
})
