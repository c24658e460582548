/** The client of the console: the SDK, whose requests the server forwards with the session of the cookie. */
import { createClient, type OrgplaneClient, OrgplaneError } from "@orgplane/client"
import { QueryClient } from "@tanstack/react-query"
import { forgetRequests, record } from "./recorder.ts"
import { withoutSecrets } from "./secrets.ts"
import { announceSignOut, noteResponse, rememberSignedIn } from "./session-state.ts"

/** Where the console is served, such as `/console`. The server writes it into the page. */
export const basePath = new URL(document.baseURI).pathname.replace(/\/$/, "")

const organizationKey = "orgplane-organization"

/** The organization that this tab shows: the one that it showed before, or that this browser showed last. */
let selected = sessionStorage.getItem(organizationKey) ?? localStorage.getItem(organizationKey) ?? undefined

export const selectedOrganization = (): string | undefined => selected

/** Selects it for this tab alone. */
const selectInTab = (id: string | undefined): void => {
  selected = id
  if (id === undefined) sessionStorage.removeItem(organizationKey)
  else sessionStorage.setItem(organizationKey, id)
}

// Another tab that switches must not change where this one writes after it is loaded again.
selectInTab(selected)

const selectOrganization = (id: string | undefined): void => {
  selectInTab(id)
  if (id === undefined) localStorage.removeItem(organizationKey)
  else localStorage.setItem(organizationKey, id)
}

const isOptions = (value: unknown) => typeof value === "object" && value !== null && "signal" in value

const clientWith = (organizationId: string | undefined, send: (request: Request) => Promise<Response>) =>
  createClient({
    baseUrl: `${location.origin}${basePath}/api`,
    token: null,
    organizationId,
    headers: { "x-orgplane-console": "1" },
    fetch: send
  })

/** The client for signing in. Its requests are not shown as code. */
export const signInClient = clientWith(undefined, (request) => fetch(request))

/** The body as it is shown: JSON without secrets. Other bodies, such as files, are not shown. */
const shownBody = (body: string): string | undefined => {
  if (body === "") return undefined
  try {
    return JSON.stringify(withoutSecrets(JSON.parse(body)))
  } catch {
    return undefined
  }
}

/** A client for one call, which records the request that it sends. */
const clientFor = (organizationId: string | undefined, operation: string, args: ReadonlyArray<unknown>) =>
  clientWith(organizationId, async (request) => {
    const { pathname, search } = new URL(request.url)
    const body = request.method === "GET" ? "" : await request.clone().text()
    record({
      operation,
      args: (isOptions(args.at(-1)) ? args.slice(0, -1) : args).map(withoutSecrets),
      method: request.method,
      path: pathname.slice(`${basePath}/api`.length) + search,
      body: shownBody(body)
    })
    const response = await fetch(request)
    await noteResponse(response)
    return response
  })

type Group = Readonly<Record<string, (...args: ReadonlyArray<unknown>) => unknown>>

const recording = (organizationId: string | undefined): OrgplaneClient =>
  new Proxy({} as OrgplaneClient, {
    get: (_, group: string) =>
      new Proxy<Group>(
        {},
        {
          get:
            (__, name: string) =>
            (...args: ReadonlyArray<unknown>) => {
              const client = clientFor(organizationId, `${group}.${name}`, args)
              return (client[group as keyof OrgplaneClient] as unknown as Group)[name]?.(...args)
            }
        }
      )
  })

export let client: OrgplaneClient = recording(selectedOrganization())

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // The client retries by itself, and knows which failures pass.
      retry: false
    }
  }
})

let switches = 0

/** How often this tab has switched. The pages of the organization before have state that is about it. */
export const organizationSwitches = (): number => switches

/** Uses another organization from the next request on. */
export const switchOrganization = (id: string | undefined): void => {
  switches += 1
  selectOrganization(id)
  forgetRequests()
  client = recording(id)
}

/** Stays with the organization that the server has chosen for this tab, whichever other tabs switch to. */
export const keepOrganization = (id: string): void => {
  if (selected !== undefined) return
  selectInTab(id)
  client = recording(id)
}

/** Shows another organization: its data replaces all that was loaded. */
export const showOrganization = async (id: string | undefined): Promise<void> => {
  switchOrganization(id)
  await queries.resetQueries()
}

/** Shows the sign-in page, here and in the other tabs, after the session has ended. */
export const leave = async (): Promise<void> => {
  rememberSignedIn(false)
  announceSignOut()
  await showOrganization(undefined)
}

export const statusOf = (error: unknown): number | undefined =>
  error instanceof OrgplaneError ? error.status : undefined

/** Whether a request failed because the server, or a proxy in front of it, could not handle any request. */
export const isServerDown = (error: unknown): boolean => {
  const status = statusOf(error)
  return status === undefined || status === 502 || status === 503 || status === 504
}

export const isServerReachable = (): Promise<boolean> =>
  signInClient.system.health({ retries: 0, timeoutMillis: 5000 }).then(
    () => true,
    (error: unknown) => !isServerDown(error)
  )
