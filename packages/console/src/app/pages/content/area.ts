import type { Area } from "../../area.ts"

export const content: Area = {
  title: "Content",
  entries: [
    { to: "/plugins", name: "Plugins" },
    { to: "/marketplaces", name: "Marketplaces" },
    { to: "/connectors", name: "Connectors" }
  ],
  pages: {
    "/plugins": () => import("./plugins.tsx"),
    "/plugins/$pluginId": () => import("./plugin.tsx"),
    "/marketplaces": () => import("./marketplaces.tsx"),
    "/connectors": () => import("./connectors.tsx")
  }
}
