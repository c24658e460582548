import {
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  lazyRouteComponent,
  useRouter
} from "@tanstack/react-router"
import { useEffect, useState } from "react"
import type { LoadPage } from "./area.ts"
import { areas } from "./areas.ts"
import { basePath, isServerReachable, queries } from "./api/client.ts"
import { CodeUnavailable } from "./design/explain.ts"
import { Empty, Failure } from "./design/ui.tsx"
import { Shell } from "./shell/shell.tsx"

const retryMilliseconds = 5000
const reloadedKey = "orgplane-reloaded-at"
const millisecondsBetweenReloads = 60_000

/** Whether the document may be loaded again automatically: a permanent failure would otherwise do so in a loop. */
const isReloadDue = () => Date.now() - Number(sessionStorage.getItem(reloadedKey) ?? 0) > millisecondsBetweenReloads

/** Loads the document again if the server can be reached, so that no error page of the browser replaces the console. */
const reloadDocument = async (): Promise<boolean> => {
  if (!(await isServerReachable())) return false
  sessionStorage.setItem(reloadedKey, String(Date.now()))
  location.reload()
  return true
}

/**
 * Loads the document again, because browsers cache the failure of a script: immediately if the server can be reached, and
 * otherwise when it can be reached again. A page whose code is not loaded has no unsaved changes.
 */
const PageWithoutCode = ({ error }: { readonly error: CodeUnavailable }) => {
  const { isServerReachable: wasReachable } = error
  const [isStale, setStale] = useState(() => wasReachable && isReloadDue())
  useEffect(() => {
    const reload = () => void reloadDocument()
    if (isStale) void reloadDocument().then(setStale)
    if (wasReachable) return
    const timer = setInterval(reload, retryMilliseconds)
    addEventListener("online", reload)
    return () => {
      clearInterval(timer)
      removeEventListener("online", reload)
    }
  }, [isStale, wasReachable])
  return isStale ? null : <Failure error={error} retry={() => void reloadDocument()} />
}

/** The failure of a page, inside the frame, so that the links to other pages still work. */
const PageFailure = ({ error, reset }: ErrorComponentProps) => {
  const { invalidate } = useRouter()
  if (error instanceof CodeUnavailable) return <PageWithoutCode error={error} />
  const retry = async () => {
    // The cached data may be the cause.
    queries.removeQueries({ type: "inactive" })
    await invalidate()
    reset()
  }
  return <Failure error={error} retry={() => void retry()} />
}

const root = createRootRoute({
  component: Shell,
  errorComponent: ({ error }) => <Failure error={error} />,
  notFoundComponent: () => <Empty title="This page does not exist" />
})

/** How messages of Vite, Chromium, Firefox and Safari begin if code could not be loaded. Other errors are those of the code. */
const missingCode =
  /^(?:Unable to preload CSS|Failed to fetch dynamically|error loading dynamically|Importing a module script failed)/

/** Loads the code of a page. */
const loaderOf = (load: LoadPage): LoadPage => {
  /** At the second attempt, Vite would leave out the style sheets that could not be loaded. */
  let failure: Error | undefined
  return async () => {
    try {
      if (failure !== undefined) throw failure
      return await load()
    } catch (cause) {
      if (!(cause instanceof Error) || !missingCode.test(cause.message)) throw cause
      failure = cause
      throw new CodeUnavailable("The code of the page could not be loaded.", await isServerReachable(), cause)
    }
  }
}

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  component: lazyRouteComponent(
    loaderOf(() => import("./pages/home.tsx")),
    "Page"
  )
})

const routes = areas
  .flatMap(({ pages }) => Object.entries(pages))
  .map(([path, load]) =>
    createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(loaderOf(load), "Page") })
  )

export const router = createRouter({
  routeTree: root.addChildren([home, ...routes]),
  basepath: basePath,
  defaultPreload: "intent",
  defaultErrorComponent: PageFailure
})
