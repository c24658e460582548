/** Edits of content that another person changes at the same time. */
import { expect, it } from "vitest"
import { checkAccessibility, failOnFaults, makeWorkspace, startConsole } from "./harness.ts"
import { skill } from "./content.fixture.ts"

failOnFaults()

const { plane, viewer } = await startConsole()
const owner = await makeWorkspace(plane)
const { open, page } = await viewer(owner)
const dialog = page.getByRole("dialog")
const save = (name = "Save") => dialog.getByRole("button", { name, exact: true }).click()

/** Selects "Load again" after a rejected change, and waits until the current values are loaded. */
const loadAgain = async () => {
  await dialog.getByText("Someone else has changed it").waitFor()
  await dialog.getByRole("button", { name: "Load again" }).click()
  await dialog.getByText("The current values are loaded.").waitFor()
}

const plugin = async () => {
  const { plugins } = owner.client
  const { id } = await plugins.create({ name: "Plugin", description: "First" })
  return {
    path: `/plugins/${id}`,
    edit: "Edit",
    change: () => plugins.update(id, { description: "Theirs" }),
    read: () => plugins.get(id)
  }
}

const marketplace = async () => {
  const { marketplaces } = owner.client
  const { id } = await marketplaces.create({ name: "Marketplace", description: "First" })
  return {
    path: `/marketplaces/${id}`,
    edit: "Edit",
    change: () => marketplaces.update(id, { description: "Theirs" }),
    read: () => marketplaces.get(id)
  }
}

const template = async () => {
  const { templates } = owner.client
  const { template: created } = await templates.create({
    name: "Template",
    description: "First",
    content: { plugin: { name: "Created" }, objects: [{ type: "skill", rawSourceText: skill("created") }] }
  })
  const { id } = created
  return {
    path: `/templates/${id}`,
    edit: "Rename",
    change: () => templates.update(id, { description: "Theirs" }),
    read: async () => (await templates.get(id)).template
  }
}

it.each([
  ["plugin", plugin],
  ["marketplace", marketplace],
  ["template", template]
])(
  "saves the form of a %s over a change of someone else only after the current values were loaded",
  async (_, make) => {
    const { change, edit, path, read } = await make()
    await open(path)
    await page.getByRole("button", { name: edit, exact: true }).click()
    await dialog.getByLabel("Name", { exact: true }).fill("Mine")
    await change()
    await save()
    await loadAgain()
    expect((await read()).name).not.toBe("Mine")
    // Saving the former description would undo the change of someone else.
    expect(await dialog.getByLabel("Description").inputValue()).toBe("Theirs")
    await save()
    await dialog.waitFor({ state: "detached" })
    expect(await read()).toMatchObject({ name: "Mine", description: "Theirs" })
  }
)

it("shows what a newer version of a config object has changed before the form saves another one", async () => {
  const { configObjects } = owner.client
  const { id } = await configObjects.create({ input: { type: "skill", rawSourceText: skill("shared", "First text.") } })
  const theirs = (text: string) => configObjects.createVersion(id, { input: { rawSourceText: skill("shared", text) } })
  const latest = async () => {
    const { latestVersion } = await configObjects.get(id)
    return { ordinal: latestVersion?.ordinal, text: latestVersion?.rawSourceText }
  }
  await open(`/objects/${id}`)
  await page.getByRole("button", { name: "New version" }).click()
  await dialog.getByLabel("Content").fill(skill("shared", "My text."))
  await theirs("Their text.")
  await save("Save the version")
  await dialog.getByText("Version 2 was saved after you opened the form").waitFor()
  const changes = dialog.getByRole("region", { name: "Changes in version 2" })
  await changes.getByText("First text.").waitFor()
  await changes.getByText("Their text.").waitFor()
  await checkAccessibility(page)
  // The page already shows the newer version, which is no reason to save over it.
  await page.locator("main").getByText("Their text.").waitFor()
  await save("Save the version")
  await loadAgain()
  expect(await latest()).toEqual({ ordinal: 2, text: skill("shared", "Their text.") })
  await dialog.getByText("Your input was kept.").waitFor()
  expect(await dialog.getByLabel("Content").inputValue()).toBe(skill("shared", "My text."))

  await theirs("Their other text.")
  await save("Save the version")
  await dialog.getByRole("region", { name: "Changes in version 3" }).getByText("Their other text.").waitFor()
  await loadAgain()
  await save("Save the version")
  await dialog.waitFor({ state: "detached" })
  expect(await latest()).toEqual({ ordinal: 4, text: skill("shared", "My text.") })
})

it("replaces a text that the person has not changed by the newer version", async () => {
  const { configObjects } = owner.client
  const { id } = await configObjects.create({ input: { type: "skill", rawSourceText: skill("kept", "First text.") } })
  await open(`/objects/${id}`)
  await page.getByRole("button", { name: "New version" }).click()
  await configObjects.createVersion(id, { input: { rawSourceText: skill("kept", "Their text.") } })
  await save("Save the version")
  await loadAgain()
  expect(await dialog.getByLabel("Content").inputValue()).toBe(skill("kept", "Their text."))
  expect(await dialog.getByText("was saved after you opened the form").count()).toBe(0)
})

it("shows what a newer version of a template has changed before the form saves another one", async () => {
  const { templates } = owner.client
  const content = (text: string) => ({
    plugin: { name: "Created" },
    objects: [{ type: "skill" as const, rawSourceText: skill("shared", text) }]
  })
  const { template } = await templates.create({ name: "Contested", content: content("First text.") })
  const latest = async () => {
    const { version } = await templates.get(template.id)
    return { ordinal: version.ordinal, text: version.content.objects[0]?.rawSourceText }
  }
  const button = page.getByRole("button", { name: "Save as a new version" })
  const text = page.getByRole("group", { name: "Object 1" }).getByLabel("Content")
  await open(`/templates/${template.id}/edit`)
  await text.fill(skill("shared", "My text."))
  await templates.createVersion(template.id, { content: content("Their text.") })
  await button.click()
  await page.getByText("Version 2 was saved after you opened the form").waitFor()
  await page.getByRole("region", { name: "Change of Skill 1" }).getByText("Their text.").waitFor()
  await checkAccessibility(page)
  expect(await latest()).toEqual({ ordinal: 2, text: skill("shared", "Their text.") })
  await page.getByRole("button", { name: "Load again" }).click()
  await page.getByText("Your input was kept.").waitFor()
  expect(await text.inputValue()).toBe(skill("shared", "My text."))
  await button.click()
  await page.getByRole("tab", { name: "Versions", selected: true }).waitFor()
  expect(await latest()).toEqual({ ordinal: 3, text: skill("shared", "My text.") })
})
