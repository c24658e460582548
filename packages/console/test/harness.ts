/** A control plane that serves the console, and people who use it in a real browser. */
import { readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { createRequire } from "node:module"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type { AxeResults, RunOptions } from "axe-core"
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core"
import { afterEach, beforeAll, beforeEach, expect, inject, vi } from "vitest"
import { KeyRing } from "../../server/src/infra/crypto/key-ring.ts"
import type { Area } from "../src/app/area.ts"
import type { ControlPlaneOptions } from "../../server/src/infra/options.ts"
import { toNodeHandler } from "../../server/src/node-handler.ts"
import { cookieName, sealCookie } from "../../server/src/operations/console/cookie.ts"
import { makeControlPlane, type Person, type TestPlane, withServices } from "../../server/test/harness.ts"
import { releases } from "../../server/test/setup/file-state.ts"

export { addMember, makeMarketplace, makeTeam, makeWorkspace, runSql } from "../../server/test/harness.ts"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** What went wrong in the pages of a file since the last test: errors of scripts, and violations of the policy. */
const faults: Array<string> = []

/** Browsers of the test that runs, which end with it: their pages keep asking for news. */
const ofTest: Array<BrowserContext> = []
let isTestRunning = false

let browser: Promise<Browser> | undefined
const connected = () => (browser ??= chromium.connect(inject("browser")))

export interface Viewer {
  readonly page: Page
  /** Opens a page of the console, such as `/plugins`, and waits until it has loaded. */
  readonly open: (path: string) => Promise<void>
  /** Goes to a page as a link of the console would, which loads only what the page needs. */
  readonly go: (path: string) => Promise<void>
}

export interface ConsoleUnderTest {
  readonly plane: TestPlane
  /** Such as `http://127.0.0.1:4000`. */
  readonly url: string
  /** A browser of its own for a person, who is signed in. Without a person, nobody is. */
  readonly viewer: (
    person?: Person,
    options?: { readonly width?: number; readonly isDark?: boolean }
  ) => Promise<Viewer>
}

/** Starts a control plane that listens, closed after the test file. */
export const startConsole = async (options: Partial<ControlPlaneOptions> = {}): Promise<ConsoleUnderTest> => {
  let handle: ReturnType<typeof toNodeHandler> | undefined
  const server = createServer((request, response) => handle?.(request, response))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const plane = await makeControlPlane({ console: true, publicUrl: url, ...options })
  handle = toNodeHandler(plane)
  releases.push(() => {
    server.closeAllConnections()
    server.close()
  })
  await vi.waitFor(async () => expect((await fetch(`${url}${options.pathPrefix ?? ""}/console/`)).status).toBe(200), {
    timeout: 60_000
  })

  const viewer: ConsoleUnderTest["viewer"] = async (person, { isDark = false, width = 1280 } = {}) => {
    const context = await (
      await connected()
    ).newContext({
      baseURL: url,
      // Otherwise it is that of the environment, which may be none that JavaScript knows.
      locale: "en-US",
      viewport: { width, height: 800 },
      colorScheme: isDark ? "dark" : "light",
      reducedMotion: "reduce"
    })
    // The limit has to hold on a busy machine.
    context.setDefaultTimeout(60_000)
    if (isTestRunning) ofTest.push(context)
    else releases.push(() => context.close())
    await context.addInitScript(() => {
      document.addEventListener("securitypolicyviolation", ({ blockedURI, violatedDirective }) =>
        console.error(`The policy blocked ${violatedDirective} ${blockedURI}`)
      )
    })
    if (person !== undefined) {
      const value = await withServices(
        plane,
        Effect.map(KeyRing, (keyRing) => sealCookie(keyRing, { token: person.token, isOwn: false }))
      )
      await context.addCookies([
        { name: cookieName, value, domain: "127.0.0.1", path: "/console", httpOnly: true, sameSite: "Strict" }
      ])
    }
    const page = await context.newPage()
    page.on("pageerror", (error) => faults.push(`${page.url()}: ${String(error)}`))
    page.on("console", (message) => {
      // The browser also reports responses with an error status, which tests of refusals expect.
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
        faults.push(`${page.url()}: ${message.text()}`)
      }
    })
    return {
      page,
      open: async (path) => {
        await page.goto(`/console${path}`)
        await loaded(page)
      },
      go: async (path) => {
        if (page.url().startsWith(`${url}/console/`)) await page.evaluate(navigate, `/console${path}`)
        else await page.goto(`/console${path}`)
        await loaded(page)
      }
    }
  }
  return { plane, url, viewer }
}

interface Router {
  readonly history: { readonly push: (href: string) => void }
  readonly state: {
    readonly status: string
    readonly location: { readonly href: string }
    readonly resolvedLocation?: { readonly href: string }
  }
}

