/** The audit log, webhook endpoints, event streams, configuration as code, and platform administration. */
import { text as textOf } from "node:stream/consumers"
import * as Effect from "effect/Effect"
import type { Request } from "playwright-core"
import { describe, expect, it } from "vitest"
import { commit } from "../../../test/fixtures/git.ts"
import { platformAdmin, signInByEmail } from "../../server/test/harness.ts"
import { serveReceiver } from "../../server/test/identity/webhook-endpoints.fixture.ts"
import { makeDelivery } from "../../server/test/infra/webhook-delivery.ts"
import { ended, repositoryWith, setSource, teams } from "../../server/test/operations/configuration-source.fixture.ts"
import { operations } from "../src/app/pages/operations/area.ts"
import {
  addMember,
  checkAccessibility,
  failOnFaults,
  lookAt,
  lookAtOpen,
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
const { open, page } = await viewer(owner)
const row = (text: string) => page.getByRole("row").filter({ hasText: text })
const dialog = (name: string | RegExp) => page.getByRole("dialog", { name })
const fact = (name: string) => page.locator("dt", { hasText: name }).locator("xpath=following-sibling::dd[1]")

const sealed = () => expect.poll(async () => (await owner.client.audit.verify()).eventCount).toBeGreaterThan(0)

/** Changes an event as someone could who has access to the database. */
const tamper = (statement: string) =>
  runSql(plane, (sql) =>
    Effect.gen(function* () {
      yield* sql.unsafe("ALTER TABLE audit_events DISABLE TRIGGER USER")
      yield* sql.unsafe(statement)
      yield* sql.unsafe("ALTER TABLE audit_events ENABLE TRIGGER USER")
    })
  )

describe("the audit log", () => {
  it("filters by action and by object, and shows what was before and after", async () => {
    const teamId = await makeTeam(owner, [], hostile)
    await owner.client.teams.update(teamId, { description: "Runs the control plane" })
    await open("/audit?action=team.update")
    await row("team.update").waitFor()
    expect(await row("team.create").count()).toBe(0)
    await row("team.update").getByText(hostile).waitFor()
    await checkAccessibility(page)
    await row("team.update").click()
    await dialog("team.update").getByRole("region", { name: "Before and after" }).waitFor()
    await checkAccessibility(page)
    await screenshot(page, "audit-change")
    await dialog("team.update").getByRole("button", { name: "Changes of this object" }).click()
    await page.getByRole("button", { name: "Clear the filters" }).waitFor()
    expect(new URL(page.url()).searchParams.get("targetId")).toBe(teamId)
    await page.getByRole("button", { name: "Remove the filter: Object" }).waitFor()
    await page.getByLabel("Action").fill("")
    await row("team.create").waitFor()
  })

  it("opens the event of a link, and explains a link to an event that does not exist", async () => {
    const teamId = await makeTeam(owner, [], "Linked team")
    const { items } = await owner.client.audit.list({ targetId: teamId, limit: 1 })
    const id = items[0]?.id ?? ""
    // An event that is not sealed yet has its page, with the address and the program of the request.
    await open(`/audit?event=${id}`)
    await dialog("team.create").getByText("Linked team").first().waitFor()
    await dialog("team.create").locator("dt", { hasText: "Program" }).waitFor()
    const stranger = await makeWorkspace(plane)
    await makeTeam(stranger, [], "Elsewhere")
    const [other] = (await stranger.client.audit.list({ limit: 1 })).items
    await open(`/audit?event=${other?.id ?? ""}`)
    await page.getByText("Not found").waitFor()
    expect(await page.getByRole("dialog").count()).toBe(0)
  })

  it("names actors and objects with one request for a page of events", async () => {
    const policy = await owner.client.desktopPolicies.create({
      policyName: "Quiet releases",
      policy: { allowAlphaUpdates: false }
    })
    await makeTeam(owner, [], "Named in the log")
    const newest = async () => (await owner.client.audit.list({ action: "team.create", limit: 1 })).items[0]
    // Events that are not sealed yet are not in the feed.
    await expect.poll(async () => (await newest())?.sequence, { interval: 200 }).toBeTypeOf("number")
    const requests: Array<string> = []
    const record = (request: Request) => void requests.push(new URL(request.url()).pathname)
    page.on("request", record)
    await open("/audit")
    await row("desktop_policy.create").getByText("Quiet releases").waitFor()
    await row("team.create").first().getByText("Named in the log").waitFor()
    page.off("request", record)
    expect(requests.filter((path) => path.endsWith("/v1/events"))).toHaveLength(1)
    expect(requests.filter((path) => path.includes("/v1/teams/"))).toEqual([])
    await row("desktop_policy.create").click()
    await dialog("desktop_policy.create").getByRole("link", { name: "Quiet releases" }).waitFor()
    await owner.client.desktopPolicies.remove(policy.id)
  })

  it("says when nothing matches", async () => {
    await open("/audit?action=nothing.happened")
    await page.getByRole("heading", { name: "Nothing matches" }).waitFor()
  })

  it("shows events as they happen, and none is missing after a pause", async () => {
    await open("/audit?tab=live")
    await page.getByText("Live", { exact: true }).last().waitFor()
    const live = page.getByRole("region", { name: "Live events" })
    await makeTeam(owner, [], "First live team")
    await live.getByText("First live team").waitFor()
    await checkAccessibility(page)
    await screenshot(page, "audit-live")
    await page.getByRole("button", { name: "Pause" }).click()
    await page.getByText("Paused").waitFor()
    await makeTeam(owner, [], "Second live team")
    await page.getByRole("button", { name: "Resume" }).click()
    await live.getByText("Second live team").waitFor()
    expect(await live.getByText("First live team").count()).toBe(1)
    await live.getByRole("button", { name: "team.create" }).first().click()
    await dialog("team.create").getByText("Second live team").waitFor()
    await page.keyboard.press("Escape")
    await page.getByLabel("Action", { exact: true }).fill("plugin.create")
    await live.getByText("No events yet").waitFor()
  })

  it("exports the events that match the filters", async () => {
    await open("/audit?action=team.create")
    await page.getByRole("button", { name: "Export…" }).click()
    await dialog("Export the audit log").getByLabel("Format").selectOption("csv")
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export the events" }).click()
    ])
    const text = await textOf(await download.createReadStream())
    expect(download.suggestedFilename()).toMatch(/^audit-[\d-]+\.csv$/)
    expect(text.trim().split("\n").length).toBeGreaterThan(3)
    expect(text).not.toContain("team.update")
  })

  it("verifies the chain, and shows where it was changed", async () => {
    await sealed()
    await open("/audit?tab=integrity")
    await page.getByRole("button", { name: "Verify now" }).click()
    await page.getByText("The audit log is intact").waitFor()
    await checkAccessibility(page)
    await screenshot(page, "audit-integrity")
    await tamper(
      `UPDATE audit_events SET actor_id = 'om_other' WHERE organization_id = '${owner.organizationId}' AND sequence = 2`
    )
    await page.getByRole("button", { name: "Verify now" }).click()
    await page.getByText("The audit log was changed").waitFor()
    await page.getByRole("list", { name: "The chain of events" }).getByText("Event 2").waitFor()
  })

  it("explains that a member may not read it", async () => {
    const member = await viewer(await addMember(plane, owner, "member"))
    await member.page.goto("/console/audit")
    const refusal = member.page.getByRole("alert").filter({ hasText: "You are not allowed to do this" })
    await refusal.getByRole("link", { name: "Find an administrator" }).waitFor()
    const [opened] = await Promise.all([
      member.page.context().waitForEvent("page"),
      refusal.getByRole("link", { name: "See what you are allowed to do" }).click()
    ])
    await opened.getByRole("heading", { level: 1 }).waitFor()
    expect(new URL(opened.url()).pathname).toBe("/console/me")
    const own = opened.getByRole("region", { name: "Your permissions" })
    await own.getByRole("listitem").filter({ hasText: "Plugins" }).getByText("read", { exact: true }).waitFor()
    expect(await own.getByRole("listitem").filter({ hasText: "Audit" }).count()).toBe(0)
    await checkAccessibility(opened)
    await checkAccessibility(member.page)
  })
})

