import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router"
import { areas } from "./areas.ts"
import { basePath } from "./api/client.ts"
import { Empty, Failure } from "./design/ui.tsx"
import { Shell } from "./shell/shell.tsx"

const root = createRootRoute({
  component: Shell,
  errorComponent: ({ error }) => <Failure error={error} />,
  notFoundComponent: () => <Empty title="This page does not exist" />
})

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  component: lazyRouteComponent(() => import("./pages/home.tsx"), "Page")
})

const routes = areas
  .flatMap(({ pages }) => Object.entries(pages))
  .map(([path, load]) => createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load, "Page") }))

export const router = createRouter({
  routeTree: root.addChildren([home, ...routes]),
  basepath: basePath,
  defaultPreload: "intent"
})
