/** A document of the repository and its place on the site. */
export interface Page {
  readonly title: string
  /** The path of the document in the repository. */
  readonly source: string
  /** The path of the page, without a leading slash. */
  readonly page: string
}

const page = (title: string, source: string, path: string): Page => ({ title, source, page: path })
const guide = (title: string, name: string): Page => page(title, `docs/${name}.md`, `guides/${name}`)

/** The handwritten pages, in the order of the navigation. */
export const outline: ReadonlyArray<{ readonly title: string; readonly pages: ReadonlyArray<Page> }> = [
  {
    title: "Start",
    pages: [
      page("Getting started", "docs/getting-started.md", "getting-started"),
      page("The command line", "docs/cli.md", "guides/cli"),
      page("The web console", "docs/console.md", "guides/console"),
      page("The TypeScript client", "docs/sdk.md", "guides/sdk"),
      page("Concepts", "docs/concepts.md", "concepts"),
      page("Embed orgplane", "docs/embedding.md", "guides/embedding")
    ]
  },
  {
    title: "Identity and access",
    pages: [
      guide("Invite people and give access", "invite-people"),
      guide("Events", "events"),
      guide("Webhook endpoints", "webhook-endpoints"),
      guide("Event streams", "event-streams")
    ]
  },
  {
    title: "Agents",
    pages: [
      guide("MCP connections", "mcp-connections"),
      guide("MCP diagnostics", "mcp-diagnostics"),
      guide("LLM providers", "llm-providers"),
      guide("Mail and calendar", "capabilities"),
      guide("Workers", "workers"),
      guide("Memory", "memory"),
      guide("Telemetry over HTTP", "telemetry"),
      guide("Telemetry with the client", "telemetry-sdk"),
      guide("Metrics and analytics", "metrics")
    ]
  },
  {
    title: "Content",
    pages: [
      guide("Connect a repository", "connect-a-repository"),
      guide("Remote plugins", "remote-sources"),
      guide("Templates", "templates"),
      guide("Capabilities of a plugin", "plugin-capabilities"),
      guide("Approvals", "approvals"),
      guide("Assignments", "assignments"),
      guide("Plugins in Claude Code", "claude-code"),
      guide("Agents on a machine", "agents"),
      guide("Desired state", "desired-state")
    ]
  },
  {
    title: "Enterprise",
    pages: [
      guide("Single sign-on", "sso"),
      guide("SAML", "sso-saml"),
      guide("Domains", "sso-domains"),
      guide("SCIM directories", "scim-directories"),
      guide("SCIM 2.0", "scim"),
      guide("SCIM conformance", "scim-conformance"),
      guide("Desktop policies", "desktop-policies")
    ]
  },
  {
    title: "Operations",
    pages: [
      guide("What needs attention", "attention"),
      page("Install with systemd", "docs/install.md", "operations/install"),
      page("Install in containers", "docs/containers.md", "operations/containers"),
      page("Configuration", "docs/configuration.md", "operations/configuration"),
      page("Configuration as code", "docs/configuration-as-code.md", "operations/configuration-as-code"),
      page("Upgrade and downgrade", "docs/upgrade.md", "operations/upgrade"),
      page("Releases and compatibility", "docs/releasing.md", "operations/releasing"),
      page("Backup and restore", "docs/backup.md", "operations/backup"),
      page("Move to another database", "docs/move.md", "operations/move"),
      page("Data retention", "docs/retention.md", "operations/retention"),
      page("Keys", "docs/keys.md", "operations/keys"),
      page("Monitoring", "docs/monitoring.md", "operations/monitoring"),
      page("Logs", "docs/logs.md", "operations/logs"),
      page("Server metrics", "docs/server-metrics.md", "operations/server-metrics"),
      page("Runbook", "docs/runbook.md", "operations/runbook"),
      page("Reliability", "docs/reliability.md", "operations/reliability"),
      page("Scale", "docs/scale.md", "operations/scale"),
      page("Cost of a request", "docs/request-cost.md", "operations/request-cost"),
      page("Security", "SECURITY.md", "operations/security")
    ]
  },
  {
    title: "Development",
    pages: [
      page("Contributing", "CONTRIBUTING.md", "development/contributing"),
      page("Architecture", "docs/architecture.md", "development/architecture"),
      page("Design decisions", "docs/choices.md", "development/choices"),
      page("Dependencies", "docs/dependencies.md", "development/dependencies")
    ]
  }
]

const errors = page("Errors", "docs/errors.md", "reference/errors")
const eventTypes = page("Event types", "docs/event-types.md", "reference/event-types")
const index = page("Documentation", "docs/README.md", "index")

export const documents: ReadonlyArray<Page> = [...outline.flatMap(({ pages }) => pages), errors, eventTypes, index]
