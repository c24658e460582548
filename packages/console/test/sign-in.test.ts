/** Signing in to the console, and signing in again without losing what was typed. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Page } from "playwright-core"
import { afterAll, beforeEach, describe, expect, it } from "vitest"
import { signIn } from "../../server/test/harness.ts"
import { connectSso, giveEmail, serveStandIn } from "../../server/test/enterprise/sso.fixture.ts"
import {
  addMember,
  checkAccessibility,
  checkWidth,
  failOnFaults,
  loaded,
  makeWorkspace,
  screenshot,
  startConsole
} from "./harness.ts"

failOnFaults()

const standIn = await serveStandIn()
afterAll(() => standIn.close())
beforeEach(() => standIn.reset())

const { plane, url, viewer } = await startConsole({
  workers: false,
  outbound: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] }
})
const owner = await makeWorkspace(plane, "Acme")
await connectSso(plane, owner, standIn, { domain: "acme.example", jit: { enabled: true, role: "admin" } })

let people = 0
/** A member with a verified email address, who is signed in with a session of their own. */
const makePerson = async (workspace = owner) => {
  people += 1
  const email = `person-${people}@acme.example`
  const member = await addMember(plane, workspace, "admin")
  await giveEmail(plane, member, email)
  return { ...member, email }
}

/** Ends the session of a person at once. */
const endSession = async (person: { readonly call: (method: string, path: string) => Promise<{ status: number }> }) =>
  expect((await person.call("DELETE", "/v1/sessions/current")).status).toBe(204)

const codeFor = async (email: string, after = 0) => {
  const mails = () => plane.mails.filter(({ to }) => to === email)
  await expect.poll(() => mails().length).toBeGreaterThan(after)
  return /code=([2-9A-HJ-NP-Z]{8})/.exec(mails().at(-1)?.text ?? "")?.[1] ?? ""
}

const signInHeading = (page: Page) => page.getByRole("heading", { name: "Sign in to orgplane" })
const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name })
const ended = (page: Page) => page.getByRole("dialog", { name: "Your session has ended" })

/** What a script of the page can read. */
const readable = (page: Page) =>
  page.evaluate(() => JSON.stringify([document.cookie, Object.entries(localStorage), Object.entries(sessionStorage)]))

describe("an email code", () => {
  it("signs in on the page that was opened, and gives its scripts no token", async () => {
    const person = await makePerson()
    const { page } = await viewer()
    const bodies: Array<Promise<string>> = []
    page.on("response", (response) => {
      if (response.url().includes("/console/api/")) bodies.push(response.text().catch(() => ""))
    })
    await page.goto("/console/teams?view=all")
    await signInHeading(page).waitFor()
    await checkAccessibility(page)
    await screenshot(page, "sign-in")
    await page.getByLabel("Email address").fill(person.email)
    await page.getByRole("button", { name: "Send a code" }).click()
    await page.getByLabel("Code").fill("22222222")
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByText("The code is wrong, used or expired.").waitFor()
    await checkAccessibility(page)
    await page.getByLabel("Code").fill(await codeFor(person.email))
    await page.keyboard.press("Enter")
    await heading(page, "Teams").waitFor()
    expect(new URL(page.url()).pathname).toBe("/console/teams")
    expect((await Promise.all(bodies)).filter((body) => body.includes("ops_"))).toEqual([])
    expect(await readable(page)).not.toContain("ops_")
    await page.getByRole("button", { name: "Sign out" }).click()
    await signInHeading(page).waitFor()
    expect(await page.context().cookies()).toEqual([])
  })

  it("fits on a small screen", async () => {
    const { page } = await viewer(undefined, { width: 360, isDark: true })
    await page.goto("/console/")
    await signInHeading(page).waitFor()
    await checkWidth(page)
    await checkAccessibility(page)
  })
})

