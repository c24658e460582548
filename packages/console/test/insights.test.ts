/** Home, metrics, adoption, analytics, dimensions and the telemetry ledger. */
import { text } from "node:stream/consumers"
import { beforeAll, describe, expect, it, vi } from "vitest"
import { anEvent, sendEvents } from "../../server/test/agents/telemetry.fixture.ts"
import { makeRole, platformAdmin, signInByEmail } from "../../server/test/harness.ts"
import { serveReceiver } from "../../server/test/identity/webhook-endpoints.fixture.ts"
import { insights } from "../src/app/pages/insights/area.ts"
import {
  addMember,
  checkAccessibility,
  failOnFaults,
  loaded,
  lookAt,
  makeTeam,
  makeWorkspace,
  runSql,
  screenshot,
  startConsole
} from "./harness.ts"

failOnFaults()

const hostile = `<img src=x onerror="alert(1)">`
const { plane, viewer } = await startConsole({ outbound: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] } })
const owner = await makeWorkspace(plane)
const member = await addMember(plane, owner, "member")
const { open, page } = await viewer(owner)
const figure = (name: string) => page.locator(".figure").filter({ hasText: name }).locator("dd").first()
const region = (name: string) => page.getByRole("region", { name })

const dayMillis = 86_400_000
const daysAgo = (days: number) => new Date(Date.now() - days * dayMillis).toISOString()

beforeAll(async () => {
  await makeTeam(owner, [member], "Platform")
  const model = (value: string, label: string) => ({ dimensions: [{ type: "model", value, label }] })
  await sendEvents(owner, [
    anEvent({ timestamp: daysAgo(40), ...model("small-1", "Small") }),
    anEvent({ timestamp: daysAgo(3), durationMs: 1500, success: true, ...model("small-1", "Small") }),
    anEvent({ timestamp: daysAgo(2), durationMs: 4500, success: false, ...model("large-1", hostile) }),
    anEvent({ type: "no.such.type" })
  ])
  await sendEvents(member, [anEvent({ timestamp: daysAgo(1), source: "worker", ...model("small-1", "Small") })], owner)
  await vi.waitFor(async () => expect((await owner.client.telemetry.adoption()).adoption.activeMembers).toBe(2), {
    timeout: 60_000
  })
})

describe("the home page", () => {
  it("shows the first steps of an empty organization, and that the server is ready", async () => {
    const founder = await makeWorkspace(plane, "New")
    const first = await viewer(founder)
    await first.open("/")
    const steps = first.page.getByRole("region", { name: "First steps" })
    await steps.getByText("0 of 4 done").waitFor()
    await first.page.getByRole("region", { name: "Health" }).getByText("ready", { exact: true }).waitFor()
    await first.page.getByText("Nothing waits for your decision").waitFor()
    await checkAccessibility(first.page)
    await screenshot(first.page, "home-empty")
    await founder.client.plugins.create({ name: "Reviewer" })
    await first.open("/")
    await steps.getByText("1 of 4 done").waitFor()
    expect(await steps.getByRole("link", { name: "Create a plugin" }).count()).toBe(0)
    await steps.getByRole("link", { name: "Invite people" }).click()
    await first.page.waitForURL("**/invitations")
  })

  it("lists what needs attention by severity, and leads to the page that mends it", async () => {
    const receiver = await serveReceiver(() => ({ status: 500 }))
    await owner.client.webhookEndpoints.create({ name: hostile, url: receiver.url })
    const { invitation } = await owner.client.invitations.create({ email: "ada@acme.example", role: "member" })
    await runSql(
      plane,
      (sql) => sql`UPDATE invitations SET created_at = now() - interval '6 days', expires_at = now() + interval '1 day'
        WHERE id = ${invitation.id}`
    )
    await expect.poll(async () => (await owner.client.attention.list({ severity: "failing" })).items.length).toBe(1)
    await open("/")
    await region("Expires soon").getByText("ada@acme.example").waitFor()
    await region("Does not work").getByText(hostile).waitFor()
    await checkAccessibility(page)
    await screenshot(page, "home")
    await region("Does not work")
      .getByRole("link", { name: `See why: ${hostile}` })
      .click()
    await page.getByRole("heading", { level: 1, name: hostile }).waitFor()
  })

  it("asks nothing that a member may not read", async () => {
    const other = await viewer(await addMember(plane, owner, await makeRole(owner, ["plugins:read"])))
    const refused: Array<string> = []
    other.page.on("response", (response) => {
      if (response.status() === 403) refused.push(response.url())
    })
    await other.open("/")
    await other.page.getByRole("region", { name: "Your plugins" }).waitFor()
    await loaded(other.page)
    expect(refused).toEqual([])
    await checkAccessibility(other.page)
  })
})