describe("webhook endpoints", () => {
  it("creates one whose secret is shown once, tests it, and shows a delivery with its response", async () => {
    const receiver = await serveReceiver(() => ({ status: 200, body: hostile }))
    await open("/webhook-endpoints")
    await page.getByRole("heading", { name: "No webhook endpoints yet" }).waitFor()
    await checkAccessibility(page)
    await page.getByRole("button", { name: "Create a webhook endpoint" }).first().click()
    const form = dialog("Create a webhook endpoint")
    await form.getByLabel("Name").fill(hostile)
    await form.getByLabel("URL").fill(receiver.url)
    await form.getByLabel("All events").uncheck()
    await form.getByLabel("team.*", { exact: true }).check()
    await checkAccessibility(page)
    await screenshot(page, "webhook-create")
    await form.getByRole("button", { name: "Create the endpoint" }).click()
    const created = dialog("The secret of the endpoint")
    const secret = await created.getByLabel("Secret", { exact: true }).inputValue()
    expect(secret).toMatch(/^whsec_/)
    await checkAccessibility(page)
    await page.keyboard.press("Escape")
    await created.getByText("You have not copied it yet").waitFor()
    await created.getByRole("button", { name: "Close without copying" }).click()
    await page.getByRole("heading", { level: 1, name: hostile }).waitFor()
    expect(await page.content()).not.toContain(secret)

    await page.getByRole("button", { name: "Send a test" }).click()
    await dialog("The test").getByText("HTTP 200").waitFor()
    await dialog("The test").getByText(hostile).waitFor()
    await page.keyboard.press("Escape")
    await makeTeam(owner, [], "A delivered team")
    await row("team.create").getByText("delivered").waitFor()
    await checkAccessibility(page)
    await screenshot(page, "webhook-endpoint")
    await row("team.create").click()
    await page.getByLabel("Request body").getByText("A delivered team").waitFor()
    await page.getByRole("region", { name: "Attempt 1" }).getByText("HTTP 200").waitFor()
    await lookAtOpen(page, "webhook-message")
    const count = receiver.received.length
    await page.getByRole("button", { name: "Redeliver" }).click()
    await expect.poll(() => receiver.received.length).toBeGreaterThan(count)
  })

  it("pauses, resumes, rotates the secret of and removes an endpoint", async () => {
    const receiver = await serveReceiver()
    const { item } = await owner.client.webhookEndpoints.create({ name: "Deployments", url: receiver.url })
    await open(`/webhook-endpoints/${item.id}`)
    await page.getByRole("button", { name: "Pause" }).click()
    await page.getByText("The endpoint is paused").waitFor()
    await page.getByRole("button", { name: "Resume…" }).click()
    await dialog("Resume the endpoint").getByLabel("Pending events").selectOption("true")
    await page.getByRole("button", { name: "Resume the endpoint" }).click()
    await page.getByText("The endpoint is paused").waitFor({ state: "detached" })
    await page.getByRole("button", { name: "Rotate the secret…" }).click()
    await dialog("Rotate the secret").getByRole("button", { name: "Rotate the secret" }).click()
    expect(await page.getByLabel("Secret", { exact: true }).inputValue()).toMatch(/^whsec_/)
    await page.getByRole("button", { name: "Close without copying" }).click()
    await page.getByRole("button", { name: "Edit" }).click()
    await dialog("Edit the webhook endpoint").getByLabel("Name").fill("Releases")
    await page.getByRole("button", { name: "Save the changes" }).click()
    await page.getByRole("heading", { level: 1, name: "Releases" }).waitFor()
    await page.getByRole("button", { name: "Remove…" }).click()
    const question = page.getByRole("alertdialog", { name: "Remove Releases?" })
    await question.getByText("receives no further events").waitFor()
    await checkAccessibility(page)
    await question.getByRole("button", { name: "Remove the endpoint" }).click()
    await page.getByRole("heading", { level: 1, name: "Webhook endpoints" }).waitFor()
    await row("Releases").waitFor({ state: "detached" })
  })

  it("shows the problem of a field, and keeps what was typed", async () => {
    await open("/webhook-endpoints")
    await page.getByRole("button", { name: "Create a webhook endpoint" }).first().click()
    const form = dialog("Create a webhook endpoint")
    await form.getByLabel("Name").fill("Metadata")
    await form.getByLabel("URL").fill("ftp://hooks.example/events")
    await form.getByRole("button", { name: "Create the endpoint" }).click()
    await form.locator(".problem, .notice").first().waitFor()
    expect(await form.getByLabel("Name").inputValue()).toBe("Metadata")
    await page.keyboard.press("Escape")
  })
})