/** Runs in a page: goes to another page, and waits until it is shown instead of this one. */
const navigate = async (href: string) => {
  const router = (globalThis as unknown as { readonly __TSR_ROUTER__: Router }).__TSR_ROUTER__
  const before = router.state.resolvedLocation
  router.history.push(href)
  const isShown = () => {
    const { location, resolvedLocation, status } = router.state
    return status === "idle" && resolvedLocation !== before && resolvedLocation?.href === location.href
  }
  do await new Promise((resolve) => setTimeout(resolve, 10))
  while (!isShown())
}

/** Waits until nothing on the page is loading. */
export const loaded = async (page: Page): Promise<void> => {
  await page.locator("h1").first().waitFor()
  // `waitForFunction` takes the promise of an asynchronous function for true.
  const isLoaded = () =>
    page.evaluate(async () => {
      const isIdle = () => document.querySelector('[aria-busy="true"]') === null
      if (!isIdle()) return false
      // What has just been shown starts to load in the next frame.
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
      return isIdle()
    })
  await expect.poll(isLoaded, { interval: 10, message: page.url() }).toBe(true)
}

/** Rules whose results depend on the theme or on the width. */
const rulesOfLooks = ["color-contrast", "link-in-text-block", "scrollable-region-focusable", "target-size"]

interface Axe {
  readonly run: (options: RunOptions) => Promise<AxeResults>
}

/** Fails with what axe finds on the page. */
export const checkAccessibility = async (page: Page, rules?: ReadonlyArray<string>): Promise<void> => {
  // A page that was checked before still has it.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe)
  const violations = await page.evaluate(async (values) => {
    const { run } = (globalThis as unknown as { readonly axe: Axe }).axe
    const results = await run({
      // Of the rest, only one element for each rule is described.
      resultTypes: ["violations"],
      // It is off by default.
      rules: { "target-size": { enabled: true } },
      ...(values === undefined ? {} : { runOnly: { type: "rule", values: [...values] } })
    })
    return results.violations.map(({ id, nodes }) => ({
      id,
      nodes: nodes.slice(0, 3).map(({ failureSummary, html }) => `${html.slice(0, 200)} ${failureSummary ?? ""}`)
    }))
  }, rules)
  expect(violations, page.url()).toEqual([])
}

/** Fails if the page is wider than the window, or if an element cuts its text off without an ellipsis. */
export const checkWidth = async (page: Page): Promise<void> => {
  const { content, cut, window } = await page.evaluate(() => {
    const isCut = (element: Element) => {
      if (element.scrollWidth <= element.clientWidth + 1 || element.matches("input, select, textarea, svg *"))
        return false
      const { clipPath, overflowX, textOverflow } = getComputedStyle(element)
      // Texts for screen readers alone are cut on purpose.
      return (overflowX === "hidden" || overflowX === "clip") && textOverflow !== "ellipsis" && clipPath === "none"
    }
    return {
      content: document.documentElement.scrollWidth,
      window: document.documentElement.clientWidth,
      cut: [...document.body.querySelectorAll("*")].filter(isCut).map(({ outerHTML }) => outerHTML.slice(0, 200))
    }
  })
  expect(content, page.url()).toBeLessThanOrEqual(window)
  expect(cut, page.url()).toEqual([])
}

const failures = /^(?:Not found|The request failed|Something went wrong|You are not allowed to do this)$/

/** Fails if the page has no content, or the failure to load it instead. */
const checkContent = async (page: Page): Promise<void> => {
  const { alerts, texts } = await page.evaluate(() => ({
    alerts: [...document.querySelectorAll('main [role="alert"] > strong')].map(({ textContent }) => textContent),
    texts: [...document.querySelectorAll("main :not(header *):not(:has(*))")].map(({ textContent }) =>
      textContent.trim()
    )
  }))
  expect(texts.join(""), page.url()).not.toBe("")
  expect(
    alerts.filter((title) => failures.test(title)),
    page.url()
  ).toEqual([])
}

/** The theme and the width change nothing else than what the rules are about. */
const looks = [
  { name: "1280-light", width: 1280, colorScheme: "light", rules: undefined },
  { name: "360-dark", width: 360, colorScheme: "dark", rules: rulesOfLooks },
  { name: "3840-dark", width: 3840, colorScheme: "dark", rules: [] }
] as const

/** Sets the width and the theme, and opens the page in them before it is looked at. */
const lookWith = async (page: Page, name: string, open: () => Promise<void>) => {
  for (const [index, look] of looks.entries()) {
    await page.setViewportSize({ width: look.width, height: 800 })
    await page.emulateMedia({ colorScheme: look.colorScheme })
    if (index === 0) await open()
    if (look.rules?.length !== 0) await checkAccessibility(page, look.rules)
    // Charts are drawn in the frame after the one that changes their size.
    else
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
    await checkWidth(page)
    await screenshot(page, `${name}-${look.name}`)
  }
}

/** What the tests of the file have looked at. */
const seenPaths = new Set<string>()

