/** The pages of content: connectors, plans, plugins, approvals, marketplaces, config objects and templates. */
import { join } from "node:path"
import type { Page, Request, Route } from "playwright-core"
import { describe, expect, it } from "vitest"
import { commit, makeRepository } from "../../../test/fixtures/git.ts"
import { serveGit } from "../../../test/fixtures/git-server.ts"
import { appAt, makeCodeHost } from "../../server/test/content/code-host.fixture.ts"
import { signIn } from "../../server/test/harness.ts"
import { releases } from "../../server/test/setup/file-state.ts"
import { content } from "../src/app/pages/content/area.ts"
import {
  addMember,
  checkAccessibility,
  failOnFaults,
  lookAt,
  lookAtOpen,
  makeTeam,
  makeWorkspace,
  screenshot,
  startConsole
} from "./harness.ts"
import { hookFilesOf, manySkillFiles, repositoryFiles, skill, withoutManySkills } from "./content.fixture.ts"

failOnFaults()

const host = await makeCodeHost()
const { plane, viewer } = await startConsole({
  ...appAt(host),
  // A repository is also read from a host with a token.
  outbound: { allowCidrs: ["127.0.0.0/8"], allowHttp: true }
})
const owner = await makeWorkspace(plane)
const member = await addMember(plane, owner, "member")
await makeTeam(owner, [member], "Platform")
/** A browser with a session of its own: a session has a rate limit, which the requests of tests would use up. */
const ownViewer = async () => {
  const { token } = await signIn(plane, owner.userId, owner.organizationId)
  return viewer({ ...owner, token })
}
const { open, page } = await ownViewer()
const repository = join(plane.repositories, "acme/plugins")
makeRepository(repository, repositoryFiles)

const message = (text: string, on: Page = page) =>
  on.getByRole("region", { name: "Messages" }).getByText(text, { exact: true }).waitFor()

/** Presses a button of a question, and waits for the message about the change. */
const confirm = async (action: string, done: string) => {
  await page.getByRole("alertdialog").getByRole("button", { name: action, exact: true }).click()
  await message(done)
}

/** The session's rate limit also counts these requests. */
const eventually = <A>(read: () => Promise<A>) => expect.poll(read, { interval: 200 })

const button = (name: string) => page.getByRole("button", { name, exact: true })

/** Holds the requests to a path until they are released. */
const hold = async (path: Parameters<Page["route"]>[0]) => {
  const held: Array<Route> = []
  await page.route(path, (route) => void held.push(route))
  return Object.assign(held, { path })
}
const release = async (held: Awaited<ReturnType<typeof hold>>) => {
  await Promise.all(held.map((route) => route.continue()))
  await page.unroute(held.path)
}

const connectorId = async () => (await owner.client.connectors.listInstances({ q: "Plugins" })).items[0]?.id ?? ""
const pluginNamed = async (name: string) =>
  (await owner.client.plugins.list({ archived: true })).items.find((plugin) => plugin.name === name)?.id ?? ""
const lastSync = async () => (await owner.client.connectors.listSyncEvents(await connectorId(), { limit: 1 })).items[0]
const syncStatus = async () => (await lastSync())?.status

/** Pushes files, and waits until a sync of them has ended. */
const push = async (files: Readonly<Record<string, string | null>>, status: string) => {
  commit(repository, files)
  await owner.client.connectors.sync(await connectorId())
  await eventually(syncStatus).toBe(status)
}