describe("event streams", () => {
  it("creates one, shows that a test failed, changes it and removes it", async () => {
    const receiver = await serveReceiver(() => ({ status: 503 }))
    await open("/event-streams")
    await page.getByRole("heading", { name: "No event streams yet" }).waitFor()
    await page.getByRole("button", { name: "Create an event stream" }).first().click()
    const form = dialog("Create an event stream")
    await form.getByLabel("Name").fill("SIEM")
    await form.getByLabel("URL").fill(receiver.url)
    await form.getByLabel("Token (optional)").fill("a token of a test")
    await checkAccessibility(page)
    await form.getByRole("button", { name: "Create the stream" }).click()
    await page.getByRole("heading", { level: 1, name: "SIEM" }).waitFor()
    await makeTeam(owner, [], "Streamed team")
    await page.getByText("The last delivery failed").waitFor()
    await page.getByRole("button", { name: "Send a test" }).click()
    await page.getByText(/did not accept the test: HTTP 503/).waitFor()
    await lookAtOpen(page, "event-stream")
    receiver.respond = () => ({ status: 204 })
    await page.getByRole("button", { name: "Retry now" }).click()
    await page.getByText("The last delivery failed").waitFor({ state: "detached" })
    await page.getByRole("button", { name: "Show as code" }).click()
    expect(await dialog("This page as code").innerText()).not.toContain("a token of a test")
    await page.keyboard.press("Escape")
    await page.getByRole("button", { name: "Edit" }).click()
    await dialog("Edit the event stream").getByLabel("Name").fill("Security")
    await page.getByRole("button", { name: "Save the changes" }).click()
    await page.getByRole("heading", { level: 1, name: "Security" }).waitFor()
    expect(await fact("Secret").innerText()).toContain("set")
    await page.getByRole("button", { name: "Remove…" }).click()
    await page.getByRole("alertdialog").getByRole("button", { name: "Remove the stream" }).click()
    await page.getByRole("heading", { name: "No event streams yet" }).waitFor()
  })

  it("overwrites a change of someone else only after the current values were loaded", async () => {
    const { eventStreams } = owner.client
    const url = "https://logs.example/events"
    const { id } = await eventStreams.create({ name: "Contested", destination: { kind: "https", url } })
    await open(`/event-streams/${id}`)
    await page.getByRole("button", { name: "Edit" }).click()
    const form = dialog("Edit the event stream")
    await form.getByLabel("Name").fill("Mine")
    await form.getByLabel("Token (optional)").fill("typed for the old destination")
    const moved = { kind: "https", url: "https://theirs.example/events", token: "a token of theirs" } as const
    await eventStreams.update(id, { name: "Theirs", destination: moved })
    // The page loads the change by itself, which is no reason to overwrite it.
    await page.locator("h1").filter({ hasText: "Theirs" }).waitFor()
    const save = form.getByRole("button", { name: "Save the changes" })
    await save.click()
    await form.getByText("Someone else has changed it").waitFor()
    expect((await eventStreams.get(id)).name).toBe("Theirs")
    await form.getByRole("button", { name: "Load again" }).click()
    await form.getByText("The current values are loaded.").waitFor()
    expect(await form.getByLabel("Name").inputValue()).toBe("Mine")
    expect(await form.getByLabel("URL").inputValue()).toBe(moved.url)
    expect(await form.getByLabel("Token (optional)").inputValue()).toBe("")
    await save.click()
    await page.getByRole("heading", { level: 1, name: "Mine" }).waitFor()
    const { destination, hasSecret, name } = await eventStreams.get(id)
    expect({ destination, hasSecret, name }).toMatchObject({
      name: "Mine",
      hasSecret: true,
      destination: { url: moved.url }
    })
    await eventStreams.remove(id)
  })
})

