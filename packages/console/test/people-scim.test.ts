/** SCIM directories: their setup, their requests, the roles of their groups, and deactivations that wait for a decision. */
import { describe, expect, it } from "vitest"
import { makeGroup, makeUser, patchOf } from "../../server/test/enterprise/scim.fixture.ts"
import { makeScimToken } from "../../server/test/harness.ts"
import { checkAccessibility, failOnFaults, makeWorkspace, screenshot, startConsole } from "./harness.ts"

failOnFaults()

const { plane, url, viewer } = await startConsole({ workers: false })
const owner = await makeWorkspace(plane)
/** A text that would run, or leave its place, if a page used it as anything but text. */
const hostile = `<img src=x onerror="document.title='owned'"> javascript:alert(1) ${"unbroken".repeat(8)}`
const { open, page } = await viewer(owner)

const row = (name: string) => page.getByRole("row").filter({ hasText: name })
const dialog = (name: string | RegExp) => page.getByRole("dialog", { name })
const alert = (name: string | RegExp) => page.getByRole("alertdialog", { name })
const button = (name: string | RegExp) => page.getByRole("button", { name, exact: true })
const heading = (name: string) => page.getByRole("heading", { level: 1, name }).waitFor()
const message = (text: string | RegExp) => page.getByRole("region", { name: "Messages" }).getByText(text).waitFor()
const step = (name: string | RegExp) => page.getByRole("region", { name })
/** The states of the steps of the setup, in their order. */
const states = () => page.locator(".people-steps .row.spread:has(h2) .badge").allInnerTexts()

describe("SCIM", () => {
  it("leads through the setup, with a token that is shown once, requests as they arrive, and the role of a group", async () => {
    await open("/scim")
    await page.getByText("No SCIM directories yet").waitFor()
    await button("Create a directory").first().click()
    await dialog("Create a SCIM directory").getByLabel("Name").fill("Okta")
    await button("Create the directory").click()
    const token = await dialog("The token of the directory").getByLabel("Token", { exact: true }).inputValue()
    expect(token).toMatch(/^opd_/)
    const scimUrl = await dialog("The token of the directory")
      .getByLabel(/^SCIM URL/)
      .inputValue()
    await button("Close without copying").click()
    await heading("Okta")
    await page.getByText("Waiting for the first request").waitFor()
    await expect.poll(states).toEqual(["done", "to do", "waiting", "no groups yet", "none pending"])
    expect(
      await step(/^Enter the URL/)
        .getByLabel(/^SCIM URL/)
        .inputValue()
    ).toBe(scimUrl)
    await checkAccessibility(page)

    await page.getByRole("tab", { name: "Log" }).click()
    await page.getByText("No request yet").waitFor()
    const { items } = await owner.client.scim.listDirectories()
    const scim = (method: string, path: string, body?: unknown) =>
      plane
        .fetch(
          new Request(`${url}/v1/scim/v2${path}`, {
            method,
            headers: { authorization: `Bearer ${token}`, "content-type": "application/scim+json" },
            ...(body === undefined ? {} : { body: JSON.stringify(body) })
          })
        )
        .then(async (response) => ({
          status: response.status,
          headers: response.headers,
          text: "",
          body: JSON.parse(await response.text())
        }))
    const directory = { owner, id: items[0]?.id ?? "", token, scim }
    const user = await makeUser(directory, { displayName: hostile })
    await makeGroup(directory, [user.id], "Engineers")
    await row("Engineers").getByText("created").waitFor()
    await row("Engineers").click()
    await dialog("SCIM request").getByText("displayName").first().waitFor()
    await checkAccessibility(page)
    await page.keyboard.press("Escape")
    await screenshot(page, "people-scim-log")
    await page.getByRole("tab", { name: "Setup" }).click()
    await step("Test the connection").getByText("/Groups").waitFor()
    await expect.poll(states).toEqual(["done", "done", "connected", "optional", "none pending"])
    await checkAccessibility(page)
    await screenshot(page, "people-scim-setup")
    await step("Map groups to roles").getByRole("link", { name: "Groups and roles" }).click()

    await page.getByLabel("Role of Engineers").selectOption("admin")
    const change = alert("Change the role of Engineers")
    await change.getByText("1 member of the group gets the role admin, and so do future members.").waitFor()
    await checkAccessibility(page)
    expect((await owner.client.scim.listGroups(directory.id)).items.map(({ role }) => role)).toEqual([null])
    await change.getByRole("button", { name: "Change the role" }).click()
    await message("Members of Engineers now have the new role.")
    await expect.poll(() => page.getByLabel("Role of Engineers").inputValue()).toBe("admin")
    expect(await page.title()).not.toBe("owned")

    await page.getByRole("tab", { name: "Setup" }).click()
    await expect.poll(states).toEqual(["done", "done", "connected", "1 group with a role", "none pending"])
    expect((await scim("POST", "/Groups", { displayName: "Engineers" })).status).toBe(400)
    await expect.poll(async () => (await states())[2]).toBe("refused")
    await step("Test the connection").getByText("refused", { exact: true }).first().waitFor()
  })

  it("asks before it ends many memberships", async () => {
    const { call, directoryId, token } = await makeScimToken(plane, owner)
    const directory = {
      owner,
      id: directoryId,
      token,
      scim: (method: string, path: string, body?: unknown) =>
        call(method, `/v1/scim/v2${path}`, body, { "content-type": "application/scim+json" })
    }
    const users = []
    for (let index = 0; index < 8; index += 1) users.push(await makeUser(directory))
    for (const { id } of users.slice(0, 7)) {
      await directory.scim("PATCH", `/Users/${id}`, patchOf({ op: "replace", value: { active: false } }))
    }
    await open(`/scim/${directoryId}`)
    await expect.poll(async () => (await states())[4]).toBe("pending approval")
    await page.getByRole("link", { name: "Review them" }).click()
    await page.getByText("These members keep their access until you decide").waitFor()
    await checkAccessibility(page)
    await screenshot(page, "people-scim-holds")
    await button("Reject the deactivations").click()
    await alert("Keep 2 members").getByRole("button", { name: "Reject the deactivations" }).click()
    await message("The members were kept.")
    await page.getByText("No deactivation waits for a decision.").waitFor()
    await row("rejected").waitFor()

    await button("Remove").click()
    await dialog("Remove A directory").getByLabel(/^Type/).fill("A directory")
    await button("Remove the directory").click()
    await heading("SCIM directories")
  })
})
