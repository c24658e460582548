/** The browser that comes with an npm package, so that nothing has to be installed. */
import sparticuz from "@sparticuz/chromium"
import type { LaunchOptions } from "playwright-core"

/**
 * It contacts nothing but the pages of the tests. The arguments of the package would run it as a single process, which
 * ends with the first context that is closed.
 */
const browserArguments = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-quic",
  "--no-first-run"
]

export const browserOptions = async (): Promise<LaunchOptions> => ({
  executablePath: await sparticuz.executablePath(),
  headless: true,
  args: browserArguments
})
