import {
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  lazyRouteComponent,
  useRouter
} from "@tanstack/react-router"
import type { LoadPage } from "./area.ts"
import { areas } from "./areas.ts"
import { basePath, queries, signInClient, statusOf } from "./api/client.ts"
import { CodeUnavailable } from "./design/explain.ts"
import { Empty, Failure } from "./design/ui.tsx"
import { Shell } from "./shell/shell.tsx"

/** A page that fails, inside the frame, which still leads to the others. */
const PageFailure = ({ error, reset }: ErrorComponentProps) => {
  const { invalidate } = useRouter()
  const retry = async () => {
    // What the page has read may be wrong, and its code may be missing.
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

const isServerReachable = () =>
  signInClient.system.health({ retries: 0, timeoutMillis: 5000 }).then(
    () => true,
    (error: unknown) => statusOf(error) !== undefined
  )

/**
 * Loads the code of a page. If a newer version of the console has replaced the code, the router reloads the document once.
 * Without the server, that would replace the console by an error page of the browser.
 */
const loaderOf =
  (load: LoadPage): LoadPage =>
  async () => {
    try {
      return await load()
    } catch (cause) {
      if (await isServerReachable()) throw cause
      throw new CodeUnavailable("The code of the page could not be loaded.", { cause })
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
