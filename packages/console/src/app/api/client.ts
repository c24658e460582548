/** The client of the console: the SDK, whose requests the server forwards with the session of the cookie. */
import { createClient, OrgplaneError } from "@orgplane/client"
import { QueryClient } from "@tanstack/react-query"

/** Where the console is served, such as `/console`. The server writes it into the page. */
export const basePath = new URL(document.baseURI).pathname.replace(/\/$/, "")

const organizationKey = "orgplane-organization"

/** The organization that this browser showed last. A tab keeps its own. */
export const selectedOrganization = (): string | undefined =>
  sessionStorage.getItem(organizationKey) ?? localStorage.getItem(organizationKey) ?? undefined

export const selectOrganization = (id: string | undefined): void => {
  for (const storage of [sessionStorage, localStorage]) {
    if (id === undefined) storage.removeItem(organizationKey)
    else storage.setItem(organizationKey, id)
  }
}

const clientFor = (organizationId: string | undefined) =>
  createClient({
    baseUrl: `${location.origin}${basePath}/api`,
    token: null,
    organizationId,
    headers: { "x-orgplane-console": "1" }
  })

export type Client = ReturnType<typeof clientFor>
export let client: Client = clientFor(selectedOrganization())

/** Shows another organization: its data replaces all that was loaded. */
export const useClientOf = (organizationId: string | undefined): void => {
  selectOrganization(organizationId)
  client = clientFor(organizationId)
  queries.clear()
}

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // The client retries by itself, and knows which failures pass.
      retry: false
    }
  }
})

export const statusOf = (error: unknown): number | undefined =>
  error instanceof OrgplaneError ? error.status : undefined
