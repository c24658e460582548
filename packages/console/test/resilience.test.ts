/** The console when something else goes wrong: other tabs, slow and failing networks, and very long lists. */
import type { Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { giveEmail } from "../../server/test/enterprise/sso.fixture.ts"
import { signIn } from "../../server/test/harness.ts"
import { failOnFaults, forgetFaults, loaded, makeWorkspace, runSql, startConsole } from "./harness.ts"

failOnFaults()

const { plane, viewer } = await startConsole({ workers: false })
const owner = await makeWorkspace(plane, "Acme")
await giveEmail(plane, owner, "olga@acme.example")
const team = await owner.client.teams.create({ name: "Platform" })

/** A browser with a session of its own. */
const ownViewer = async () => {
  const { id, token } = await signIn(plane, owner.userId, owner.organizationId)
  return { sessionId: id, ...(await viewer({ ...owner, token })) }
}
const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name }).waitFor()
const row = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name })

/** Holds the requests of a path until they are released. */
const hold = async (page: Page, path: string) => {
  const held = Promise.withResolvers<void>()
  await page.route(path, async (route) => {
    await held.promise
    await route.continue()
  })
  return held.resolve
}

describe("a session that ends in the middle of an edit", () => {
  it("keeps the form, which is saved after the person has signed in again", async () => {
    const { open, page, sessionId } = await ownViewer()
    await open(`/teams/${team.id}`)
    await page.getByRole("button", { name: "Edit", exact: true }).click()
    const form = page.getByRole("dialog", { name: "Edit the team" })
    await form.getByLabel("Name").fill("Platform engineering")
    await owner.client.sessions.revoke(sessionId)
    await form.getByRole("button", { name: "Save" }).click()
    const dialog = page.getByRole("dialog", { name: "Your session has ended" })
    await dialog.getByRole("button", { name: "Send a code" }).click()
    const mails = () => plane.mails.filter(({ to }) => to === "olga@acme.example")
    await expect.poll(() => mails().length).toBe(1)
    await dialog.getByLabel("Code").fill(/code=(\w{8})/.exec(mails()[0]?.text ?? "")?.[1] ?? "")
    await dialog.getByRole("button", { name: "Sign in" }).click()
    await dialog.waitFor({ state: "detached" })
    expect(await form.getByLabel("Name").inputValue()).toBe("Platform engineering")
    await form.getByRole("button", { name: "Save" }).click()
    await heading(page, "Platform engineering")
    await page.context().close()
  })
})

describe("two tabs", () => {
  it("sign out together", async () => {
    const { open, page } = await ownViewer()
    await open("/teams")
    const second = await page.context().newPage()
    await second.goto("/console/teams")
    await heading(second, "Teams")
    await second.route("**/v1/sessions/current", (route) =>
      route.fulfill({ status: 409, json: { error: "conflict", message: "Not now." } })
    )
    await second.getByRole("button", { name: "Sign out" }).click()
    await second.getByText("You are still signed in.").waitFor()
    await second.unroute("**/v1/sessions/current")
    await second.getByRole("button", { name: "Sign out" }).click()
    await page.getByRole("heading", { name: "Sign in to orgplane" }).waitFor()
    expect(await row(page, "Platform").count()).toBe(0)
    await page.context().close()
  })

  it("each stay with their organization, whatever the other switches to", async () => {
    const { id } = await owner.client.organizations.create({ name: "Other works" })
    const { open, page } = await ownViewer()
    await open("/teams?new=true")
    await page.getByLabel("Organization").waitFor()
    const second = await page.context().newPage()
    await second.goto("/console/teams")
    await second.getByLabel("Organization").selectOption({ label: "Other works" })
    await second.getByText("No teams yet").waitFor()
    await page.reload()
    await loaded(page)
    expect(await page.getByLabel("Organization").inputValue()).toBe(owner.organizationId)
    const form = page.getByRole("dialog", { name: "Create a team" })
    await form.getByLabel("Name").fill("Of Acme")
    await form.getByRole("button", { name: "Create the team" }).click()
    await heading(page, "Of Acme")
    await second.reload()
    await second.getByText("No teams yet").waitFor()
    expect(await second.getByLabel("Organization").inputValue()).toBe(id)
    expect((await owner.client.teams.list({ q: "Of Acme" })).items).toHaveLength(1)
    // The team belongs to the organization before.
    await page.getByLabel("Organization").selectOption({ label: "Other works" })
    await heading(page, "Teams")
    await page.getByText("No teams yet").waitFor()
    await page.context().close()
  })
})

