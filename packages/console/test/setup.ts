/** Builds the console, and starts one browser for all test files. */
import "../../server/test/setup/context.ts"
import { chromium } from "playwright-core"
import type { TestProject } from "vitest/node"
import { consoleDirectory } from "../src/files.ts"
import { browserOptions } from "./browser.ts"

declare module "vitest" {
  export interface ProvidedContext {
    /** The address at which the browser of this run is controlled. */
    readonly browser: string
  }
}

/** Starts the browser, whose absence fails the run: nothing is skipped without it. */
const startBrowser = async () => {
  try {
    return await chromium.launchServer({ ...(await browserOptions()), handleSIGINT: false })
  } catch (cause) {
    throw new Error(
      "The browser for the tests of the console cannot be started. It is part of the npm package @sparticuz/chromium: run `npx --yes pnpm@12 install`.",
      { cause }
    )
  }
}

export default async (project: TestProject) => {
  const [server] = await Promise.all([startBrowser(), consoleDirectory()])
  project.provide("browser", server.wsEndpoint())
  return () => server.close()
}
