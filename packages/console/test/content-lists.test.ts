/** Filters and fields that search more objects than one page of a list has. */
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { commit, makeRepository } from "../../../test/fixtures/git.ts"
import { appAt, install, makeCodeHost } from "../../server/test/content/code-host.fixture.ts"
import { checkAccessibility, failOnFaults, loaded, makeWorkspace, startConsole } from "./harness.ts"
import { skill } from "./content.fixture.ts"

failOnFaults()

const host = await makeCodeHost()
const { plane, viewer } = await startConsole({
  ...appAt(host),
  outbound: { allowCidrs: ["127.0.0.0/8"], allowHttp: true }
})
const owner = await makeWorkspace(plane)
const { open, page } = await viewer(owner)

const focused = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label"))

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
    await expect.poll(focused).toBe("Remove the filter by plugin")
    await page.keyboard.press("Enter")
    await page.getByRole("row", { name: /outside/ }).waitFor()
    await expect.poll(focused).toBe("Filter by plugin")
  })

  it("ignores text in the URL that is not the ID of a plugin", async () => {
    await open("/objects?pluginId=garbage")
    await page.getByRole("row", { name: /outside/ }).waitFor()
    expect(await page.getByRole("button", { name: "Remove the filter by plugin" }).count()).toBe(0)
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

describe("a search in the repositories and branches of a code host", () => {
  it("loads further pages until a row matches", async () => {
    const dir = join(plane.repositories, "host/many")
    makeRepository(dir, { "skills/one/SKILL.md": skill("one") })
    for (let index = 1; index <= 25; index++) {
      commit(dir, { "README.md": `Branch ${index}` }, { branch: `topic-${String(index).padStart(2, "0")}` })
    }
    const ids = Array.from({ length: 120 }, (_, index) => index + 1)
    for (const id of ids) host.add(id, `acme/repository-${String(id).padStart(3, "0")}`, { dir, isPrivate: false })
    host.install(1, { account: "acme", repositories: ids, admins: ["ada"] })
    const account = await install(host, owner, "1")

    await open(`/connectors/new?account=${account.id}`)
    await page.getByLabel("acme/repository-050").waitFor()
    expect(await page.getByLabel("acme/repository-051").count()).toBe(0)
    await page.getByLabel("Search: Repository").fill("repository-119")
    await page.getByLabel("acme/repository-119").check()
    await page.getByRole("radio", { name: /^topic-01/ }).waitFor()
    expect(await page.getByRole("radio", { name: /^topic-25/ }).count()).toBe(0)
    await page.getByLabel("Search: Branch").fill("topic-25")
    await page.getByRole("radio", { name: /^topic-25/ }).check()
    await page.getByLabel("Search: Branch").fill("no such branch")
    await page.getByText("Nothing matches.").waitFor()
    await loaded(page)
    await checkAccessibility(page)
  })
})
