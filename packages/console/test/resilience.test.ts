/** The console when something else goes wrong: other tabs, slow and failing networks, and very long lists. */
import type { Page, Route } from "playwright-core"
import { describe, expect, it } from "vitest"
import { giveEmail } from "../../server/test/enterprise/sso.fixture.ts"
import { signIn } from "../../server/test/harness.ts"
import {
  checkAccessibility,
  failOnFaults,
  forgetFaults,
  loaded,
  makeWorkspace,
  runSql,
  startConsole
} from "./harness.ts"

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

  it("asks before a dialog closes with input, and does not close it for a click beside it", async () => {
    const { open, page } = await ownViewer()
    await open("/teams")
    const create = page.getByRole("button", { name: "Create a team" }).first()
    const form = page.getByRole("dialog", { name: "Create a team" })
    const question = page.getByRole("alertdialog", { name: "Close without saving?" })
    const clickBeside = () => page.mouse.click(5, 400)

    await create.click()
    await form.waitFor()
    await clickBeside()
    await form.waitFor({ state: "detached" })
    await create.click()
    await form.waitFor()
    await page.keyboard.press("Escape")
    await form.waitFor({ state: "detached" })

    await create.click()
    const name = form.getByLabel("Name")
    await name.fill("Kept")
    await clickBeside()
    await page.keyboard.press("Escape")
    await question.waitFor()
    await checkAccessibility(page)
    // The first button, which has the focus, keeps the input.
    await page.keyboard.press("Enter")
    await question.waitFor({ state: "detached" })
    await expect.poll(() => form.evaluate((element) => element.contains(document.activeElement))).toBe(true)
    expect(await name.inputValue()).toBe("Kept")
    await page.keyboard.press("Escape")
    await question.waitFor()
    await page.keyboard.press("Escape")
    await question.waitFor({ state: "detached" })
    expect(await name.inputValue()).toBe("Kept")
    await form.getByRole("button", { name: "Close" }).click()
    await question.waitFor()
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await page.locator('[role="dialog"]').waitFor({ state: "detached" })
    await expect.poll(() => create.evaluate((element) => element === document.activeElement)).toBe(true)
    expect((await owner.client.teams.list({ q: "Kept" })).items).toEqual([])
    await page.context().close()
  })

  it("shows that a list and an object are not up to date after a refresh has failed", async () => {
    const { go, open, page } = await ownViewer()
    const { id } = await owner.client.teams.create({ name: "Before" })
    const busy = async (route: Route) =>
      route.request().method() === "GET"
        ? route.fulfill({
            status: 503,
            headers: { "retry-after": "90" },
            json: { error: "unavailable", message: "Busy." }
          })
        : route.continue()
    const notice = page.getByRole("main").getByRole("status").filter({ hasText: "Not up to date" })
    await open("/teams")
    await row(page, "Before").click()
    await heading(page, "Before")
    await page.route(`**/v1/teams/${id}`, busy)
    await page.getByRole("button", { name: "Edit", exact: true }).click()
    const form = page.getByRole("dialog", { name: "Edit the team" })
    await form.getByLabel("Name").fill("Afterwards")
    await form.getByRole("button", { name: "Save" }).click()
    await form.waitFor({ state: "detached" })
    await notice.getByText("The last refresh failed. The data is from this minute.").waitFor()
    await notice.getByText("The server is busy. Try again in 90 seconds.").waitFor()
    await heading(page, "Before")
    await page.unroute(`**/v1/teams/${id}`)
    await notice.getByRole("button", { name: "Try again" }).click()
    await heading(page, "Afterwards")
    expect(await notice.count()).toBe(0)

    let requests = 0
    await page.route("**/v1/teams?*", (route) => {
      requests += 1
      return busy(route)
    })
    await go("/teams")
    await notice.waitFor()
    await row(page, "Before").waitFor()
    await checkAccessibility(page)
    await notice.getByRole("button", { name: "Try again" }).click()
    await expect.poll(() => requests).toBe(2)
    // The frame shows it instead.
    await page.context().setOffline(true)
    await page.getByText("You are offline").waitFor()
    await notice.waitFor({ state: "detached" })
    await page.unroute("**/v1/teams?*")
    await page.context().setOffline(false)
    await row(page, "Afterwards").waitFor()
    await notice.waitFor({ state: "detached" })
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

describe("changes that are not saved", () => {
  /** The questions that the browser shows. The person stays on the page. */
  const questionsOf = (page: Page) => {
    const questions: Array<string> = []
    page.on("dialog", (question) => {
      questions.push(question.message())
      void question.dismiss()
    })
    return questions
  }
  const question = "Your changes are not saved. Continue without them?"

  it("keeps unsaved changes in the editor of a template until the person leaves without them or saves them", async () => {
    const { open, page } = await ownViewer()
    const questions = questionsOf(page)
    await open("/templates/new")
    const above = page.getByRole("link", { name: "← Templates" })
    await above.click()
    await heading(page, "Templates")
    await open("/templates/new")
    // A change without input in a field.
    await page.getByRole("button", { name: "Add a variable" }).click()
    await above.click()
    await expect.poll(() => questions).toEqual([question])
    await page.getByLabel("Name", { exact: true }).fill("Kept")
    await page.getByLabel("Name of the plugin").fill("{{ team }}")
    await above.click()
    await expect.poll(() => questions).toEqual([question, question])
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Kept")
    await page.getByRole("button", { name: "Create the template" }).click()
    await heading(page, "Kept")
    // The tab with this form is selected first.
    await page.getByLabel("Team", { exact: true }).fill("Lost with the tab")
    await page.getByRole("tab", { name: "Content" }).click()
    await expect.poll(() => questions).toEqual([question, question, question])
    page.removeAllListeners("dialog")
    page.once("dialog", (shown) => void shown.accept())
    await page.getByRole("tab", { name: "Content" }).click()
    await page.getByRole("tab", { name: "Content", selected: true }).waitFor()
    await page.context().close()
  })

  it("keeps unsaved changes of the rings while another tab of the page is shown, and asks before it discards them", async () => {
    await owner.client.organizations.create({ name: "Elsewhere" })
    const ring = { name: "Early", teamIds: [], memberIds: [], percent: 10, soakMinutes: 60 } as const
    const rings = [ring, { ...ring, name: "Later" }].map((each) => ({ ...each, promotion: "manual" as const }))
    await owner.client.rollouts.updateSettings({ rings })
    const { open, page } = await ownViewer()
    const questions = questionsOf(page)
    await open("/rings")
    await page.getByRole("button", { name: "Remove Later" }).click()
    const notice = page.getByText("The changes are not saved yet")
    await notice.waitFor()
    await page.getByRole("tab", { name: "Freezes" }).click()
    await notice.waitFor({ state: "detached" })
    await page.getByRole("tab", { name: "Rings" }).click()
    await notice.waitFor()
    expect(await page.getByText("Later", { exact: false }).count()).toBe(0)
    expect(questions).toEqual([])
    const rollouts = page.getByRole("main").getByRole("link", { name: "Rollouts" })
    await rollouts.click()
    await expect.poll(() => questions).toEqual([question])
    const organization = page.getByLabel("Organization", { exact: true })
    const before = await organization.inputValue()
    await organization.selectOption({ label: "Elsewhere" })
    await expect.poll(() => questions).toEqual([question, question])
    expect(await organization.inputValue()).toBe(before)
    await page.getByRole("button", { name: "Sign out" }).click()
    await expect.poll(() => questions).toEqual([question, question, question])
    await notice.waitFor()
    await page.getByRole("button", { name: "Save the rings…" }).click()
    await page.getByRole("button", { name: "Save the rings", exact: true }).click()
    await notice.waitFor({ state: "detached" })
    await page.getByRole("alertdialog").waitFor({ state: "detached" })
    await page.getByRole("tab", { name: "Automatic pauses" }).click()
    await page.getByLabel("Reports that are needed").fill("30")
    // The saved values cannot be read again.
    await page.route("**/v1/rollout-settings", (route) =>
      route.request().method() === "GET" ? route.abort() : route.continue()
    )
    await page.getByRole("button", { name: "Save the thresholds" }).click()
    await page.getByText("The thresholds were saved.").waitFor()
    await rollouts.click()
    await heading(page, "Rollouts")
    expect(questions).toEqual([question, question, question])
    await page.context().close()
  })
})

describe("consequences that cannot be read", () => {
  const impact = "**/v1/teams/*/impact"

  it("keep the button of a removal disabled until they have been read", async () => {
    const { open, page } = await ownViewer()
    await open(`/teams/${team.id}`)
    await page.route(impact, (route) => route.abort())
    await page.getByRole("button", { name: "Remove", exact: true }).click()
    const question = page.getByRole("alertdialog")
    const remove = question.getByRole("button", { name: "Remove the team" })
    await question.getByText("The server cannot be reached").waitFor()
    expect(await remove.isDisabled()).toBe(true)
    await page.unroute(impact)
    await question.getByRole("button", { name: "Try again" }).click()
    await question.getByText("The team has no members.").waitFor()
    await expect.poll(() => remove.isEnabled()).toBe(true)
    await page.context().close()
  })

  it("leave the change possible for a person without the permission to read them", async () => {
    const { open, page } = await ownViewer()
    const forbidden = { status: 403, json: { reason: "permission_required", message: "members:read is required." } }
    await open(`/teams/${team.id}`)
    await page.route(impact, (route) => route.fulfill(forbidden))
    await page.getByRole("button", { name: "Remove", exact: true }).click()
    const question = page.getByRole("alertdialog")
    await question.getByText("The consequences cannot be shown").waitFor()
    await expect.poll(() => question.getByRole("button", { name: "Remove the team" }).isEnabled()).toBe(true)
    await page.context().close()
  })

  it("keep the button of a change of several objects disabled, except for those that are missing or forbidden", async () => {
    const names = ["Doomed one", "Doomed two", "Doomed three"]
    const teams = await Promise.all(names.map((name) => owner.client.teams.create({ name })))
    const { open, page } = await ownViewer()
    await open("/teams?q=Doomed")
    for (const name of names) await row(page, name).getByRole("checkbox", { name: "Select this row" }).check()
    await page.route(impact, (route) => {
      if (
        route
          .request()
          .url()
          .includes(teams[0]?.id ?? "")
      )
        return route.abort()
      return route.continue()
    })
    await page.getByRole("button", { name: "Remove", exact: true }).click()
    const dialog = page.getByRole("dialog", { name: "Remove 3 teams" })
    const remove = dialog.getByRole("button", { name: "Remove 3 teams" })
    await dialog.getByText("The server cannot be reached").waitFor()
    expect(await remove.isDisabled()).toBe(true)
    await page.unroute(impact)
    await page.route(impact, (route) => {
      const url = route.request().url()
      if (url.includes(teams[0]?.id ?? "")) return route.fulfill({ status: 404, json: { error: "not_found" } })
      if (url.includes(teams[1]?.id ?? "")) {
        return route.fulfill({ status: 403, json: { reason: "permission_required", message: "Not you." } })
      }
      return route.continue()
    })
    await dialog.getByRole("button", { name: "Try again" }).click()
    await dialog.getByText("1 of 3 objects cannot be found").waitFor()
    await dialog.getByText("The consequences for 1 of 3 cannot be shown").waitFor()
    await dialog.getByText("The team has no members.").or(dialog.getByText("The teams have no members.")).waitFor()
    await expect.poll(() => remove.isEnabled()).toBe(true)
    await page.context().close()
  })
})

describe("a refusal", () => {
  const refusals = [
    [
      402,
      { error: "enterprise_plan_required", message: "This needs the enterprise plan." },
      "The plan of the organization does not include this",
      ["View the plan of the organization", "Find an owner"]
    ],
    [
      403,
      { error: "forbidden", reason: "session_required", message: "Sign in with an email code to do this." },
      "You are not allowed to do this",
      ["View your sessions"]
    ],
    [
      403,
      { error: "forbidden", reason: "email_mismatch", message: "It is for another address." },
      "You are not allowed to do this",
      ["View the email address of your account"]
    ],
    [
      409,
      { error: "team_exists", message: "A team has this name." },
      "The request conflicts with the current state",
      []
    ],
    [429, { error: "rate_limited", message: "Slow down." }, "Too many requests", []]
  ] as const

  it("shows the cause, the message of the server and links that help, and keeps the input of the form", async () => {
    const { open, page } = await ownViewer()
    await open("/teams?new=true")
    const form = page.getByRole("dialog", { name: "Create a team" })
    await form.getByLabel("Name").fill("Refused")
    for (const [status, json, title, links] of refusals) {
      await page.route("**/v1/teams", (route) => route.fulfill({ status, headers: { "retry-after": "90" }, json }))
      await form.getByRole("button", { name: "Create the team" }).click()
      const failure = form.getByRole("alert").filter({ hasText: title })
      await failure.getByText(status === 429 ? "Try again in 90 seconds." : json.message).waitFor()
      expect(await failure.getByRole("link").allInnerTexts()).toEqual(links)
      expect(await form.getByLabel("Name").inputValue()).toBe("Refused")
      await page.unroute("**/v1/teams")
    }
    await page.context().close()
  })

  it("offers single sign-on again after its dialog was closed", async () => {
    const { open, page } = await ownViewer()
    await open("/teams?new=true")
    const form = page.getByRole("dialog", { name: "Create a team" })
    await form.getByLabel("Name").fill("Refused")
    await page.route("**/v1/teams", (route) =>
      route.fulfill({ status: 403, json: { error: "forbidden", reason: "sso_required", message: "Sign in there." } })
    )
    await form.getByRole("button", { name: "Create the team" }).click()
    const dialog = page.getByRole("dialog", { name: "This organization requires single sign-on" })
    await dialog.getByRole("button", { name: "Close" }).click()
    await dialog.waitFor({ state: "detached" })
    await form.getByRole("button", { name: "Sign in with single sign-on" }).click()
    await dialog.getByRole("button", { name: "Continue with single sign-on" }).waitFor()
    await page.context().close()
  })

  it("overwrites a change of someone else only after the current values were loaded", async () => {
    const { open, page } = await ownViewer()
    const { id } = await owner.client.teams.create({ name: "Contested" })
    await open(`/teams/${id}`)
    await page.getByRole("button", { name: "Edit", exact: true }).click()
    const form = page.getByRole("dialog", { name: "Edit the team" })
    await form.getByLabel("Name").fill("Mine")
    await owner.client.teams.update(id, { name: "Theirs", description: "Their description" })
    const updates: Array<number> = []
    page.on("response", (response) => {
      if (response.request().method() === "PATCH") updates.push(response.status())
    })
    await form.getByRole("button", { name: "Save" }).click()
    await form.getByText("Someone else has changed it").waitFor()
    // The page already shows the change, which is no reason to overwrite it.
    await page.locator("h1").filter({ hasText: "Theirs" }).waitFor()
    await form.getByRole("button", { name: "Save" }).click()
    await expect.poll(() => updates).toEqual([412, 412])
    await form.getByRole("button", { name: "Load again" }).click()
    await form.getByText("The current values are loaded.").waitFor()
    expect(await form.getByLabel("Name").inputValue()).toBe("Mine")
    // What the person has not changed would otherwise undo the change of someone else.
    expect(await form.getByLabel("Description").inputValue()).toBe("Their description")
    await form.getByRole("button", { name: "Save" }).click()
    await heading(page, "Mine")
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
