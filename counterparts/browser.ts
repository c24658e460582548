/** Chromium, controlled through the pinned Puppeteer, and all that a page reports. */
import { pathToFileURL } from "node:url"
import { fileOf, findChromium } from "./programs.ts"

export const chromium = findChromium()

interface Element {
  readonly click: () => Promise<void>
  readonly type: (text: string) => Promise<void>
  readonly press: (key: string) => Promise<void>
}

interface Response {
  readonly url: () => string
  readonly status: () => number
  readonly buffer: () => Promise<Buffer>
}

interface Dialog {
  readonly message: () => string
  readonly accept: () => Promise<void>
}

/** The parts of a Puppeteer page that the suites use. */
export interface Page {
  readonly goto: (url: string, options: { readonly waitUntil: "networkidle0" }) => Promise<Response | null>
  readonly url: () => string
  readonly $: (selector: string) => Promise<Element | null>
  readonly evaluate: <A>(expression: string) => Promise<A>
  readonly waitForSelector: (selector: string, options?: { readonly visible: boolean }) => Promise<Element | null>
  readonly waitForFunction: (expression: string) => Promise<unknown>
  readonly keyboard: {
    readonly press: (key: string) => Promise<void>
    readonly down: (key: string) => Promise<void>
    readonly up: (key: string) => Promise<void>
    readonly type: (text: string) => Promise<void>
  }
  readonly evaluateOnNewDocument: (script: string) => Promise<unknown>
  readonly setViewport: (size: { readonly width: number; readonly height: number }) => Promise<void>
  readonly screenshot: (options: { readonly path: string }) => Promise<unknown>
  readonly close: () => Promise<void>
  readonly on: {
    (event: "console", listener: (message: { type: () => string; text: () => string }) => void): void
    (event: "pageerror", listener: (error: unknown) => void): void
    (event: "response", listener: (response: Response) => void): void
    (event: "dialog", listener: (dialog: Dialog) => void): void
  }
}

interface Browser {
  /** A context has its own storage. */
  readonly createBrowserContext: () => Promise<{ readonly newPage: () => Promise<Page> }>
  readonly close: () => Promise<void>
}

interface Puppeteer {
  readonly launch: (options: {
    readonly executablePath: string
    readonly headless: boolean
    readonly args: ReadonlyArray<string>
  }) => Promise<Browser>
}

/** A page, and what it reported since it was opened. */
export interface OpenPage {
  readonly page: Page
  /** Errors and warnings on the console, and exceptions. */
  readonly problems: Array<string>
  readonly responses: Array<Response>
  /** The messages of the dialogs. All are accepted. */
  readonly dialogs: Array<string>
  /** Violations of the Content-Security-Policy on the current document. */
  readonly violations: () => Promise<ReadonlyArray<string>>
  /** Clicks the first element that matches. */
  readonly click: (selector: string) => Promise<void>
  /** Whether the element is rendered. */
  readonly isVisible: (selector: string) => Promise<boolean>
  readonly textOf: (selector: string) => Promise<string>
}

const recordViolations = `
  window.recordedViolations = []
  document.addEventListener("securitypolicyviolation", (event) =>
    window.recordedViolations.push(event.effectiveDirective + " " + event.blockedURI))
`

const openPage = async (browser: Browser): Promise<OpenPage> => {
  const page = await (await browser.createBrowserContext()).newPage()
  await page.setViewport({ width: 1400, height: 1000 })
  const problems: Array<string> = []
  const responses: Array<Response> = []
  const dialogs: Array<string> = []
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warn") problems.push(message.text())
  })
  page.on("pageerror", (error) => problems.push(String(error)))
  page.on("response", (response) => responses.push(response))
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.message())
    void dialog.accept()
  })
  await page.evaluateOnNewDocument(recordViolations)
  const quoted = JSON.stringify
  return {
    page,
    problems,
    responses,
    dialogs,
    violations: () => page.evaluate("window.recordedViolations"),
    click: async (selector) => {
      const element = await page.waitForSelector(selector)
      if (element === null) throw new Error(`No element matches ${selector}.`)
      await element.click()
    },
    isVisible: (selector) => page.evaluate(`document.querySelector(${quoted(selector)})?.checkVisibility() === true`),
    textOf: (selector) => page.evaluate(`document.querySelector(${quoted(selector)})?.textContent ?? ""`)
  }
}

export interface OpenBrowser {
  readonly open: () => Promise<OpenPage>
  readonly close: () => Promise<void>
}

export const openBrowser = async (): Promise<OpenBrowser> => {
  if (chromium === undefined) throw new Error("Chromium is not installed.")
  const program = pathToFileURL(fileOf("puppeteer-core", "lib/puppeteer/puppeteer-core.js")).href
  const { default: puppeteer } = (await import(program)) as { readonly default: Puppeteer }
  const browser = await puppeteer.launch({
    executablePath: chromium,
    headless: true,
    // The sandbox does not work for root. The pages are our own.
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
  })
  return { open: () => openPage(browser), close: () => browser.close() }
}