describe("a network", () => {
  it("reserves the space of rows on a slow network", async () => {
    const { page } = await ownViewer()
    await page.addInitScript(() => {
      const { moved } = Object.assign(globalThis, { moved: { total: 0 } })
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
          moved.total += (entry as PerformanceEntry & { readonly value: number }).value
        }
      }).observe({ type: "layout-shift", buffered: true })
    })
    const release = await hold(page, "**/v1/teams?*")
    await page.goto("/console/teams")
    await heading(page, "Teams")
    await page.locator('[aria-busy="true"] .skeleton').first().waitFor()
    release()
    await row(page, "Platform").waitFor()
    const moved = await page.evaluate(
      () => (globalThis as unknown as { readonly moved: { readonly total: number } }).moved.total
    )
    // Up to 0.1 counts as good.
    expect(moved).toBeLessThan(0.1)
    await page.context().close()
  })

  it("keeps the loaded page while the network is down, and continues afterwards", async () => {
    const { open, page } = await ownViewer()
    await open("/teams")
    await page.context().setOffline(true)
    await page.getByText("You are offline").waitFor()
    await row(page, "Platform").waitFor()
    await page.context().setOffline(false)
    await page.getByText("You are offline").waitFor({ state: "detached" })
    await page.getByRole("link", { name: "Roles" }).click()
    await heading(page, "Roles")
    await page.context().close()
  })

  it("shows inside the frame that a page cannot be loaded offline, and loads it when the browser is online again", async () => {
    const { open, page } = await ownViewer()
    await open("/teams")
    for (const name of ["Roles", "API keys"]) {
      await page.context().setOffline(true)
      await page.getByRole("link", { name }).click()
      await page.getByText("The page could not be loaded").waitFor()
      await page.getByRole("navigation", { name: "Main" }).waitFor()
      await page.context().setOffline(false)
      await heading(page, name)
      await loaded(page)
    }
    await page.context().close()
    forgetFaults()
  })

  it("loads a page whose code was missing with each retry, also after the document was loaded again", async () => {
    const { open, page } = await ownViewer()
    for (const [name, file] of [
      ["Roles", "**/roles-*.js"],
      ["Roles", "**/roles-*.js"],
      ["API keys", "**/api-keys-*.js"]
    ] as const) {
      await open("/teams")
      await page.route(file, (route) => route.abort())
      await page.getByRole("link", { name }).click()
      await page.getByText("The page could not be loaded").waitFor()
      await page.unroute(file)
      await page.getByRole("button", { name: "Try again" }).click()
      await heading(page, name)
    }
    await page.context().close()
    forgetFaults()
  })

  it("offers to load a page again after a network failure", async () => {
    const { open, page } = await ownViewer()
    await open("/roles")
    await page.route("**/v1/teams?*", (route) => route.abort())
    await page.getByRole("link", { name: "Teams" }).click()
    await page.getByText("The server cannot be reached").waitFor()
    await page.getByText("The server does not respond").waitFor()
    await page.unroute("**/v1/teams?*")
    await page.getByRole("button", { name: "Try again" }).click()
    await row(page, "Platform").waitFor()
    await page.getByText("The server does not respond").waitFor({ state: "detached" })
    await page.context().close()
  })

  it("shows the failure of a page inside the frame, and loads the page again", async () => {
    const { open, page } = await ownViewer()
    await open("/roles")
    await page.route("**/v1/teams?*", (route) => route.fulfill({ json: { items: [null], nextCursor: null } }))
    await page.getByRole("link", { name: "Teams" }).click()
    await page.getByText("Something went wrong").waitFor()
    await page.unroute("**/v1/teams?*")
    await page.getByRole("button", { name: "Try again" }).click()
    await row(page, "Platform").waitFor()
    forgetFaults()
    await page.context().close()
  })

  it("keeps a dialog open until its change has ended, and forgets the failure when it closes", async () => {
    const { open, page } = await ownViewer()
    await open(`/teams/${team.id}`)
    const release = Promise.withResolvers<void>()
    await page.route(`**/v1/teams/${team.id}`, async (route) => {
      if (route.request().method() !== "DELETE") return route.continue()
      await release.promise
      await route.fulfill({ status: 409, json: { error: "conflict", message: "The team is in use." } })
    })
    const question = page.getByRole("alertdialog")
    await page.getByRole("button", { name: "Remove", exact: true }).click()
    await question.getByText("The team has no members.").waitFor()
    await question.getByRole("button", { name: "Remove the team" }).click()
    await page.keyboard.press("Escape")
    release.resolve()
    await question.getByText("The team is in use.").waitFor()
    await question.getByRole("button", { name: "Cancel" }).click()
    await question.waitFor({ state: "detached" })
    await page.getByRole("button", { name: "Remove", exact: true }).click()
    await question.getByText("The team has no members.").waitFor()
    expect(await question.getByText("The team is in use.").count()).toBe(0)
    await page.context().close()
  })

  it("retries after the delay that a busy server requests", async () => {
    const { open, page } = await ownViewer()
    await open("/roles")
    let requests = 0
    const busy = (seconds: string) => ({
      status: 503,
      headers: { "retry-after": seconds, "x-request-id": "req_busy" },
      json: { error: "unavailable", message: "Busy." }
    })
    await page.route("**/v1/teams?*", (route) => {
      requests += 1
      return requests === 1 ? route.fulfill(busy("1")) : requests === 2 ? route.fulfill(busy("90")) : route.continue()
    })
    await page.getByRole("link", { name: "Teams" }).click()
    await page.getByText("Try again in 90 seconds.").waitFor()
    await page.getByText("The page tries again every 90 seconds.").waitFor()
    await page.getByText("req_busy").waitFor()
    expect(requests).toBe(2)
    await page.getByRole("button", { name: "Try again" }).click()
    await row(page, "Platform").waitFor()
    await page.context().close()
  })
})