describe("the search of a list", () => {
  it("finds objects by name, together with a filter, and shows all again", async () => {
    const person = await makeWorkspace(plane)
    for (const name of ["Deploy 100%", "Deploy 1000"]) {
      await person.client.webhookEndpoints.create({ name, url: "https://hooks.example/events" })
      const { apiKey } = await person.client.apiKeys.create({ name: `${name} key`, permissions: [] })
      await person.client.apiKeys.revoke(apiKey.id)
    }
    await person.client.apiKeys.create({ name: "Deploy 100% now", permissions: [] })
    const its = await viewer(person)
    const named = (name: string) =>
      its.page.getByRole("row").filter({ has: its.page.getByTitle(name, { exact: true }) })
    await its.open("/webhook-endpoints")
    await named("Deploy 1000").waitFor()
    await its.page.getByRole("searchbox", { name: "Search webhook endpoints" }).fill("deploy 100%")
    await named("Deploy 1000").waitFor({ state: "detached" })
    await named("Deploy 100%").waitFor()
    await checkAccessibility(its.page)
    await its.page.getByRole("searchbox").fill("HOOKS.example")
    await named("Deploy 1000").waitFor()

    await its.open("/api-keys?revoked=true")
    await named("Deploy 1000 key").waitFor()
    await its.page.getByRole("searchbox", { name: "Search API keys" }).fill("100%")
    await named("Deploy 1000 key").waitFor({ state: "detached" })
    await named("Deploy 100% key").waitFor()
    expect(await named("Deploy 100% now").count()).toBe(0)
    await its.page.getByRole("combobox", { name: "Status" }).selectOption("false")
    await named("Deploy 100% now").waitFor()
    await its.page.getByRole("searchbox").fill("no such key")
    await its.page.getByRole("heading", { name: "Nothing matches" }).waitFor()
    await its.page.getByRole("button", { name: "Show all" }).click()
    await named("Deploy 100% now").waitFor()
    expect(await its.page.getByRole("searchbox").inputValue()).toBe("")
    await its.page.context().close()
  })

  it.each([
    "/approvals",
    "/assignments",
    "/connector-accounts",
    "/event-streams",
    "/roles",
    "/rollouts",
    "/scim",
    "/workers"
  ])("sends the text to the server: %s", async (path) => {
    await open(path)
    const sent = page.waitForRequest((request) => new URL(request.url()).searchParams.get("q") === "none")
    await page.getByRole("searchbox").fill("none")
    expect((await (await sent).response())?.status()).toBe(200)
    await page.getByRole("heading", { name: "Nothing matches" }).waitFor()
  })
})

