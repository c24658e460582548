/** Hostile texts are only text on every page, show their hidden characters, and do not make a page wider. */
import { join } from "node:path"
import type { Locator } from "playwright-core"
import { describe, expect, it, onTestFinished } from "vitest"
import { commit, makeRepository } from "../../../test/fixtures/git.ts"
import { letIn, serveTools, tool } from "../../server/test/agents/mcp.fixture.ts"
import { makeConnection } from "../../server/test/agents/oauth.fixture.ts"
import { all, connect, imported, synced, until } from "../../server/test/content/connectors.fixture.ts"
import { makeTemplate } from "../../server/test/content/templates.fixture.ts"
import { signIn } from "../../server/test/harness.ts"
import { hostileSkill, hostileText, skill } from "./content.fixture.ts"
import { checkWidth, failOnFaults, loaded, makeTeam, makeWorkspace, startConsole } from "./harness.ts"
import { hiddenCharacter, hostile, hostileChanges, hostileFiles, hostileName, unbroken } from "./hostile.fixture.ts"

failOnFaults()

const { plane, url, viewer } = await startConsole({ outbound: letIn })
const owner = await makeWorkspace(plane, hostileName)
// A session has a rate limit, which the requests of the test would use up.
const { token } = await signIn(plane, owner.userId, owner.organizationId)
const { go, page } = await viewer({ ...owner, token })

/** The dialogs, requests and windows that hostile texts have caused. */
const effects: Array<string> = []
page.on("dialog", (dialog) => {
  effects.push(`a dialog: ${dialog.message()}`)
  void dialog.dismiss()
})
page.on("request", (request) => {
  if (!request.url().startsWith(url)) effects.push(`a request to ${request.url()}`)
})
page.on("popup", (popup) => effects.push(`a window of ${popup.url()}`))

/** Runs in the page: what the texts may have become, and those that still contain hidden characters. */
const stateOf = (pattern: string) => {
  const hidden = new RegExp(pattern, "u")
  const texts = [document.title, document.body.innerText]
  for (const element of document.querySelectorAll("[title], [aria-label]")) {
    texts.push(element.getAttribute("title") ?? "", element.getAttribute("aria-label") ?? "")
  }
  return {
    hacked: "hacked" in window,
    elements: [...document.querySelectorAll("body :is(img, iframe, object, embed, script, form[action])")].map(
      ({ outerHTML }) => outerHTML.slice(0, 200)
    ),
    links: [...document.querySelectorAll("a[href]")].flatMap((each) => {
      const { href, protocol } = each as HTMLAnchorElement
      return protocol === "http:" || protocol === "https:" ? [] : [href]
    }),
    hidden: texts.filter((text) => hidden.test(text)).map((text) => text.slice(0, 300))
  }
}

const checkHarmless = async (path: string) => {
  expect(await page.evaluate(stateOf, hiddenCharacter.source), path).toEqual({
    hacked: false,
    elements: [],
    links: [],
    hidden: []
  })
  expect(effects, path).toEqual([])
  await checkWidth(page)
  // The next page is checked the other way round, because each change takes time.
  await page.setViewportSize({ width: page.viewportSize()?.width === 360 ? 1280 : 360, height: 800 })
  await checkWidth(page)
}

/** Waits until hidden characters are shown by their code points. The server escapes others in sentences about capabilities. */
const shownIn = (part: Locator) => expect.poll(() => part.innerText(), { message: page.url() }).toContain("⟨U+3164⟩")

/** Opens each page, and checks it. */
const check = async (paths: ReadonlyArray<string>) => {
  for (const path of paths) {
    await go(path)
    await checkHarmless(path)
  }
}

/** Also waits for the code points, on pages that show texts as they are. */
const checkShown = async (paths: ReadonlyArray<string>) => {
  for (const path of paths) {
    await go(path)
    await shownIn(page.getByRole("main"))
    await checkHarmless(path)
  }
}

const button = (name: string) => page.getByRole("button", { name, exact: true })

describe("a hostile repository", () => {
  it("is only text on every page that shows it, with its hidden characters", async () => {
    const repository = join(plane.repositories, "hostile/plugins")
    makeRepository(repository, hostileFiles)
    const connected = await connect(owner, repository, hostileName)
    const connector = `/connectors/${connected.instance.id}`
    await go(`${connector}?tab=import`)
    const tree = page.getByRole("tree", { name: "Plugins in the repository" })
    await expect.poll(() => tree.getByRole("treeitem").count()).toBeGreaterThan(2)
    await tree.getByText(/onerror.*unbroken/).click()
    await shownIn(page.getByRole("article"))
    await checkHarmless("discovery")
    await button("Show its files").click()
    await loaded(page)
    await button("Show the plan").click()
    const plan = page.getByRole("region", { name: "Plan", exact: true })
    await shownIn(plan)
    await checkHarmless("plan")

    await imported(owner, connected)
    commit(repository, hostileChanges)
    const sync = await synced(owner, connected)
    const [release] = await until(
      async () => (await owner.client.approvals.list()).items,
      (items) => items.length > 0
    )
    const plugins = await all(owner.client.plugins.list())
    const objects = await all(owner.client.configObjects.list())
    const [marketplace] = await all(owner.client.marketplaces.list())
    const [plugin] = plugins.filter(({ id }) => id === release?.pluginId)
    const objectOf = (type: string) => objects.find(({ objectType }) => objectType === type)
    const changed = objects.find(({ currentRelativePath }) => currentRelativePath?.endsWith("skills/hostile/SKILL.md"))
    await check([
      `${connector}/syncs/${sync.id}`,
      "/",
      "/plugins",
      ...["objects", "releases", "install"].map((tab) => `/plugins/${plugin?.id}?tab=${tab}`),
      `/marketplaces/${marketplace?.id}`,
      "/approvals",
      `/fleet/members/${owner.membershipId}?tab=state`
    ])
    await checkShown([
      `/plugins/${plugin?.id}?tab=capabilities`,
      ...["command", "mcp"].map((type) => `/objects/${objectOf(type)?.id}`),
      `/objects/${objectOf("agent")?.id}?tab=about`,
      `/objects/${changed?.id}`,
      `/objects/${changed?.id}?tab=versions`,
      ...["changes", "capabilities"].map((tab) => `/releases/${release?.id}?tab=${tab}`)
    ])
  })
})