describe("single sign-on", () => {
  it("goes to the identity provider, and returns to the page that was opened", async () => {
    standIn.person = { sub: "eve", email: "eve@acme.example", email_verified: true }
    const { page } = await viewer()
    await page.goto("/console/members")
    await page.getByLabel("Email address").fill("eve@acme.example")
    await page.getByRole("button", { name: "Use single sign-on" }).click()
    await heading(page, "Members").waitFor()
    expect(page.url()).toBe(`${url}/console/members`)
    expect(await readable(page)).not.toMatch(/ops_|codeVerifier/)
    const [cookie] = await page.context().cookies()
    expect(cookie).toMatchObject({ name: "orgplane_console", httpOnly: true, sameSite: "Strict", path: "/console" })
    // Only the console accepts it.
    const value = cookie?.value ?? ""
    expect((await fetch(`${url}/v1/me`, { headers: { cookie: `orgplane_console=${value}` } })).status).toBe(401)
  })

  it("starts from a link of the organization with one click", async () => {
    standIn.person = { sub: "eve", email: "eve@acme.example", email_verified: true }
    const { page } = await viewer()
    await page.goto(`/console/sign-in?organizationId=${owner.organizationId}`)
    await signInHeading(page).waitFor()
    await checkAccessibility(page)
    await page.getByRole("button", { name: "Continue with single sign-on" }).click()
    await page.getByRole("navigation", { name: "Main" }).waitFor()
    expect(page.url()).toMatch(/\/console\/$/)
  })

  it("says why the identity provider, or the organization, refused the person", async () => {
    const { page } = await viewer()
    await page.goto("/console/members")
    standIn.error = "access_denied"
    await page.getByLabel("Email address").fill("eve@acme.example")
    await page.getByRole("button", { name: "Use single sign-on" }).click()
    await heading(page, "Not signed in").waitFor()
    await page.getByText("Your identity provider denied access.").waitFor()
    await checkAccessibility(page)
    await page.getByRole("button", { name: "Sign in again" }).click()
    await signInHeading(page).waitFor()
    expect(page.url()).toBe(`${url}/console/members`)
    await page.getByLabel("Email address").fill("eve@elsewhere.example")
    await page.getByRole("button", { name: "Use single sign-on" }).click()
    await page.getByText("No organization uses single sign-on for this address.").waitFor()
  })

  it("does not complete a sign-in in a browser that did not start it", async () => {
    const { page } = await viewer()
    await page.goto("/console/sign-in/return?state=from-another-tab&code=theirs")
    await page.getByText("This sign-in was started in another tab").waitFor()
    expect(page.url()).toBe(`${url}/console/sign-in/return`)
    await checkAccessibility(page)
    expect(await page.context().cookies()).toEqual([])
  })
})

describe("a session token", () => {
  it("signs in with the token in a link only after a click, and removes it from the address", async () => {
    const person = await makePerson()
    const { page } = await viewer()
    await page.goto(`/console/teams#token=${person.token}`)
    await page.getByText("The link that you opened contains a session token.").waitFor()
    expect(page.url()).toBe(`${url}/console/teams`)
    expect(await page.context().cookies()).toEqual([])
    await checkAccessibility(page)
    await page.getByRole("button", { name: "Sign in with the link" }).click()
    await heading(page, "Teams").waitFor()
    expect(await readable(page)).not.toContain(person.token)
  })

  it("signs in with a pasted token, and rejects an invalid one", async () => {
    const person = await makePerson()
    const { page } = await viewer()
    await page.goto("/console/teams")
    await page.getByRole("button", { name: "Use a session token" }).click()
    await page.getByLabel("Session token").fill("ops_wrong")
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByText("This is not a valid session token.").waitFor()
    await page.getByLabel("Session token").fill(person.token)
    await page.getByRole("button", { name: "Sign in" }).click()
    await heading(page, "Teams").waitFor()
  })
})

describe("the links in emails", () => {
  /** The link in the last email to a person. */
  const linkIn = async (email: string) => {
    const find = () => /http\S+#\S+/.exec(plane.mails.findLast(({ to }) => to === email)?.text ?? "")?.[0] ?? ""
    await expect.poll(find).not.toBe("")
    return find()
  }

  it("sign in with a click", async () => {
    const person = await makePerson()
    const { page } = await viewer()
    await page.goto("/console/")
    await page.getByLabel("Email address").fill(person.email)
    await page.getByRole("button", { name: "Send a code" }).click()
    await page.goto(await linkIn(person.email))
    await page.getByRole("link", { name: "Continue in the console" }).click()
    await page.getByText("The link in the email signs you in.").waitFor()
    expect(page.url()).toBe(`${url}/console/sign-in`)
    await checkAccessibility(page)
    await page.getByRole("button", { name: "Sign in with the link" }).click()
    await page.getByRole("navigation", { name: "Main" }).waitFor()
    expect(page.url()).toBe(`${url}/console/`)
  })

  it("accept an invitation, after the right person has signed in", async () => {
    const [email, other] = ["mae@elsewhere.example", await makePerson()]
    const invited = await owner.call("POST", "/v1/invitations", { email, role: "member" })
    expect(invited.status).toBe(201)
    const { page } = await viewer(other)
    await page.goto(await linkIn(email))
    await page.getByRole("link", { name: "Continue in the console" }).click()
    await page.getByText(`It was sent to ${email}`).waitFor()
    await checkAccessibility(page)
    await page.getByRole("button", { name: "Sign in with another address" }).click()
    await page.getByLabel("Email address").fill(email)
    const before = plane.mails.filter(({ to }) => to === email).length
    await page.getByRole("button", { name: "Send a code" }).click()
    await page.getByLabel("Code").fill(await codeFor(email, before))
    await page.getByRole("button", { name: "Sign in" }).click()
    await heading(page, "Join Acme").waitFor()
    await checkAccessibility(page)
    await page.getByRole("button", { name: "Join" }).click()
    await page.getByRole("navigation", { name: "Main" }).waitFor()
    expect(await page.getByLabel("Organization").locator("option:checked").innerText()).toBe("Acme")
    await page.goto("/console/invitation#token=opi_used")
    await page.getByText("It is incomplete, or it was used, canceled or has expired.").waitFor()
  })
})

