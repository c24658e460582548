import type { Area } from "../../area.ts"

export const content: Area = {
  title: "Content",
  entries: [
    { to: "/plugins", name: "Plugins", permission: "plugins:read" },
    { to: "/approvals", name: "Approvals", also: "/releases", permission: "approvals:read" },
    { to: "/marketplaces", name: "Marketplaces", permission: "marketplaces:read" },
    { to: "/connectors", name: "Connectors", also: "/connector-accounts", permission: "connectors:read" },
    { to: "/objects", name: "Config objects", permission: "configObjects:read" },
    { to: "/templates", name: "Templates", permission: "templates:read" }
  ],
  pages: {
    "/plugins": () => import("./plugins.tsx"),
    "/plugins/$pluginId": () => import("./plugin.tsx"),
    "/approvals": () => import("./approvals.tsx"),
    "/releases/$releaseId": () => import("./release.tsx"),
    "/marketplaces": () => import("./marketplaces.tsx"),
    "/marketplaces/$marketplaceId": () => import("./marketplace.tsx"),
    "/connectors": () => import("./connectors.tsx"),
    "/connectors/new": () => import("./connector-new.tsx"),
    "/connectors/$connectorId": () => import("./connector.tsx"),
    "/connectors/$connectorId/syncs/$syncId": () => import("./sync.tsx"),
    "/connector-accounts": () => import("./connector-accounts.tsx"),
    "/connector-accounts/$accountId": () => import("./connector-account.tsx"),
    "/objects": () => import("./objects.tsx"),
    "/objects/$objectId": () => import("./object.tsx"),
    "/templates": () => import("./templates.tsx"),
    "/templates/new": () => import("./template-edit.tsx"),
    "/templates/$templateId": () => import("./template.tsx"),
    "/templates/$templateId/edit": () => import("./template-edit.tsx")
  }
}