describe("configuration as code", () => {
  const keys = ["a", "b", "c", "d", "e", "f", "g"]
  const document = (names: ReadonlyArray<string>) => `${teams(...names)}prune: { teams: true }\n`

  it("shows the removals of a run that is pending approval, and applies it", async () => {
    const configured = await repositoryWith(plane, { "orgplane.yaml": document(keys) })
    const configurer = await viewer(configured.owner)
    await configurer.open("/configuration?tab=source")
    await configurer.page.getByRole("heading", { name: "No configuration source yet" }).waitFor()
    await configurer.page.getByRole("button", { name: "Set the source" }).click()
    const form = configurer.page.getByRole("dialog", { name: "Set the configuration source" })
    await form.getByLabel("Repository", { exact: true }).fill(configured.instance.name.slice(0, 3))
    await configurer.page.getByRole("option", { name: configured.instance.name }).click()
    await form.getByLabel("Mode").selectOption("apply")
    await checkAccessibility(configurer.page)
    await form.getByRole("button", { name: "Set the source" }).click()
    await configurer.page.getByRole("button", { name: "Run now" }).waitFor()
    await ended(configured.owner, 1)
    commit(configured.dir, { "orgplane.yaml": document(["a"]) })
    await screenshot(configurer.page, "configuration-source")
    await configurer.page.getByRole("button", { name: "Run now" }).click()
    await configurer.page.getByText("This run is pending approval").waitFor()
    await lookAtOpen(configurer.page, "configuration-run")
    await configurer.page.getByRole("button", { name: "Approve…" }).click()
    const question = configurer.page.getByRole("alertdialog", { name: "Approve this run?" })
    await question.getByText("Team b").waitFor()
    await question.getByRole("button", { name: "Approve the run" }).click()
    await configurer.page.locator("dd").getByText("applied", { exact: true }).waitFor()
    await configurer.open("/configuration")
    await configurer.page.getByRole("row").filter({ hasText: "applied" }).first().waitFor()
    await checkAccessibility(configurer.page)
  })

  it("rejects a run with a comment, and shows the problems of a failed one", async () => {
    const configured = await repositoryWith(plane, { "orgplane.yaml": document(keys) })
    await setSource(configured, { path: "orgplane.yaml" })
    await ended(configured.owner, 1)
    commit(configured.dir, { "orgplane.yaml": document(["a"]) })
    await configured.owner.client.configurationSource.run()
    const held = await ended(configured.owner, 2)
    const other = await viewer(configured.owner)
    await other.open(`/configuration/runs/${held.id}`)
    await other.page.getByRole("button", { name: "Reject…" }).click()
    await other.page.getByLabel("Comment (optional)").fill(hostile)
    await other.page.getByRole("button", { name: "Reject the run" }).click()
    await other.page.locator("dd").getByText(hostile).waitFor()
    commit(configured.dir, { "orgplane.yaml": "version: 1\nteams:\n  - key: x\n" })
    await configured.owner.client.configurationSource.run()
    const failed = await ended(configured.owner, 3)
    await other.open(`/configuration/runs/${failed.id}`)
    await other.page.getByText("Nothing was changed").waitFor()
    await other.page.getByText("orgplane.yaml:3").waitFor()
    await lookAtOpen(other.page, "configuration-problems")
  })

  it("exports the kinds that are selected", async () => {
    await open("/configuration?tab=export&kinds=teams")
    await page.getByRole("button", { name: "Show the document" }).click()
    await expect.poll(() => page.getByLabel("Configuration document").innerText()).toContain('"teams"')
    await checkAccessibility(page)
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save as orgplane.json" }).click()
    ])
    const saved: unknown = JSON.parse(await textOf(await download.createReadStream()))
    expect(saved).toMatchObject({ version: 1, teams: expect.arrayContaining([]) })
  })
})

