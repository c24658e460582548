import type { Area } from "../../area.ts"

export const people: Area = {
  title: "People",
  entries: [
    { to: "/members", name: "Members" },
    { to: "/teams", name: "Teams" },
    { to: "/roles", name: "Roles" },
    { to: "/api-keys", name: "API keys" }
  ],
  pages: {
    "/members": () => import("./members.tsx"),
    "/teams": () => import("./teams.tsx"),
    "/roles": () => import("./roles.tsx"),
    "/api-keys": () => import("./api-keys.tsx")
  }
}
