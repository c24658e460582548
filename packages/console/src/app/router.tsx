import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from "@tanstack/react-router"
import { basePath } from "./api/client.ts"
import { Failure } from "./design/ui.tsx"
import { Shell } from "./shell/shell.tsx"

const root = createRootRoute({
  component: Shell,
  errorComponent: ({ error }) => <Failure error={error} />,
  notFoundComponent: () => <p>This page does not exist.</p>
})

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/plugins" })
  }
})
const plugins = createRoute({
  getParentRoute: () => root,
  path: "/plugins",
  component: lazyRouteComponent(() => import("./pages/plugins.tsx"), "Page")
})

export const router = createRouter({
  routeTree: root.addChildren([home, plugins]),
  basepath: basePath,
  defaultPreload: "intent"
})

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router
  }
}