describe("the deliveries of the code host", () => {
  it("finds deliveries by status, explains why they queued no sync, and processes them again", async () => {
    await open("/deliveries")
    await page.getByRole("heading", { name: "No code host deliveries yet" }).waitFor()
    await checkAccessibility(page)
    const deliveryId = await makeDelivery(plane, owner)
    await runSql(
      plane,
      (
        sql
      ) => sql`UPDATE webhook_deliveries SET facts_json = jsonb_set(facts_json, '{ref}', ${sql.json(`refs/heads/${hostile}`)})
        WHERE id = ${deliveryId}`
    )
    await open("/deliveries?status=accepted")
    await page.getByRole("heading", { name: "Nothing matches" }).waitFor()
    await page.getByLabel("Status").selectOption("ignored")
    await row("acme/plugins").getByText(hostile).waitFor()
    await checkAccessibility(page)
    await row("acme/plugins").click()
    await page.getByRole("heading", { level: 1, name: "Delivery of push" }).waitFor()
    await page.getByText("no connector follows this branch").waitFor()
    await page.getByText(hostile).waitFor()
    await lookAtOpen(page, "delivery")
    await page.getByRole("button", { name: "Process it again" }).click()
    await page.getByText("The delivery was processed again.").waitFor()
    await expect.poll(() => fact("Processed again").innerText()).toBe("1")
  })

  it("processes the selected deliveries again, the oldest first, and lists those that failed", async () => {
    const first = await makeDelivery(plane, owner)
    const second = await makeDelivery(plane, owner)
    const uninstalled = { event: "installation", action: "deleted", installationId: "7", ref: null }
    await runSql(
      plane,
      (
        sql
      ) => sql`UPDATE webhook_deliveries SET event = 'installation', facts_json = facts_json || ${sql.json(uninstalled)}
        WHERE id = ${second}`
    )
    const processed: Array<string | undefined> = []
    page.on("request", (request) => {
      const id = /webhook-deliveries\/(\w+)\/redeliver$/.exec(new URL(request.url()).pathname)?.[1]
      if (id !== undefined) processed.push(id)
    })
    const ask = async () => {
      await row("acme/plugins").nth(0).getByRole("checkbox").check()
      await row("acme/plugins").nth(1).getByRole("checkbox").check()
      await page.getByRole("toolbar").getByRole("button", { name: "Process again" }).click()
    }
    const question = dialog("Process 2 deliveries again")
    const start = question.getByRole("button", { name: "Process 2 deliveries again" })
    await open("/deliveries")
    await ask()
    await question.getByText("Each connector that follows one of the branches syncs it.").waitFor()
    await question.getByText("1 delivery reports that the code host took away access").waitFor()
    await checkAccessibility(page)
    await start.click()
    await question.getByText("2 deliveries were processed again.").waitFor()
    expect(processed).toEqual([first, second])
    for (const id of [first, second]) {
      expect((await owner.client.webhooks.getDelivery(id)).redeliveryCount).toBe(1)
    }
    await question.getByRole("button", { name: "Done" }).click()
    await question.waitFor({ state: "detached" })

    await page.route(`**/v1/webhook-deliveries/${first}/redeliver`, (route) =>
      route.fulfill({ status: 409, json: { error: "conflict", message: "The delivery cannot be processed." } })
    )
    await ask()
    await start.click()
    await question.getByText("1 delivery was processed again.").waitFor()
    await question.getByRole("list", { name: "Problems" }).getByText("push, acme/plugins, main").waitFor()
    await page.unrouteAll()
    expect((await owner.client.webhooks.getDelivery(second)).redeliveryCount).toBe(2)
    await question.getByRole("button", { name: "Done" }).click()
    await question.waitFor({ state: "detached" })
  })
})

