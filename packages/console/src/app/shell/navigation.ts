/** The pages of the console, by section, in the order of the sidebar and the command palette. */
export interface NavigationPage {
  readonly to: string
  readonly name: string
}

export const sections: ReadonlyArray<{ readonly title: string; readonly pages: ReadonlyArray<NavigationPage> }> = [
  {
    title: "Content",
    pages: [
      { to: "/plugins", name: "Plugins" },
      { to: "/marketplaces", name: "Marketplaces" },
      { to: "/connectors", name: "Connectors" }
    ]
  },
  {
    title: "People",
    pages: [
      { to: "/members", name: "Members" },
      { to: "/teams", name: "Teams" },
      { to: "/roles", name: "Roles" },
      { to: "/api-keys", name: "API keys" }
    ]
  },
  {
    title: "Operations",
    pages: [{ to: "/audit", name: "Audit" }]
  }
]