describe("a connector", () => {
  it("creates a connector from a URL, shows its plan, and imports the selected plugins", async () => {
    await open("/connectors")
    await page.getByText("No connectors yet").waitFor()
    await page.getByRole("link", { name: "Connect a repository" }).first().click()
    await page.getByLabel("Clone URL or path").fill(repository)
    await page.getByLabel("Name (optional)", { exact: true }).fill("Plugins")
    await button("Connect the repository").click()

    const tree = page.getByRole("tree", { name: "Plugins in the repository" })
    await tree.getByRole("treeitem", { name: "notes" }).focus()
    await page.keyboard.press("Space")
    await eventually(() => tree.getByRole("treeitem", { name: "notes" }).getAttribute("aria-checked")).toBe("false")
    await checkAccessibility(page)

    await button("Show the plan").click()
    const plan = page.getByRole("region", { name: "Plan", exact: true })
    await plan.getByText("tools/skills/review/SKILL.md", { exact: false }).first().waitFor()
    await plan.getByRole("region", { name: "Capabilities of tools" }).getByText("review", { exact: true }).waitFor()
    await checkAccessibility(page)
    await screenshot(page, "content-plan")
    await button("Apply this plan").click()
    await page.getByRole("alertdialog").getByRole("button", { name: "Apply the plan" }).click()

    await page.getByRole("heading", { level: 1, name: /^Sync of [0-9a-f]{12}/ }).waitFor()
    await page.getByText("completed").first().waitFor()
    await checkAccessibility(page)
    await screenshot(page, "content-sync")
    await open("/plugins")
    await page.getByRole("row", { name: /tools/ }).waitFor()
    expect(await page.getByRole("row", { name: /notes/ }).count()).toBe(0)
  })

  it("says why a repository cannot be connected, and keeps what was typed", async () => {
    await open("/connectors/new")
    await page.getByLabel("Clone URL or path").fill(join(plane.repositories, "acme/nothing"))
    await button("Connect the repository").click()
    await page.getByRole("main").locator('.problem, [role="alert"]').first().waitFor()
    expect(await page.getByLabel("Clone URL or path").inputValue()).toContain("nothing")
  })

  it("creates a connector from a repository and a branch that are selected in the form, after the app was installed", async () => {
    const dir = join(plane.repositories, "host/plugins")
    makeRepository(dir, repositoryFiles)
    commit(dir, repositoryFiles, { branch: "stable" })
    host.add(1, "acme/hosted", { dir, isPrivate: true })
    host.install(1, { account: "acme", repositories: [1], admins: ["ada"] })
    await open("/connectors/new")
    await button("Install the app on a code host").click()
    const dialog = page.getByRole("dialog")
    await dialog.getByRole("link", { name: "Open the installation on the code host" }).waitFor()
    const code = host.codeOf("ada")
    await dialog.getByLabel("Your code").fill(code)
    await dialog.getByLabel("Installation", { exact: true }).fill("1")
    await checkAccessibility(page)
    await dialog.getByRole("button", { name: "Finish the installation" }).click()
    await message("The app was connected.")
    await page.getByLabel("acme/hosted").check()
    await page.getByRole("radio", { name: /^main/ }).waitFor()
    await page.getByRole("radio", { name: /^stable/ }).check()
    await page.getByLabel("Name (optional)", { exact: true }).fill("Hosted")
    await checkAccessibility(page)
    await button("Show as code").click()
    expect(await page.getByRole("dialog").innerText()).not.toContain(code)
    await page.keyboard.press("Escape")
    await button("Connect the repository").click()
    await page.getByRole("tree", { name: "Plugins in the repository" }).waitFor()
    const hosted = (await owner.client.connectors.listInstances({ q: "Hosted" })).items[0]
    const targets = await owner.client.connectors.listTargets(hosted?.id ?? "")
    expect(targets.items.map(({ externalTargetRef }) => externalTargetRef)).toEqual(["refs/heads/stable"])
  })

  it("replaces the access token of a connector, unless the host rejects the new one", async () => {
    const accepted = { username: "git", token: "first" }
    const server = await serveGit(repository, { credential: accepted })
    releases.push(server.close)
    const { connectorInstance } = await owner.client.connectors.setup({
      adapter: "git",
      cloneUrl: server.url,
      name: "Private",
      credential: { token: accepted.token }
    })
    await open(`/connectors/${connectorInstance.id}`)
    await button("Set the access token").click()
    const form = page.getByRole("dialog", { name: "Set the access token" })
    await form.getByLabel("Access token").fill("second")
    await form.getByRole("button", { name: "Set the token" }).click()
    await form.locator(".problem").waitFor()
    accepted.token = "second"
    await form.getByRole("button", { name: "Set the token" }).click()
    await page.getByText("The token was set.").waitFor()
    await form.waitFor({ state: "detached" })
    await button("Set the access token").click()
    expect(await form.getByLabel("Access token").inputValue()).toBe("")
    await page.keyboard.press("Escape")
    await form.waitFor({ state: "detached" })
  })

  it("pauses and resumes a connector", async () => {
    await open(`/connectors/${await connectorId()}`)
    await button("Pause").click()
    await page.getByRole("alertdialog").getByText("Pushes are ignored").waitFor()
    await confirm("Pause the connector", "The connector was paused.")
    await button("Resume").click()
    await message("The connector was resumed, and a sync was queued.")
    await button("Sync now").waitFor()
    await eventually(syncStatus).toBe("completed")
  })

  it("lists what a deleted mapping deletes, and what is compared when another branch is read", async () => {
    const id = await connectorId()
    const [target] = (await owner.client.connectors.listTargets(id)).items
    // A rollback to the imported revision, in a test below, does not restore the mapping.
    await push({ "README.md": "Mapped" }, "completed")
    await owner.client.connectors.createMapping(target?.id ?? "", { selector: "notes/skills", objectType: "skill" })
    await eventually(async () => (await lastSync())?.trigger).toBe("mapping")
    await eventually(syncStatus).toBe("completed")
    await open(`/connectors/${id}?tab=branches`)
    await page
      .getByRole("row", { name: /notes\/skills/ })
      .getByRole("button", { name: "Delete" })
      .click()
    const deleted = page.getByRole("alertdialog").getByRole("list", { name: "Objects deleted for everyone" })
    await deleted.getByText("notes/skills/notes/SKILL.md").waitFor()
    await checkAccessibility(page)
    await confirm("Delete the mapping", "The mapping was deleted.")
    expect((await owner.client.configObjects.list({ q: "notes" })).items).toEqual([])

    await page.getByRole("alertdialog").waitFor({ state: "detached" })
    await button("Change the branch").click()
    const dialog = page.getByRole("dialog")
    await dialog.getByText("2 visible plugins and 14 config objects are imported from").waitFor()
    await dialog.getByRole("list", { name: "Plugins of the branch" }).getByText("many", { exact: true }).waitFor()
    await checkAccessibility(page)
  })

  it("holds a sync that removes many objects, and shows its consequences before it is rejected or approved", async () => {
    await push(withoutManySkills, "review_required")
    await open(`/connectors/${await connectorId()}`)
    await page.getByText("A sync is pending approval").waitFor()
    await button("Reject").click()
    await confirm("Reject the sync", "The sync was rejected.")
    await eventually(syncStatus).toBe("rejected")

    await push({ "README.md": "Changed" }, "review_required")
    await open(`/connectors/${await connectorId()}?tab=syncs`)
    await page
      .getByRole("row", { name: /pending approval/ })
      .first()
      .click()
    const plan = page.getByRole("region", { name: "Plan" })
    await plan.getByText("to remove").waitFor()
    expect(await plan.getByText("10", { exact: true }).count()).toBeGreaterThan(0)
    await checkAccessibility(page)

    const reads = await hold("**/discovery/plan*")
    await open(`/connectors/${await connectorId()}`)
    await button("Approve").click()
    const approve = page.getByRole("alertdialog").getByRole("button", { name: "Approve the sync" })
    await expect.poll(() => reads.length).toBe(1)
    expect(await approve.isDisabled()).toBe(true)
    await release(reads)
    const removed = page.getByRole("alertdialog").getByRole("list", { name: "Objects removed for everyone" })
    await removed.getByText("many/skills/skill-3/SKILL.md").waitFor()
    expect(await removed.getByRole("listitem").count()).toBe(10)
    await checkAccessibility(page)
    await confirm("Approve the sync", "The sync was approved and queued.")
    await eventually(syncStatus).toBe("completed")
    expect((await lastSync())?.counts.objectsDeleted).toBe(10)
  })

  it("rolls a connector back to the revision of a sync, and shows the pin", async () => {
    const { items } = await owner.client.connectors.listSyncEvents(await connectorId(), { status: "completed" })
    const first = items.findLast(({ trigger }) => trigger === "apply")
    await open(`/connectors/${await connectorId()}/syncs/${first?.id}`)
    const reads = await hold("**/rollback/plan")
    await button("Roll back to this revision").click()
    const question = page.getByRole("alertdialog")
    await question.getByText("Pushes are ignored").waitFor()
    await expect.poll(() => reads.length).toBe(1)
    expect(await question.getByRole("button", { name: "Roll back" }).isDisabled()).toBe(true)
    await release(reads)
    const restored = question.getByRole("list", { name: "Objects restored" })
    await restored.getByText("many/skills/skill-3/SKILL.md").waitFor()
    expect(await restored.getByRole("listitem").count()).toBe(10)
    await checkAccessibility(page)
    await confirm("Roll back", "The rollback was queued.")
    await eventually(async () => (await lastSync())?.trigger).toBe("rollback")
    await eventually(syncStatus).toBe("completed")
    await open(`/connectors/${await connectorId()}?tab=branches`)
    await page.getByText("The branch is pinned by a rollback").waitFor()
    await checkAccessibility(page)
    await button("Roll back").click()
    const form = page.getByRole("dialog")
    await form.getByRole("radio").first().check()
    await form.getByText("objects removed", { exact: true }).waitFor()
    await form.getByRole("button", { name: "Close" }).click()
    await button("Close without saving").click()
    await page.locator('[role="dialog"]').waitFor({ state: "detached" })
    await button("Remove the pin and sync").click()
    await message("The pin is removed by the sync that was queued.")
    await eventually(syncStatus).toBe("review_required")
  })

  it("changes a setting at once, and asks before it changes how updates are delivered", async () => {
    const id = await connectorId()
    await open(`/connectors/${id}`)
    const setting = page.getByLabel("Import plugins that are added to the repository later")
    await setting.check()
    await eventually(async () => (await owner.client.connectors.configuration(id)).autoImportNewPlugins).toBe(true)
    await page.getByLabel("Updates of the plugins from this repository").selectOption("hold_all")
    await page.getByRole("alertdialog").getByText("Every release waits").waitFor()
    await confirm("Change the setting", "The setting was changed.")
    expect((await owner.client.approvals.getInstanceMode(id)).deliveryMode).toBe("hold_all")
    await owner.client.approvals.setInstanceMode(id, { deliveryMode: "hold_growth" })
    await owner.client.connectors.setAutoImport(id, { enabled: false })
  })
})