describe("a session that ends while a person works", () => {
  /** A page whose session has ended after the person typed something. */
  const interrupted = async () => {
    const person = await makePerson()
    const { open, page } = await viewer(person)
    await open("/plugins")
    await endSession(person)
    const field = page
      .getByRole("searchbox")
      .or(page.getByLabel(/search/i))
      .first()
    await field.fill("half a sente")
    await ended(page).waitFor()
    return { field, page, person }
  }

  it("renews the session with an email code in a dialog over the page, and keeps the typed text", async () => {
    const { field, page, person } = await interrupted()
    await checkAccessibility(page)
    await screenshot(page, "session-ended")
    const dialog = ended(page)
    expect(await dialog.getByLabel("Email address").inputValue()).toBe(person.email)
    await dialog.getByRole("button", { name: "Send a code" }).click()
    await dialog.getByLabel("Code").fill(await codeFor(person.email))
    await dialog.getByRole("button", { name: "Sign in" }).click()
    await dialog.waitFor({ state: "detached" })
    expect(await field.inputValue()).toBe("half a sente")
    await page.getByRole("link", { name: "Teams" }).click()
    await heading(page, "Teams").waitFor()
    await loaded(page)
    expect(await ended(page).count()).toBe(0)
  })

  it("renews the session with single sign-on in a separate window", async () => {
    const { field, page, person } = await interrupted()
    standIn.person = { sub: person.email, email: person.email, email_verified: true }
    const opened = page.waitForEvent("popup")
    await ended(page).getByRole("button", { name: "Use single sign-on" }).click()
    const popup = await opened
    await ended(page).waitFor({ state: "detached" })
    expect(await field.inputValue()).toBe("half a sente")
    // Browsers may not let a page close a window that came back from elsewhere.
    if (!popup.isClosed())
      await popup
        .getByRole("heading", { name: "You are signed in" })
        .waitFor()
        .catch(() => undefined)
  })

  it("renews the session in all tabs at once", async () => {
    const { page, person } = await interrupted()
    const second = await page.context().newPage()
    await second.goto("/console/teams")
    await signInHeading(second).waitFor()
    await second.getByLabel("Email address").fill(person.email)
    await second.getByRole("button", { name: "Send a code" }).click()
    await second.getByLabel("Code").fill(await codeFor(person.email))
    await second.getByRole("button", { name: "Sign in" }).click()
    await heading(second, "Teams").waitFor()
    await ended(page).waitFor({ state: "detached" })
  })

  it("shows nothing of one person to another who signs in", async () => {
    const { page } = await interrupted()
    const other = await makePerson()
    const dialog = ended(page)
    await dialog.getByLabel("Email address").fill(other.email)
    await dialog.getByRole("button", { name: "Send a code" }).click()
    await dialog.getByLabel("Code").fill(await codeFor(other.email))
    await Promise.all([
      page.waitForURL(
        (address) => /^\/console\/($|\w+$)/.test(address.pathname) && !address.pathname.endsWith("/plugins")
      ),
      dialog.getByRole("button", { name: "Sign in" }).click()
    ])
    expect(await page.getByText("half a sente").count()).toBe(0)
  })
})

describe("an organization that requires single sign-on", () => {
  it("leads people who signed in another way to its identity provider", async () => {
    const enforcing = await makeWorkspace(plane, "Enforcing")
    await connectSso(plane, enforcing, standIn, { domain: "enforcing.example" })
    const member = await addMember(plane, enforcing, "member")
    await giveEmail(plane, member, "mae@enforcing.example")
    const breakGlass = [enforcing.membershipId]
    expect((await enforcing.call("POST", "/v1/sso/enforce", { breakGlass })).status).toBe(200)
    standIn.person = { sub: "mae", email: "mae@enforcing.example", email_verified: true }
    const { page } = await viewer(member)
    await page.goto("/console/teams")
    const dialog = page.getByRole("dialog", { name: "This organization requires single sign-on" })
    await dialog.waitFor()
    await dialog.getByRole("button", { name: "Continue with single sign-on" }).click()
    await dialog.waitFor({ state: "detached" })
    await heading(page, "Teams").waitFor()
  })
})