/** Looks at an open page as `lookAt` does, in a test that has what the page shows. */
export const lookAtOpen = async (page: Page, name: string): Promise<void> => {
  await lookWith(page, name, async () => {
    await loaded(page)
    await checkContent(page)
  })
  seenPaths.add(new URL(page.url()).pathname.replace(/^\/console/, ""))
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.emulateMedia({ colorScheme: "light" })
}

/** Names of the tabs of an open page, without numbers. */
const tabsOf = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('main .tabs [role="tab"]')].map((tab) => ({
      tab: tab.textContent.replaceAll(/\d+/g, "").trim(),
      isSelected: tab.getAttribute("aria-selected") === "true"
    }))
  )

export interface Sight {
  /** Paths that show a failure on purpose. */
  readonly failing?: ReadonlyArray<string>
  /** Looks at what else a page must show. */
  readonly check?: (path: string) => Promise<void>
}

/** Whether a path leads to a page such as `/plugins/$pluginId`. */
const leadsTo = (page: string, path: string) =>
  new RegExp(`^${page.replaceAll(/\$\w+/g, "[^/?]+")}(?:\\?|$)`).test(path)

/**
 * Looks at all pages of an area and at their tabs in one browser tab, in both themes and at three widths: everything that
 * axe finds in the first look, and what the theme and the width change in the others. Pages that other tests of the file
 * have looked at need not be listed.
 */
export const lookAt = async (
  { go, page }: Viewer,
  area: Area,
  pages: ReadonlyArray<readonly [name: string, path: string]>,
  { check = () => Promise.resolve(), failing = [] }: Sight = {}
): Promise<void> => {
  const paths = Object.keys(area.pages)
  const seen = [...seenPaths, ...pages.map(([, path]) => path)]
  // A static path such as `/connectors/new` is also one of `/connectors/$connectorId`.
  const pageOf = (path: string) =>
    paths.find((each) => each === path.replace(/\?.*/, "")) ?? paths.find((each) => leadsTo(each, path))
  const unseen = paths.filter((each) => !seen.some((path) => pageOf(path) === each))
  expect(unseen, "pages that no test of this file has looked at").toEqual([])
  const seenTabs = new Set<string>()
  const otherTabs = new Map<string, { readonly path: string; readonly tab: string }>()
  for (const [name, path] of pages) {
    await lookWith(page, name, async () => {
      await go(path)
      await check(path)
      if (!failing.includes(path)) await checkContent(page)
    })
    for (const { isSelected, tab } of await tabsOf(page)) {
      const key = `${pageOf(path)} ${tab}`
      if (isSelected) seenTabs.add(key)
      else if (!otherTabs.has(key)) otherTabs.set(key, { path: path.replace(/\?.*/, ""), tab })
    }
  }
  await page.setViewportSize({ width: 360, height: 800 })
  for (const [key, { path, tab }] of otherTabs) {
    if (seenTabs.has(key)) continue
    if (!page.url().replace(/\?.*/, "").endsWith(path)) await go(path)
    await page.locator("main .tabs").getByRole("tab", { name: tab }).click()
    await loaded(page)
    await checkContent(page)
    await checkAccessibility(page)
    await checkWidth(page)
  }
}

/** Saves a screenshot of the page if `ORGPLANE_SCREENSHOTS` names a folder. */
export const screenshot = async (page: Page, name: string): Promise<void> => {
  const folder = process.env["ORGPLANE_SCREENSHOTS"]
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
}

/** Screenshots of the documentation, in both themes. They are written with `ORGPLANE_PICTURES=write`. */
export const picture = async (page: Page, name: string): Promise<void> => {
  if (process.env["ORGPLANE_PICTURES"] !== "write") return
  const size = page.viewportSize()
  await page.setViewportSize({ width: 1280, height: 800 })
  const session = await page.context().newCDPSession(page)
  for (const theme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: theme })
    // Charts are drawn in the frame after the one that shows their new colors.
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
    const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 82 })
    writeFileSync(join(import.meta.dirname, `../../../docs/images/${name}-${theme}.webp`), Buffer.from(data, "base64"))
  }
  await page.emulateMedia({ colorScheme: "light" })
  if (size !== null) await page.setViewportSize(size)
}

/** Closes what a test has opened. `failOnFaults` includes it. */
export const closeAfterEachTest = (): void => {
  beforeEach(() => {
    isTestRunning = true
  })
  afterEach(async () => {
    isTestRunning = false
    await Promise.all(ofTest.splice(0).map((context) => context.close()))
  })
}

/** Forgets the faults of the pages, for tests that provoke them. */
export const forgetFaults = (): void => void faults.splice(0)

/** Call it once in each test file: a test fails if a script of the console fails, or if the policy blocks something. */
export const failOnFaults = (): void => {
  // Workers keep the modules between files.
  beforeAll(() => seenPaths.clear())
  afterEach(() => expect(faults.splice(0)).toEqual([]))
  // The last hook runs first, also if another one fails.
  closeAfterEachTest()
}