describe("platform administration", () => {
  it("lists organizations and users, and changes a plan", async () => {
    const root = await signInByEmail(plane, platformAdmin)
    await root.client.organizations.create({ name: "Operators" })
    const operator = await viewer(root)
    await operator.open("/platform?q=Acme")
    await operator.page.getByRole("button", { name: "Change the plan of Acme" }).first().click()
    await operator.page.getByLabel("Plan", { exact: true }).fill("free")
    await checkAccessibility(operator.page)
    await operator.page.getByRole("button", { name: "Change the plan", exact: true }).click()
    await operator.page.getByText("free").waitFor()
    await operator.page.getByRole("dialog").waitFor({ state: "detached" })
    await lookAtOpen(operator.page, "platform-organizations")
    await operator.page.getByRole("tab", { name: "Users" }).click()
    await operator.page.getByRole("heading", { level: 1, name: "Users" }).waitFor()
    await lookAtOpen(operator.page, "platform-users")
  })
})

describe("every page of operations", () => {
  it("has accessible pages that fit in both themes and at three widths", async () => {
    const receiver = await serveReceiver()
    const { item } = await owner.client.webhookEndpoints.create({ name: "Shown", url: receiver.url })
    await lookAt(await viewer(owner), operations, [
      ["audit", "/audit"],
      ["audit-live", "/audit?tab=live"],
      ["audit-integrity", "/audit?tab=integrity"],
      ["webhook-endpoints", "/webhook-endpoints"],
      ["webhook-endpoint", `/webhook-endpoints/${item.id}`],
      ["event-streams", "/event-streams"],
      ["configuration", "/configuration"],
      ["configuration-export", "/configuration?tab=export"],
      ["deliveries", "/deliveries"]
    ])
  })
})