describe("a very long list", () => {
  it("renders only the visible rows of a list with 50,000 rows", async () => {
    const large = await makeWorkspace(plane, "Large")
    await runSql(
      plane,
      (sql) => sql`INSERT INTO teams (organization_id, id, name, created_at, updated_at)
        SELECT ${large.organizationId}, 'tem_' || lpad(n::text, 26, '0'), 'Team ' || n, now(), now()
        FROM generate_series(1, 50000) n`
    )
    const { open, page } = await viewer(large)
    await open("/teams")
    const rows = page.locator('[role="row"][data-index]')
    await rows.first().focus()
    for (let last = 49; last < 300; last += 100) {
      await page.keyboard.press("End")
      await page.locator(`[data-index="${last}"]`).waitFor()
      // The next rows are loaded before the person reaches the end.
      await expect
        .poll(() => page.locator(".table-body").evaluate((body) => body.clientHeight / 45))
        .toBeGreaterThan(last + 1)
    }
    expect(await rows.count()).toBeLessThan(60)
    await page.keyboard.press("Home")
    await page.locator('[data-index="0"]').waitFor()
    await page.keyboard.press("End")
    await expect.poll(() => page.locator("[data-index]:focus").getAttribute("data-index")).not.toBe("0")
    const search = page.getByRole("searchbox", { name: "Search teams" })
    await search.fill("Team 49999")
    await expect.poll(() => rows.count()).toBe(1)
    // The row that had the focus is gone. Tab still leads to the rows.
    expect(await rows.first().getAttribute("tabindex")).toBe("0")
    // A link to the whole list also empties the search.
    await page.getByRole("link", { name: "Teams" }).click()
    await expect.poll(() => rows.count()).toBeGreaterThan(1)
    expect(await search.inputValue()).toBe("")
    expect(new URL(page.url()).search).toBe("")
    await page.context().close()
  })
})
