import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from "@tanstack/react-router"
import type { ComponentType } from "react"
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
  beforeLoad: () => {
    throw redirect({ to: "/plugins" })
  }
})

/** The module of a page, which is loaded when the page opens. */
type PageModule = Promise<{ readonly Page: ComponentType }>

const pages: Readonly<Record<string, () => PageModule>> = {
  "/plugins/$pluginId": () => import("./pages/content/plugin.tsx"),
  "/plugins": () => import("./pages/content/plugins.tsx"),
  "/marketplaces": () => import("./pages/content/marketplaces.tsx"),
  "/connectors": () => import("./pages/content/connectors.tsx"),
  "/members": () => import("./pages/people/members.tsx"),
  "/teams": () => import("./pages/people/teams.tsx"),
  "/roles": () => import("./pages/people/roles.tsx"),
  "/api-keys": () => import("./pages/people/api-keys.tsx"),
  "/audit": () => import("./pages/operations/audit.tsx")
}

const routes = Object.entries(pages).map(([path, load]) =>
  createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load, "Page") })
)

export const router = createRouter({
  routeTree: root.addChildren([home, ...routes]),
  basepath: basePath,
  defaultPreload: "intent"
})
