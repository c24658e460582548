/** The frame of the console: navigation, the command palette, the themes, and requests as code. */
import { describe, expect, it } from "vitest"
import { checkAccessibility, checkWidth, failOnFaults, makeWorkspace, screenshot, startConsole } from "./harness.ts"

failOnFaults()

const { plane, viewer } = await startConsole({ workers: false })
const owner = await makeWorkspace(plane)
const { open, page } = await viewer(owner)

describe("the frame of the console", () => {
  it("goes to a page from the command palette, with the keyboard alone", async () => {
    await open("/plugins")
    await page.keyboard.press("Control+k")
    await page.getByRole("combobox", { name: "Page" }).fill("members")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { level: 1, name: "Members" }).waitFor()
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
    await checkAccessibility(page)
    await page.keyboard.press("Escape")
    await dialog.waitFor({ state: "detached" })
  })

  it("is accessible and fits at every width in both themes", async () => {
    const other = await viewer(owner)
    await other.open("/plugins")
    for (const [width, colorScheme] of [
      [1280, "light"],
      [1280, "dark"],
      [360, "light"],
      [360, "dark"],
      [2560, "dark"]
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

  it("shows that a page does not exist", async () => {
    await page.goto("/console/nothing")
    await page.getByText("This page does not exist").waitFor()
  })
})
