/** Filters that search more objects than one page of a list has. */
import { beforeAll, describe, expect, it } from "vitest"
import { checkAccessibility, failOnFaults, makeWorkspace, startConsole } from "./harness.ts"
import { skill } from "./content.fixture.ts"

failOnFaults()

const { plane, viewer } = await startConsole()
const owner = await makeWorkspace(plane)
const { open, page } = await viewer(owner)

describe("a filter by one of more than 100 plugins", () => {
  let oldest = ""

  beforeAll(async () => {
    oldest = (await owner.client.plugins.create({ name: "Oldest", description: null })).id
    for (let index = 1; index <= 100; index++) {
      await owner.client.plugins.create({ name: `Newer ${index}`, description: null })
    }
    for (const [name, pluginIds] of [
      ["inside", [oldest]],
      ["outside", []]
    ] as const) {
      await owner.client.configObjects.create({ input: { type: "skill", rawSourceText: skill(name) }, pluginIds })
    }
  })

  it("shows only the objects of the plugin in the URL, and never requests the others", async () => {
    const first = await owner.client.plugins.list({ limit: 100 })
    expect(first.items.map(({ id }) => id)).not.toContain(oldest)
    const filters: Array<string | null> = []
    page.on("request", (request) => {
      const url = new URL(request.url())
      if (url.pathname.endsWith("/v1/config-objects")) filters.push(url.searchParams.get("pluginId"))
    })
    await open(`/objects?pluginId=${oldest}`)
    await page.getByRole("row", { name: /inside/ }).waitFor()
    expect(await page.getByRole("row", { name: /outside/ }).count()).toBe(0)
    await page.getByRole("search").getByText("Plugin: Oldest").waitFor()
    expect([...new Set(filters)]).toEqual([oldest])
    await checkAccessibility(page)
  })

  it("finds the plugin by its name", async () => {
    await open("/objects")
    await page.getByRole("row", { name: /outside/ }).waitFor()
    await page.getByLabel("Filter by plugin").fill("oldes")
    await page.getByRole("option", { name: "Oldest" }).click()
    await page.getByRole("row", { name: /outside/ }).waitFor({ state: "detached" })
    await page.getByRole("row", { name: /inside/ }).waitFor()
    expect(new URL(page.url()).searchParams.get("pluginId")).toBe(oldest)
    await page.getByRole("button", { name: "Remove the filter by plugin" }).click()
    await page.getByRole("row", { name: /outside/ }).waitFor()
  })

  it("explains that the object in the URL does not exist", async () => {
    const missing = (await makeWorkspace(plane, "Other")).client
    const { id } = await missing.plugins.create({ name: "Elsewhere", description: null })
    await open(`/objects?pluginId=${id}`)
    await page.getByText("The plugin of the filter does not exist, or you have no access to it.").waitFor()
    expect(await page.getByRole("row", { name: /inside|outside/ }).count()).toBe(0)
    await page.getByRole("button", { name: "Show all" }).click()
    await page.getByRole("row", { name: /outside/ }).waitFor()
  })
})