describe("a removed organization", () => {
  it("does not show a removed organization in a browser that showed it last", async () => {
    const person = await makePerson()
    const { open, page } = await viewer(person)
    await page.addInitScript(() => {
      if (localStorage.length === 0) localStorage.setItem("orgplane-organization", "org_01h455vb4pex5vsknk084sn02q")
    })
    await open("/teams")
    await heading(page, "Teams").waitFor()
  })
})

describe("the host application's sign-in", () => {
  it("redirects to the host application's sign-in, and returns to the page that was opened below the path prefix", async () => {
    let consoleUrl = ""
    let signsIn = true
    let isKnown = true
    const requested: Array<string> = []
    const host = createServer((request, response) => {
      const returnTo = new URL(request.url ?? "", "http://host").searchParams.get("returnTo") ?? ""
      requested.push(returnTo)
      response.writeHead(302, {
        location: consoleUrl + returnTo,
        ...(signsIn ? { "set-cookie": "app=ada; Path=/" } : {})
      })
      response.end()
    })
    await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve))
    const hosted = await startConsole({
      workers: false,
      pathPrefix: "/orgplane",
      console: { signInUrl: `http://127.0.0.1:${(host.address() as AddressInfo).port}/login` },
      authenticator: (request) =>
        Promise.resolve(
          isKnown && request.headers.get("cookie") === "app=ada"
            ? { subject: "employee-1", name: "Ada", email: "ada@host.example", emailVerified: true }
            : null
        )
    })
    consoleUrl = hosted.url
    const ada = await hosted.viewer()
    await ada.page.goto("/orgplane/console/teams?view=all")
    await ada.page.getByText("You do not belong to an organization yet.").waitFor()
    expect(requested).toEqual(["/orgplane/console/teams?view=all"])
    expect(await ada.page.getByRole("button", { name: "Sign out" }).count()).toBe(0)

    await ada.page.getByLabel("Name").fill("Acme of Ada")
    await ada.page.getByRole("button", { name: "Create the organization" }).click()
    await ada.page.getByLabel("Organization", { exact: true }).waitFor()
    await ada.page.goto("/orgplane/console/teams?new=true")
    const form = ada.page.getByRole("dialog", { name: "Create a team" })
    await form.getByLabel("Name").fill("Platform")
    isKnown = false
    await form.getByRole("button", { name: "Create" }).click()
    await ended(ada.page).waitFor()
    const link = ended(ada.page).getByRole("link", { name: "Sign in (opens a new tab)" })
    expect(await link.getAttribute("href")).toContain("/login?returnTo=%2Forgplane%2Fconsole%2Fteams")
    isKnown = true
    await ada.page.evaluate(() => window.dispatchEvent(new Event("focus")))
    await ended(ada.page).waitFor({ state: "detached" })
    expect(await form.getByLabel("Name").inputValue()).toBe("Platform")
    await form.getByRole("button", { name: "Create" }).click()
    await heading(ada.page, "Platform").waitFor()

    // The token of a link stays in the browser.
    const eve = await hosted.viewer()
    await eve.page.goto("/orgplane/console/invitation#token=opi_used")
    await eve.page.getByText("It is incomplete, or it was used, canceled or has expired.").waitFor()
    expect(requested.splice(1)).toEqual(["/orgplane/console/invitation"])

    signsIn = false
    const bob = await hosted.viewer()
    await bob.page.goto("/orgplane/console/teams")
    await heading(bob.page, "You are not signed in").waitFor()
    await checkAccessibility(bob.page)
    expect(requested).toEqual(["/orgplane/console/teams?view=all", "/orgplane/console/teams"])
    host.closeAllConnections()
    host.close()
  })
})

describe("another person's session", () => {
  it("uses another person's session as soon as its token replaces the cookie", async () => {
    const person = await makePerson()
    const { token } = await signIn(plane, person.userId, owner.organizationId)
    const { page } = await viewer()
    await page.goto(`/console/teams#token=${token}`)
    await page.getByRole("button", { name: "Sign in with the link" }).click()
    await heading(page, "Teams").waitFor()
  })
})