describe("a hostile MCP server", () => {
  it("is only text while its tools are reviewed, searched and called", async () => {
    const tools = (description: string) => [
      tool(hostile, { title: hostile, description: hostile }),
      tool("search", {
        title: hostile,
        description,
        inputSchema: {
          type: "object",
          title: hostile,
          properties: {
            [hostile]: { type: "string", title: hostile, description: hostile, default: hostile },
            choice: { enum: [hostile, unbroken], description: unbroken }
          }
        }
      }),
      tool(unbroken)
    ]
    const server = await serveTools(tools("Searches."))
    onTestFinished(() => server.close())
    const id = await makeConnection(owner, { url: server.url, authType: "none", name: hostileName })
    await owner.client.mcpConnections.listTools(id, { refresh: true })
    server.tools = tools(`${hostile}\n${unbroken}`)
    await owner.client.mcpConnections.listTools(id, { refresh: true })
    await check([`/mcp-connections/${id}`])
    await checkShown(["?tab=tools", "/review", "/try?tool=search"].map((part) => `/mcp-connections/${id}${part}`))
    await go(`/mcp-connections/${id}/try?tool=${encodeURIComponent(hostile)}`)
    await button("Call the tool").click()
    await page.getByRole("alertdialog").getByRole("button", { name: "Call the tool" }).click()
    await shownIn(page.getByRole("region", { name: /^Part 1/ }))
    await checkHarmless("a result")
  })
})

describe("hostile texts of people", () => {
  it("are only text on every page that shows them", async () => {
    await owner.client.users.update({ name: hostile })
    const team = await makeTeam(owner, [owner], hostile.slice(0, 120))
    await owner.client.teams.update(team, { description: hostile })
    const { item: endpoint } = await owner.client.webhookEndpoints.create({
      name: hostile,
      url: `https://tracker.example/${unbroken}?<script>window.hacked=1</script>`
    })
    const memory = await owner.call("POST", "/v1/memory", { content: `${hostile} ${unbroken}` })
    const policy = await owner.client.desktopPolicies.create({
      policyName: hostile,
      policy: { allowAlphaUpdates: false }
    })
    const template = await makeTemplate(owner, {
      plugin: { name: "{{ text }} plugin", description: hostile },
      objects: [{ type: "skill", rawSourceText: hostileSkill, metadata: { title: hostile } }],
      variables: [{ name: "text", label: hostile, description: hostile, default: hostile }]
    })
    await check([
      `/members/${owner.membershipId}`,
      `/teams/${team}`,
      `/webhook-endpoints/${endpoint.id}`,
      `/memory/${memory.body.memory.id}`,
      `/desktop-policies/${policy.id}`,
      `/fleet/members/${owner.membershipId}?tab=policy`,
      ...["use", "content"].map((tab) => `/templates/${template.id}?tab=${tab}`)
    ])
    await page.keyboard.press("Control+k")
    await page.getByRole("combobox").fill("hacked")
    await page.getByRole("option", { name: /^Team .*onerror/ }).waitFor()
    await checkHarmless("palette")
    await page.keyboard.press("Escape")
    await page.getByRole("dialog").waitFor({ state: "detached" })
    const { items } = await owner.client.audit.list({ action: "team.update", limit: 1 })
    await go(`/audit?event=${items[0]?.id}`)
    await shownIn(page.getByRole("dialog"))
    await checkHarmless("an audit event")
    await page.keyboard.press("Escape")
    await page.getByRole("dialog").waitFor({ state: "detached" })
  })

  it("are only text in plugins and skills that were created in the console, however deep they are", async () => {
    const plugin = await owner.client.plugins.create({ name: hostileText, description: hostileText })
    const create = (rawSourceText: string) =>
      owner.client.configObjects.create({ input: { type: "skill", rawSourceText }, pluginIds: [plugin.id] })
    const object = await create(hostileSkill)
    for (const [path, shown] of [
      ["/plugins", /onerror=/],
      [`/plugins/${plugin.id}`, /onerror=/],
      ["/objects", "hostile"],
      [`/objects/${object.id}?tab=versions`, /onerror=/],
      [`/objects/${object.id}`, "Hidden⟨U+200B⟩character"]
    ] as const) {
      await go(path)
      await page.getByRole("main").getByText(shown).filter({ visible: true }).first().waitFor()
      await checkHarmless(path)
    }
    // The parser would need a call for each level.
    const deep = await create(skill("deep", `${">".repeat(3000)} the end`))
    await go(`/objects/${deep.id}`)
    await page.getByText("> the end").waitFor()
  })
})
