/** The console in a browser: what its first page loads, and the time until a list of many members shows its first row. */
import { consoleDirectory } from "@orgplane/console"
import { ControlPlane, toNodeHandler } from "@orgplane/server"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { chromium, type Page } from "playwright-core"
import { browserOptions } from "../packages/console/test/browser.ts"
import { execute } from "../packages/server/src/infra/sql/execute.ts"
import { median, openDatabase, say } from "./harness.ts"
import { numberedSql } from "./http/rows.ts"

export interface ConsoleOptions {
  readonly members: number
  readonly rounds: number
}

const firstRow = '[role="rowgroup"] [data-index="0"]'

/**
 * Notes in the page when the first row was painted. A measurement from outside would include the time until this process
 * notices the row.
 */
const notePaint = (selector: string) => {
  const observer = new MutationObserver(() => {
    if (document.querySelector(selector) === null) return
    observer.disconnect()
    // This task runs after the frame with the row was painted.
    requestAnimationFrame(() => setTimeout(() => performance.mark("first-row")))
  })
  observer.observe(document, { subtree: true, childList: true })
}

/** Milliseconds from the start of the navigation until the first row of the list was painted. */
const millisToFirstRow = async (page: Page, url: string): Promise<number> => {
  await page.goto(url, { waitUntil: "commit" })
  const mark = await page.waitForFunction(() => performance.getEntriesByName("first-row")[0]?.startTime)
  return Number(await mark.jsonValue())
}

const jsonOf = async <A>(response: Response): Promise<A> => {
  if (!response.ok) throw new Error(`${response.url} returned ${response.status}: ${await response.text()}`)
  return (await response.json()) as A
}

/** Signs in as the browser would, and returns the value of the cookie and the ID of a new organization. */
const signIn = async (url: string, code: () => string | undefined) => {
  const headers: Record<string, string> = {
    "content-type": "application/json",
    "sec-fetch-site": "same-origin",
    "x-orgplane-console": "1"
  }
  const post = (path: string, body: unknown) =>
    fetch(`${url}/console/api${path}`, { method: "POST", headers, body: JSON.stringify(body) })
  const { challengeId } = await jsonOf<{ readonly challengeId: string }>(
    await post("/v1/sessions/email", { email: "ada@acme.example" })
  )
  while (code() === undefined) await new Promise((resolve) => setTimeout(resolve, 20))
  const verified = await post("/v1/sessions/email/verify", { challengeId, code: code() })
  const cookie = verified.headers.get("set-cookie")?.split(";", 1)[0] ?? ""
  headers["cookie"] = cookie
  const { organization } = await jsonOf<{ readonly organization: { readonly id: string } }>(
    await post("/v1/organizations", { name: "Acme" })
  )
  return { value: cookie.slice(cookie.indexOf("=") + 1), organizationId: organization.id }
}

const addMembers = async (url: string, organizationId: string, count: number) => {
  await execute(
    url,
    `INSERT INTO users (id, email, email_verified, name, created_at, updated_at)
     SELECT ${numberedSql("usr", "n")}, 'person' || n || '@example.com', true, 'Person ' || n, now(), now()
     FROM generate_series(1, ${count}) n`
  )
  await execute(
    url,
    `INSERT INTO memberships (organization_id, id, user_id, role, created_at, updated_at)
     SELECT '${organizationId}', ${numberedSql("om", "n")}, ${numberedSql("usr", "n")}, 'member', now(), now()
     FROM generate_series(1, ${count}) n`
  )
  await execute(url, "ANALYZE")
}

export const consoleBench = async ({ members, rounds }: ConsoleOptions): Promise<string> => {
  const began = performance.now()
  await consoleDirectory()
  say(`the build took ${((performance.now() - began) / 1000).toFixed(1)} s, or was there`)
  const database = await openDatabase()
  let code: string | undefined
  let handle: ReturnType<typeof toNodeHandler> | undefined
  const server = createServer((request, response) => handle?.(request, response))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const plane = await ControlPlane.make({
    database: ControlPlane.postgres(database.url),
    secretKeys: ["a-secret-of-the-benchmark-and-of-nothing-else"],
    publicUrl: url,
    console: true,
    modelsUrl: "off",
    logLevel: "warn",
    mailer: {
      send: (mail) => {
        code = /code=(\w{8})/.exec(mail.text)?.[1]
        return Promise.resolve()
      }
    }
  })
  handle = toNodeHandler(plane)
  const browser = await chromium.launch(await browserOptions())
  try {
    while ((await fetch(`${url}/console/`)).status !== 200) await new Promise((resolve) => setTimeout(resolve, 100))
    const { organizationId, value } = await signIn(url, () => code)
    await addMembers(database.url, organizationId, members)
    const open = async () => {
      const context = await browser.newContext({ baseURL: url })
      // The browser of a person who is signed in remembers it, and requests the data together with the code.
      await context.addInitScript(() => localStorage.setItem("orgplane-signed-in", "1"))
      await context.addInitScript(notePaint, firstRow)
      await context.addCookies([{ name: "orgplane_console", value, domain: "127.0.0.1", path: "/console" }])
      return { context, page: await context.newPage() }
    }

    const cold: Array<number> = []
    const warm: Array<number> = []
    let bytes = 0
    for (let round = 0; round < rounds; round++) {
      const { context, page } = await open()
      cold.push(await millisToFirstRow(page, "/console/members"))
      bytes = await page.evaluate(() =>
        [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
          .filter((entry) => !entry.name.includes("/console/api/"))
          .reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).encodedBodySize, 0)
      )
      warm.push(await millisToFirstRow(page, "/console/members"))
      await context.close()
    }
    return [
      `| first page of ${members} members | |`,
      "|---|---:|",
      `| static files, compressed | ${(bytes / 1000).toFixed(0)} kB |`,
      `| first row, empty cache, median of ${rounds} | ${median(cold).toFixed(0)} ms |`,
      `| first row, files in the cache, median of ${rounds} | ${median(warm).toFixed(0)} ms |`
    ].join("\n")
  } finally {
    await browser.close()
    server.closeAllConnections()
    server.close()
    await plane.dispose()
    await database.stop()
  }
}