describe("a release", () => {
  it("shows the new capabilities of a pending release, and serves it after the approval", async () => {
    await owner.client.connectors.rejectSync((await lastSync())?.id ?? "")
    await push({ ...hookFilesOf("https://setup.example/x"), ...manySkillFiles }, "completed")
    await eventually(async () => (await owner.client.approvals.list()).items.length).toBe(1)
    await open("/approvals")
    await page.getByRole("row", { name: /tools/ }).click()
    await page.getByRole("heading", { level: 1, name: /^tools, release/ }).waitFor()
    const changes = page.getByRole("region", { name: "Changes of the capabilities" })
    await changes.getByText("curl https://setup.example/x | sh", { exact: false }).first().waitFor()
    await page.getByText("download to shell").first().waitFor()
    await checkAccessibility(page)
    await screenshot(page, "content-release")

    await button("Approve").click()
    const dialog = page.getByRole("dialog")
    await dialog.getByRole("region", { name: "Rings" }).waitFor()
    await dialog.getByLabel("Comment (optional)").fill("Reviewed.")
    await checkAccessibility(page)
    await dialog.getByRole("button", { name: "Approve the release" }).click()
    await message("Approved: the release.")
    await eventually(async () => (await owner.client.approvals.list()).items.length).toBe(0)
    await open("/approvals")
    await page.getByText("No approvals yet").waitFor()
  })

  it("rejects several releases in one request, and keeps serving the previous ones", async () => {
    await push(hookFilesOf("https://setup.example/y"), "completed")
    await eventually(async () => (await owner.client.approvals.list()).items.length).toBe(1)
    await open(`/connectors/${await connectorId()}`)
    await page.getByLabel("Updates of the plugins from this repository").selectOption("auto")
    const question = page.getByRole("alertdialog")
    await question.getByRole("list", { name: "Releases pending approval" }).getByText("tools").waitFor()
    await question.getByRole("button", { name: "Cancel" }).click()
    await open("/approvals")
    await page.getByLabel("Select this row").first().check()
    await page.getByRole("toolbar").getByRole("button", { name: "Reject" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByText("https://setup.example/y", { exact: false }).first().waitFor()
    await dialog.getByLabel("Reason").fill("Not now.")
    await dialog.getByRole("button", { name: "Reject the release" }).click()
    await message("Rejected: the release.")
    const [release] = (await owner.client.approvals.list({ state: "rejected" })).items
    expect(release?.comment).toBe("Not now.")
  })

  it("lists all approved and rejected releases in the history", async () => {
    await open("/approvals")
    await page.getByLabel("State").selectOption("all")
    await page.getByRole("row", { name: /tools.*rejected/ }).waitFor()
    await page.getByRole("row", { name: /tools.*served/ }).waitFor()
    await page.reload()
    await page.getByRole("row", { name: /tools.*rejected/ }).waitFor()
    await open(`/plugins/${await pluginNamed("tools")}?tab=releases`)
    await page.getByRole("row", { name: /rejected/ }).waitFor()
    await page.getByRole("row", { name: /served/ }).waitFor()
  })
})

describe("a plugin", () => {
  it("shows its skills and agents rendered, and its capabilities", async () => {
    await open(`/plugins/${await pluginNamed("tools")}`)
    await page.getByRole("button", { name: /reviewer/ }).click()
    await page.getByRole("article", { name: "reviewer" }).getByText("You review changes.").waitFor()
    await page.getByRole("button", { name: /^review\s*Skill/ }).click()
    await page.getByRole("heading", { level: 2, name: "review" }).first().waitFor()
    await page.getByRole("tab", { name: "Capabilities" }).click()
    await page.getByRole("heading", { name: /^Hooks/ }).waitFor()
  })

  it("shares a plugin with a team, changes its role, and shows who loses access before the grant is revoked", async () => {
    await open(`/plugins/${await pluginNamed("tools")}?tab=access`)
    await button("Grant access").first().click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Team", { exact: true }).fill("Plat")
    await page.getByRole("option", { name: "Platform" }).click()
    await checkAccessibility(page)
    await dialog.getByRole("button", { name: "Grant access" }).click()
    await message("Access was granted.")
    const row = page.getByRole("row", { name: /Platform/ })
    await row.getByLabel("Role").selectOption("editor")
    await message("The role was changed.")
    await row.getByLabel("Role").selectOption("viewer")
    const lower = page.getByRole("alertdialog", { name: "Lower the role" })
    await lower.getByText("will have viewer (viewer: can read)").waitFor()
    await lower.getByRole("button", { name: "Cancel" }).click()
    await lower.waitFor({ state: "detached" })
    expect(await row.getByLabel("Role").inputValue()).toBe("editor")
    await row.getByLabel("Role").selectOption("viewer")
    await lower.getByRole("button", { name: "Lower the role" }).click()
    await lower.waitFor({ state: "detached" })
    await expect.poll(() => row.getByLabel("Role").inputValue()).toBe("viewer")
    await row.getByRole("button", { name: "Revoke" }).click()
    await page.getByRole("alertdialog").getByText("1 member").waitFor()
    await page.getByRole("alertdialog").getByRole("link", { name: "A member" }).first().waitFor()
    await checkAccessibility(page)
    await confirm("Revoke the grant", "The grant was revoked.")
    // Everything behind a dialog is hidden from roles, so the row is looked at after it has closed.
    await page.getByRole("alertdialog").waitFor({ state: "detached" })
    await row.getByText("revoked").waitFor()
    expect(await row.getByRole("button").count()).toBe(0)
    expect(await row.getByLabel("Role").count()).toBe(0)
    await row.getByRole("link", { name: "Platform" }).click()
    await page.getByRole("heading", { level: 1, name: "Platform" }).waitFor()
  })

  it("reads the names of several teams with one request, and uses them on the next page", async () => {
    const names = ["Blue", "Green", "Red"]
    const teams = await Promise.all(names.map((name) => makeTeam(owner, [], name)))
    for (const name of ["Shared one", "Shared two"]) {
      const { id } = await owner.client.plugins.create({ name, description: null })
      for (const teamId of teams) await owner.client.plugins.grantAccess(id, { teamId, role: "viewer" })
    }
    const requests: Array<string> = []
    const note = (request: Request) => {
      if (request.url().includes("/v1/teams")) requests.push(new URL(request.url()).pathname)
    }
    page.on("request", note)
    const showAccess = async (plugin: string) => {
      await page.getByRole("row", { name: new RegExp(plugin) }).click()
      await page.getByRole("tab", { name: "Access" }).click()
      for (const name of names) await page.getByRole("link", { name, exact: true }).waitFor()
    }
    await open("/plugins")
    await showAccess("Shared one")
    await page.getByRole("link", { name: "Plugins", exact: true }).click()
    await showAccess("Shared two")
    expect(requests).toEqual(["/console/api/v1/teams"])
    page.off("request", note)
  })

  it("creates, edits, archives and restores a plugin, and shows the consequences", async () => {
    await open("/plugins")
    await button("Create a plugin").click()
    await page.getByRole("dialog").getByLabel("Name").fill("By hand")
    await page.getByRole("dialog").getByRole("button", { name: "Create the plugin" }).click()
    await page.getByRole("heading", { level: 1, name: "By hand" }).waitFor()
    await page.getByText("This plugin has no objects yet").waitFor()
    await button("Edit").click()
    await page.getByRole("dialog").getByLabel("Description (optional)").fill("Written in the console")
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click()
    await message("The plugin was changed.")
    await owner.client.assignments.create({ pluginId: await pluginNamed("By hand"), mode: "required" })
    await button("Archive").click()
    await page.getByText("1 assignment no longer has an effect (required: 1).").waitFor()
    await page.getByText("No member has a device that should run the plugin.").waitFor()
    await confirm("Archive the plugin", "The plugin was archived.")
    await button("Restore").click()
    await message("The plugin was restored.")
  })

  it("archives and restores the selected plugins, and lists those that were not changed", async () => {
    const first = await owner.client.plugins.create({ name: "Selected one", description: null })
    await owner.client.plugins.create({ name: "Selected two", description: null })
    const toolbar = page.getByRole("toolbar", { name: "Selected rows" })
    const select = async () => {
      for (const name of ["Selected one", "Selected two"]) {
        await page
          .getByRole("row", { name: new RegExp(name) })
          .getByRole("checkbox")
          .check()
      }
    }
    await open("/plugins?archived=true")
    await select()
    await toolbar.getByRole("button", { name: "Archive" }).click()
    const dialog = page.getByRole("dialog", { name: "Archive 2 plugins" })
    await dialog.getByRole("button", { name: "Archive 2 plugins" }).click()
    await dialog.getByText("2 plugins were archived.").waitFor()
    await checkAccessibility(page)
    await dialog.getByRole("button", { name: "Done" }).click()
    await dialog.waitFor({ state: "detached" })
    await select()
    await toolbar.getByRole("button", { name: "Restore" }).click()
    await message("2 plugins were restored.")
    await toolbar.waitFor({ state: "detached" })

    const held = await hold("**/v1/plugins/*/archive")
    await select()
    await toolbar.getByRole("button", { name: "Archive" }).click()
    await dialog.getByRole("button", { name: "Archive 2 plugins" }).click()
    await expect.poll(() => held.length).toBe(1)
    await dialog.getByRole("button", { name: "Stop" }).click()
    await held[0]?.continue()
    await dialog.getByText("1 plugin was archived.").waitFor()
    await dialog.getByText("You stopped before the others were attempted.").waitFor()
    expect(held.length).toBe(1)
    await page.unrouteAll()
    await dialog.getByRole("button", { name: "Done" }).click()
    await dialog.waitFor({ state: "detached" })
    await select()
    await toolbar.getByRole("button", { name: "Restore" }).click()
    await message("1 plugin was restored.")
    await toolbar.waitFor({ state: "detached" })

    await page.route(`**/v1/plugins/${first.id}/archive`, (route) =>
      route.fulfill({ status: 409, json: { error: "conflict", message: "The plugin is in use." } })
    )
    await select()
    await toolbar.getByRole("button", { name: "Archive" }).click()
    await dialog.getByRole("button", { name: "Archive 2 plugins" }).click()
    await dialog.getByText("1 plugin was archived.").waitFor()
    await dialog.getByRole("list", { name: "Problems" }).getByText("Selected one").waitFor()
    await page.unrouteAll()
    await dialog.getByRole("button", { name: "Done" }).click()
    await dialog.waitFor({ state: "detached" })
  })

  it("explains why a plugin from a repository cannot be edited", async () => {
    await open(`/plugins/${await pluginNamed("tools")}`)
    await button("Edit").click()
    await page.getByRole("dialog").getByLabel("Name").fill("Other")
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click()
    await page.getByRole("dialog").getByText("You are not allowed to do this").waitFor()
    expect(await page.getByRole("dialog").getByLabel("Name").inputValue()).toBe("Other")
    await page.keyboard.press("Escape")
  })
})

describe("a config object", () => {
  it("has versions that are compared side by side, and an old one is restored", async () => {
    await open("/objects")
    await button("Create an object").click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Content").fill(skill("written", "First text."))
    await dialog.getByRole("button", { name: "Create the object" }).click()
    await page.getByRole("heading", { level: 1, name: "written" }).waitFor()
    await button("New version").click()
    await dialog.getByLabel("Content").fill(skill("written", "Second text."))
    await dialog.getByRole("button", { name: "Save the version" }).click()
    await message("The version was saved.")
    await page.getByRole("tab", { name: "Versions" }).click()
    const difference = page.getByRole("region", { name: "Difference of the content" })
    await difference.getByText("First text.").waitFor()
    await difference.getByText("Second text.").waitFor()
    await checkAccessibility(page)
    await screenshot(page, "content-versions")
    await page.getByRole("button", { name: "Restore", exact: true }).click()
    await confirm("Restore the version", "Version 1 was restored as a new version.")
    await page.getByRole("cell", { name: "3 latest" }).waitFor()
  })

  it("lists the plugins that contain it, also before it is removed", async () => {
    const plugin = await owner.client.plugins.create({ name: "Loses an object" })
    const object = await owner.client.configObjects.create({
      input: { type: "skill", rawSourceText: skill("contained", "Text.") },
      pluginIds: [plugin.id]
    })
    await open(`/objects/${object.id}?tab=plugins`)
    await page.getByRole("row", { name: /Loses an object/ }).waitFor()
    await checkAccessibility(page)
    await button("Remove").click()
    const list = page.getByRole("list", { name: "Plugins that lose the object" })
    await list.getByText("Loses an object").waitFor()
    await checkAccessibility(page)
    await page.keyboard.press("Escape")
    await owner.client.configObjects.detachPlugin(object.id, plugin.id)
    await open(`/objects/${object.id}?tab=plugins`)
    await page.getByText("No plugin contains the object").waitFor()
  })

  it("shows which plugins lose objects before several are archived, and waits until it has read them", async () => {
    const plugin = await owner.client.plugins.create({ name: "Loses several" })
    for (const name of ["together-one", "together-two", "together-unused"]) {
      await owner.client.configObjects.create({
        input: { type: "skill", rawSourceText: skill(name, "Text.") },
        pluginIds: name === "together-unused" ? [] : [plugin.id]
      })
    }
    await open("/objects?q=together")
    for (const name of ["together-one", "together-two", "together-unused"]) {
      await page.getByRole("row").filter({ hasText: name }).getByRole("checkbox").check()
    }
    const held = await hold(/\/plugins\?.*configObjectId=/)
    await button("Archive").click()
    const question = page.getByRole("dialog", { name: "Archive 3 objects" })
    await expect.poll(() => held.length).toBe(3)
    expect(await question.getByRole("button", { name: "Archive 3 objects" }).isDisabled()).toBe(true)
    await release(held)
    await question
      .getByRole("list", { name: "Plugins that lose objects" })
      .getByText("Loses several: 2 objects")
      .waitFor()
    await question.getByText("1 object is in no plugin that you can see.").waitFor()
    await checkAccessibility(page)
    await question.getByRole("button", { name: "Archive 3 objects" }).click()
    await question.getByText("3 objects were archived.").waitFor()
    await question.getByRole("button", { name: "Done" }).click()
    expect((await owner.client.plugins.get(plugin.id)).memberCount).toBe(0)
  })
})

describe("a marketplace", () => {
  it("creates and fills a marketplace, shows the missing setup, and shows its link once", async () => {
    await open("/marketplaces")
    await button("Create a marketplace").click()
    await page.getByRole("dialog").getByLabel("Name").fill("Engineering")
    await page.getByRole("dialog").getByRole("button", { name: "Create the marketplace" }).click()
    await page.getByRole("heading", { level: 1, name: "Engineering" }).waitFor()
    await owner.client.configObjects.create({
      input: {
        type: "mcp",
        rawSourceText: '{"mcpServers":{"tickets":{"type":"http","url":"https://tickets.example/mcp"}}}',
        metadata: { title: "tickets", relativePath: ".mcp.json" }
      },
      pluginIds: [await pluginNamed("By hand")]
    })
    await button("Add a plugin").first().click()
    await page.getByRole("dialog").getByLabel("By hand").check()
    await page.getByRole("dialog").getByRole("button", { name: "Add the plugin" }).click()
    await message("The plugin was added.")
    const card = page.getByRole("article", { name: "By hand" })
    await card.getByText("setup needed").waitFor()
    await card.getByRole("link", { name: "Connect tickets" }).waitFor()
    await checkAccessibility(page)
    await screenshot(page, "content-marketplace")

    await page.getByRole("tab", { name: "Install" }).click()
    await button("Create a link").click()
    await page.getByRole("dialog").getByLabel("Name").fill("My laptop")
    await page.getByRole("dialog").getByRole("button", { name: "Create the link" }).click()
    const shown = page.getByRole("dialog", { name: "Copy the link now" })
    const command = shown.getByLabel("Command that adds the marketplace", { exact: true })
    expect(await command.inputValue()).toMatch(/^claude plugin marketplace add http.+\/marketplace-links\/opl_/)
    await page.keyboard.press("Escape")
    await shown.getByText("You have not copied it yet").waitFor()
    await checkAccessibility(page)
    await command.evaluate((input) => input.dispatchEvent(new ClipboardEvent("copy", { bubbles: true })))
    await shown.getByText("You have not copied it yet").waitFor({ state: "detached" })
    await shown.getByRole("button", { name: "Done" }).click()
    await page
      .getByRole("row", { name: /My laptop/ })
      .getByRole("button", { name: "Revoke" })
      .click()
    await confirm("Revoke the link", "The link was revoked.")
    await page.getByRole("row", { name: /My laptop.*revoked/ }).waitFor()

    await page.getByRole("tab", { name: "Plugins" }).click()
    await button("Remove from the marketplace").click()
    await confirm("Remove the plugin from the marketplace", "The plugin was removed from the marketplace.")
    await page.getByText("The marketplace has no plugins yet").waitFor()
  })

  it("shows the plugins and links of several marketplaces before they are archived", async () => {
    const plugin = await owner.client.plugins.create({ name: "Listed twice" })
    const elsewhere = await owner.client.plugins.create({ name: "Listed elsewhere" })
    for (const name of ["Retired one", "Retired two", "Stays"]) {
      const { id } = await owner.client.marketplaces.create({ name })
      if (name !== "Stays") await owner.client.marketplaces.addPlugin(id, { pluginId: plugin.id })
      if (name !== "Retired two") await owner.client.marketplaces.addPlugin(id, { pluginId: elsewhere.id })
      if (name === "Retired two") await owner.client.marketplaces.createLink(id, { name: "A laptop" })
    }
    await open("/marketplaces?q=Retired")
    for (const name of ["Retired one", "Retired two"]) {
      await page.getByRole("row").filter({ hasText: name }).getByRole("checkbox").check()
    }
    await button("Archive").click()
    const question = page.getByRole("dialog", { name: "Archive 2 marketplaces" })
    const list = question.getByRole("list", { name: "Marketplaces to archive" })
    await list.getByText("Retired one: 2 plugins").waitFor()
    await list.getByText("Retired two: 1 plugin, and 1 link that stops working").waitFor()
    const unlisted = question.getByRole("list", { name: "Plugins in no other marketplace" })
    expect(await unlisted.getByRole("listitem").allInnerTexts()).toEqual(["Listed twice"])
    await checkAccessibility(page)
    await question.getByRole("button", { name: "Archive 2 marketplaces" }).click()
    await question.getByText("2 marketplaces were archived.").waitFor()
    await question.getByRole("button", { name: "Done" }).click()
    expect((await owner.client.marketplaces.list({ q: "Retired" })).items).toEqual([])
  })
})

describe("a template", () => {
  it("creates a plugin from a form, and shows what a new version changes", async () => {
    await open("/templates/new")
    await page.getByLabel("Name", { exact: true }).fill("Reviewer")
    await page.getByLabel("Name of the plugin").fill("{{ team }} reviewer")
    await button("Create the template").click()
    await page.getByRole("heading", { level: 1, name: "Reviewer" }).waitFor()
    await page.getByLabel("Team", { exact: true }).fill("Payments")
    await page.getByLabel("Name of the skill").fill("payments-review")
    await button("Preview").click()
    await page.getByRole("article", { name: "payments-review" }).getByText("Text for Payments.").waitFor()
    await checkAccessibility(page)
    await screenshot(page, "content-template")
    await button("Create the plugin").click()
    await page.getByRole("heading", { level: 1, name: "Payments reviewer" }).waitFor()

    const [template] = (await owner.client.templates.list()).items
    await open(`/templates/${template?.id}/edit`)
    const text = page.getByRole("group", { name: "Object 1" }).getByLabel("Content")
    await text.fill(`${await text.inputValue()}\nMore text.\n`)
    await page.getByText("Difference from version 1").click()
    await page
      .getByRole("region", { name: /^Difference of skills/ })
      .getByText("More text.")
      .waitFor()
    await lookAtOpen(page, "content-template-edit")
    await button("Save as a new version").click()
    await message("The version was saved.")
    await page.getByRole("tab", { name: "Created plugins" }).click()
    await page.getByText("version 1 of 2").waitFor()
    await button("Compare").click()
    await page
      .getByRole("region", { name: /^Difference of skills/ })
      .getByText("More text.")
      .waitFor()

    await open("/templates")
    await page.getByRole("row").filter({ hasText: "Reviewer" }).getByRole("checkbox").check()
    await button("Remove").click()
    await page.getByRole("list", { name: "Templates to remove" }).getByText("Reviewer: 2 versions").waitFor()
    await button("Cancel").click()
  })
})

describe("a person with less access", () => {
  it("offers no changes of objects that a member can only read", async () => {
    await owner.client.plugins.grantAccess(await pluginNamed("By hand"), { orgWide: true, role: "viewer" })
    const other = await viewer(member)
    await other.open(`/plugins/${await pluginNamed("By hand")}`)
    await other.page.getByRole("tab", { name: "Install" }).waitFor()
    await expect.poll(() => other.page.getByRole("tab", { name: "Access" }).count()).toBe(0)
    for (const name of ["Edit", "Archive", "Add an object", "Create an object"]) {
      expect(await other.page.getByRole("button", { name, exact: true }).count(), name).toBe(0)
    }
    await other.open("/connectors")
    await other.page.getByText("No connectors yet").waitFor()
  })
})

describe("every page of content", () => {
  const paths = async () => {
    const connector = await connectorId()
    const tools = await pluginNamed("tools")
    const [release] = (await owner.client.approvals.list({ state: "rejected" })).items
    const [marketplace] = (await owner.client.marketplaces.list()).items
    const { items } = await owner.client.configObjects.list({ q: "written" })
    const [template] = (await owner.client.templates.list()).items
    const sync = await lastSync()
    const [account] = (await owner.client.connectors.listAccounts()).items
    return [
      ["content-plugins", "/plugins"],
      ["content-plugin", `/plugins/${tools}`],
      ["content-plugin-capabilities", `/plugins/${tools}?tab=capabilities`],
      ["content-plugin-releases", `/plugins/${tools}?tab=releases`],
      ["content-plugin-access", `/plugins/${tools}?tab=access`],
      ["content-plugin-install", `/plugins/${tools}?tab=install`],
      ["content-approvals", "/approvals?state=rejected"],
      ["content-release", `/releases/${release?.id}`],
      ["content-release-capabilities", `/releases/${release?.id}?tab=capabilities`],
      ["content-release-reach", `/releases/${release?.id}?tab=reach`],
      ["content-release-about", `/releases/${release?.id}?tab=about`],
      ["content-marketplaces", "/marketplaces"],
      ["content-marketplace", `/marketplaces/${marketplace?.id}`],
      ["content-marketplace-install", `/marketplaces/${marketplace?.id}?tab=install`],
      ["content-marketplace-access", `/marketplaces/${marketplace?.id}?tab=access`],
      ["content-marketplace-about", `/marketplaces/${marketplace?.id}?tab=about`],
      ["content-connectors", "/connectors"],
      ["content-connector-new", "/connectors/new"],
      ["content-connector", `/connectors/${connector}`],
      ["content-connector-import", `/connectors/${connector}?tab=import`],
      ["content-connector-syncs", `/connectors/${connector}?tab=syncs`],
      ["content-connector-branches", `/connectors/${connector}?tab=branches`],
      ["content-connector-access", `/connectors/${connector}?tab=access`],
      ["content-connector-accounts", "/connector-accounts"],
      ["content-connector-account", `/connector-accounts/${account?.id}`],
      ["content-sync", `/connectors/${connector}/syncs/${sync?.id}`],
      ["content-objects", "/objects"],
      ["content-object", `/objects/${items[0]?.id}`],
      ["content-object-versions", `/objects/${items[0]?.id}?tab=versions`],
      ["content-object-about", `/objects/${items[0]?.id}?tab=about`],
      ["content-templates", "/templates"],
      ["content-template-new", "/templates/new"],
      ["content-template", `/templates/${template?.id}`],
      ["content-template-content", `/templates/${template?.id}?tab=content`],
      ["content-template-versions", `/templates/${template?.id}?tab=versions`],
      ["content-template-instances", `/templates/${template?.id}?tab=instances`]
    ] as const
  }

  it("has accessible pages that fit in both themes and at three widths", async () => {
    await lookAt(await ownViewer(), content, await paths())
  })

  it("shows what to do next where there is nothing yet", async () => {
    const other = await makeWorkspace(plane, "Empty")
    const { go, page: empty } = await viewer(other)
    for (const path of ["/plugins", "/marketplaces", "/connectors", "/objects", "/templates", "/approvals"]) {
      await go(path)
      await empty.getByText(/^No .+ yet$/).waitFor()
      await empty.locator(".empty").getByRole("link").first().waitFor()
      await checkAccessibility(empty)
    }
  })
})