describe("adoption", () => {
  it("counts active members in a time, by team and by dimension, and keeps the query in the address", async () => {
    await open("/adoption?range=7&dimension=model&compare=true")
    await expect.poll(() => figure("Active").innerText()).toBe("2")
    await region("Active members by team").getByRole("row").filter({ hasText: "Platform" }).waitFor()
    await page.getByText("Active members by model").waitFor()
    await checkAccessibility(page)
    await screenshot(page, "adoption")
    await page.getByLabel("Source").selectOption("worker")
    await expect.poll(() => figure("Active").innerText()).toBe("1")
    expect(new URL(page.url()).searchParams.get("source")).toBe("worker")
    await page.reload()
    await loaded(page)
    await expect.poll(() => figure("Active").innerText()).toBe("1")
    await page.getByText("Show as a table").first().click()
    await page.getByRole("region", { name: "Active members per day" }).getByRole("row").nth(7).waitFor()
  })

  it("shows that there is no activity", async () => {
    await open("/adoption?range=custom&from=2026-01-01&to=2026-01-02")
    await page.getByRole("heading", { name: "No activity in this period" }).waitFor()
  })
})

describe("analytics", () => {
  it("measures events in groups, whose names are text, and exports them", async () => {
    await open("/analytics?measure=durationAverage&group=dimension:model&compare=true")
    const groups = region("Groups as a table")
    await groups.getByText(hostile).waitFor()
    expect(await figure("Average duration").innerText()).toBe("3 s")
    await checkAccessibility(page)
    await screenshot(page, "analytics")
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export CSV" }).click()
    ])
    const lines = (await text(await download.createReadStream())).trim().split("\r\n")
    expect(lines).toHaveLength(31)
    expect(lines[0]).toContain("group small-1")
  })

  it("finds a member by name, and measures only their events", async () => {
    await open("/analytics")
    await page.getByRole("combobox", { name: "Member" }).fill("A member")
    await page.getByRole("listbox", { name: "Member: results" }).getByRole("option").first().waitFor()
    await page.keyboard.press("Enter")
    await page.getByRole("button", { name: "Remove the filter: Member" }).waitFor()
    await expect.poll(() => figure("Events, in total").innerText()).toBe("1")
  })

  it("explains that the plan does not include it", async () => {
    const poor = await makeWorkspace(plane, "Poor")
    const root = await signInByEmail(plane, platformAdmin)
    await root.client.admin.updatePlan(poor.organizationId, { plan: "free" })
    const other = await viewer(poor)
    await other.page.goto("/console/analytics")
    await other.page.getByText("Your plan does not include analytics").waitFor()
    await checkAccessibility(other.page)
  })
})

describe("dimensions and the ledger", () => {
  it("leads from a value to its events", async () => {
    await open("/dimensions?type=model")
    await checkAccessibility(page)
    await page.getByRole("link", { name: hostile }).click()
    await page.getByRole("heading", { level: 1, name: "Analytics" }).waitFor()
    await expect.poll(() => figure("Events, in total").innerText()).toBe("1")
  })

  it("explains why events were dropped", async () => {
    await open("/telemetry")
    const dropped = page.getByRole("row").filter({ hasText: /3.*1/ }).last()
    await dropped.click()
    await page.getByRole("dialog", { name: "A request with events" }).getByText("unknown type of event").waitFor()
    await checkAccessibility(page)
    await screenshot(page, "telemetry-ledger")
    await page.keyboard.press("Escape")
    await page.getByLabel("Request ID").fill("req_that_does_not_exist")
    await page.getByRole("heading", { name: "Nothing matches" }).waitFor()
  })

  it("explains that a member may not read metrics", async () => {
    const other = await viewer(await addMember(plane, owner, await makeRole(owner, ["plugins:read"])))
    await other.page.goto("/console/metrics")
    await other.page.getByText("You are not allowed to do this").first().waitFor()
  })
})

describe("every page of insights", () => {
  it("has accessible pages that fit in both themes and at three widths", async () => {
    await lookAt(await viewer(owner), insights, [
      ["home", "/"],
      ["metrics", "/metrics"],
      ["adoption", "/adoption?compare=true&dimension=model"],
      ["analytics", "/analytics?group=dimension:model"],
      ["dimensions", "/dimensions"],
      ["telemetry", "/telemetry"]
    ])
  })
})
