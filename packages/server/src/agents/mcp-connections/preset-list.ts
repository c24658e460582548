/** Well-known MCP servers, maintained manually. When you change a URL, update the date it was checked. */
export interface KnownServer {
  readonly presetId: string
  readonly displayName: string
  readonly description: string
  /** The endpoint URL published by the vendor. */
  readonly url: string
  /** Other hosts of the product; the endpoint's own host need not be listed. */
  readonly hosts: ReadonlyArray<string>
  /** Other names of the product. */
  readonly aliases: ReadonlyArray<string>
  /**
   * The server requires a manually registered client: it supports neither client ID metadata documents nor dynamic
   * registration.
   */
  readonly requiresOAuthClient: boolean
  /** The date of the last check. */
  readonly checkedOn: string
}

const server = (
  presetId: string,
  displayName: string,
  url: string,
  hosts: ReadonlyArray<string>,
  description: string,
  { aliases = [], requiresOAuthClient = false }: Partial<Pick<KnownServer, "aliases" | "requiresOAuthClient">> = {}
): KnownServer => ({
  presetId,
  displayName,
  description,
  url,
  hosts,
  aliases,
  requiresOAuthClient,
  checkedOn: "2026-11-22"
})

export const knownServers: ReadonlyArray<KnownServer> = [
  server("airtable", "Airtable", "https://mcp.airtable.com/mcp", ["airtable.com"], "Bases, tables and records."),
  server(
    "amplitude",
    "Amplitude",
    "https://mcp.amplitude.com/mcp",
    ["amplitude.com", "app.amplitude.com"],
    "Product analytics: charts, dashboards, experiments and cohorts."
  ),
  server(
    "apify",
    "Apify",
    "https://mcp.apify.com",
    ["apify.com", "console.apify.com"],
    "Actors that read and automate the web."
  ),
  server(
    "asana",
    "Asana",
    "https://mcp.asana.com/v2/mcp",
    ["asana.com", "app.asana.com"],
    "Tasks, projects and portfolios.",
    { requiresOAuthClient: true }
  ),
  server(
    "atlassian",
    "Atlassian",
    "https://mcp.atlassian.com/v1/mcp",
    ["atlassian.com", "atlassian.net"],
    "Issues in Jira, pages in Confluence, components in Compass.",
    { aliases: ["Jira", "Confluence", "Atlassian Rovo", "Rovo"] }
  ),
  server(
    "attio",
    "Attio",
    "https://mcp.attio.com/mcp",
    ["attio.com", "app.attio.com"],
    "CRM: people, companies, deals, notes and tasks."
  ),
  server(
    "aws-knowledge",
    "AWS Knowledge",
    "https://knowledge-mcp.global.api.aws",
    ["docs.aws.amazon.com"],
    "AWS documentation, guides and API references.",
    { aliases: ["AWS", "AWS Documentation", "Amazon Web Services"] }
  ),
  server(
    "box",
    "Box",
    "https://mcp.box.com",
    ["box.com", "app.box.com"],
    "Search, read and ask questions about files and folders.",
    { requiresOAuthClient: true }
  ),
  server(
    "buildkite",
    "Buildkite",
    "https://mcp.buildkite.com/mcp",
    ["buildkite.com"],
    "Pipelines, builds, jobs and their logs."
  ),
  server("canva", "Canva", "https://mcp.canva.com/mcp", ["canva.com"], "Find, create, fill in and export designs."),
  server(
    "clickup",
    "ClickUp",
    "https://mcp.clickup.com/mcp",
    ["clickup.com", "app.clickup.com"],
    "Tasks, lists, docs and time."
  ),
  server(
    "cloudflare",
    "Cloudflare",
    "https://mcp.cloudflare.com/mcp",
    ["cloudflare.com", "dash.cloudflare.com"],
    "The entire Cloudflare API, through search and code.",
    { aliases: ["Cloudflare API"] }
  ),
  server(
    "cloudflare-bindings",
    "Cloudflare Workers Bindings",
    "https://bindings.mcp.cloudflare.com/mcp",
    ["workers.cloudflare.com"],
    "Workers with their storage, AI and compute.",
    { aliases: ["Cloudflare Workers", "Cloudflare Bindings"] }
  ),
  server(
    "cloudflare-builds",
    "Cloudflare Workers Builds",
    "https://builds.mcp.cloudflare.com/mcp",
    [],
    "Workers builds and their logs.",
    { aliases: ["Cloudflare Builds"] }
  ),
  server(
    "cloudflare-docs",
    "Cloudflare Documentation",
    "https://docs.mcp.cloudflare.com/mcp",
    ["developers.cloudflare.com"],
    "Search the Cloudflare documentation.",
    { aliases: ["Cloudflare Docs"] }
  ),
  server(
    "cloudflare-observability",
    "Cloudflare Observability",
    "https://observability.mcp.cloudflare.com/mcp",
    [],
    "Logs and analytics for Cloudflare services."
  ),
  server(
    "cloudflare-radar",
    "Cloudflare Radar",
    "https://radar.mcp.cloudflare.com/mcp",
    ["radar.cloudflare.com"],
    "Internet traffic, trends and URL scans."
  ),
  server(
    "context7",
    "Context7",
    "https://mcp.context7.com/mcp",
    ["context7.com"],
    "Current library documentation and code examples."
  ),
  server(
    "deepwiki",
    "DeepWiki",
    "https://mcp.deepwiki.com/mcp",
    ["deepwiki.com"],
    "Answers about public repositories, from their generated documentation."
  ),
  server(
    "dropbox",
    "Dropbox",
    "https://mcp.dropbox.com/mcp",
    ["dropbox.com"],
    "Search, read and share files and folders.",
    { requiresOAuthClient: true }
  ),
  server("exa", "Exa", "https://mcp.exa.ai/mcp", ["exa.ai"], "Web search and page contents."),
  server(
    "figma",
    "Figma",
    "https://mcp.figma.com/mcp",
    ["figma.com"],
    "Designs, variables and components, for generating code."
  ),
  server(
    "github",
    "GitHub",
    "https://api.githubcopilot.com/mcp/",
    ["github.com"],
    "Repositories, issues, pull requests and workflows.",
    { requiresOAuthClient: true }
  ),
  server(
    "gitlab",
    "GitLab",
    "https://gitlab.com/api/v4/mcp",
    ["about.gitlab.com"],
    "Projects, issues, merge requests and pipelines."
  ),
  server("grep", "Grep by Vercel", "https://mcp.grep.app", ["grep.app"], "Code search in public repositories.", {
    aliases: ["Grep", "grep.app"]
  }),
  server(
    "honeycomb",
    "Honeycomb",
    "https://mcp.honeycomb.io/mcp",
    ["honeycomb.io", "ui.honeycomb.io"],
    "Queries, traces and service levels."
  ),
  server(
    "hubspot",
    "HubSpot",
    "https://mcp.hubspot.com",
    ["hubspot.com", "app.hubspot.com"],
    "CRM: contacts, companies, deals and tickets.",
    { requiresOAuthClient: true }
  ),
  server(
    "hugging-face",
    "Hugging Face",
    "https://huggingface.co/mcp",
    ["hf.co"],
    "Models, datasets, papers and Spaces.",
    { aliases: ["HuggingFace", "HF"] }
  ),
  server(
    "intercom",
    "Intercom",
    "https://mcp.intercom.com/mcp",
    ["intercom.com", "app.intercom.com"],
    "Customer conversations and contacts."
  ),
  server("linear", "Linear", "https://mcp.linear.app/mcp", ["linear.app"], "Issues, projects and cycles."),
  server(
    "microsoft-learn",
    "Microsoft Learn",
    "https://learn.microsoft.com/api/mcp",
    [],
    "Search the Microsoft documentation.",
    { aliases: ["Microsoft Docs", "MS Learn"] }
  ),
  server("miro", "Miro", "https://mcp.miro.com/", ["miro.com"], "Read and build boards and diagrams."),
  server(
    "mixpanel",
    "Mixpanel",
    "https://mcp.mixpanel.com/mcp",
    ["mixpanel.com"],
    "Product analytics: events, funnels and retention."
  ),
  server("monday", "monday.com", "https://mcp.monday.com/mcp", ["monday.com"], "Boards, items and workflows.", {
    aliases: ["monday"]
  }),
  server(
    "neon",
    "Neon",
    "https://mcp.neon.tech/mcp",
    ["neon.tech", "neon.com", "console.neon.tech"],
    "Postgres databases, their branches and queries."
  ),
  server(
    "netlify",
    "Netlify",
    "https://netlify-mcp.netlify.app/mcp",
    ["netlify.com", "app.netlify.com"],
    "Create, deploy and manage sites."
  ),
  server(
    "notion",
    "Notion",
    "https://mcp.notion.com/mcp",
    ["notion.com", "notion.so"],
    "Pages, databases and comments."
  ),
  server(
    "pagerduty",
    "PagerDuty",
    "https://mcp.pagerduty.com/mcp",
    ["pagerduty.com"],
    "Incidents, services and on-call schedules."
  ),
  server(
    "paypal",
    "PayPal",
    "https://mcp.paypal.com/mcp",
    ["paypal.com", "developer.paypal.com"],
    "Invoices, payments, subscriptions and disputes."
  ),
  server(
    "plaid",
    "Plaid",
    "https://api.dashboard.plaid.com/mcp/",
    ["plaid.com", "dashboard.plaid.com"],
    "Diagnostics and analytics for bank integrations.",
    { requiresOAuthClient: true }
  ),
  server(
    "posthog",
    "PostHog",
    "https://mcp.posthog.com/mcp",
    ["posthog.com", "us.posthog.com", "app.posthog.com"],
    "Product analytics, feature flags and errors."
  ),
  server("postman", "Postman", "https://mcp.postman.com/mcp", ["postman.com"], "Collections, environments and APIs."),
  server(
    "prisma",
    "Prisma Postgres",
    "https://mcp.prisma.io/mcp",
    ["prisma.io", "console.prisma.io"],
    "Prisma databases, their backups and connections.",
    { aliases: ["Prisma"] }
  ),
  server(
    "render",
    "Render",
    "https://mcp.render.com/mcp",
    ["render.com", "dashboard.render.com"],
    "Services, databases, deploys and their logs."
  ),
  server("sanity", "Sanity", "https://mcp.sanity.io", ["sanity.io"], "Content, its schemas and releases."),
  server("sentry", "Sentry", "https://mcp.sentry.dev/mcp", ["sentry.io"], "Errors, traces and their causes."),
  server(
    "slack",
    "Slack",
    "https://mcp.slack.com/mcp",
    ["slack.com", "app.slack.com"],
    "Search messages, channels and people, and read and send messages.",
    { requiresOAuthClient: true }
  ),
  server(
    "square",
    "Square",
    "https://mcp.squareup.com/sse",
    ["squareup.com", "square.com"],
    "Payments, orders, catalog and customers."
  ),
  server(
    "stripe",
    "Stripe",
    "https://mcp.stripe.com",
    ["stripe.com", "dashboard.stripe.com"],
    "Payments, customers, invoices and subscriptions."
  ),
  server(
    "supabase",
    "Supabase",
    "https://mcp.supabase.com/mcp",
    ["supabase.com"],
    "Projects, databases and functions."
  ),
  server(
    "tavily",
    "Tavily",
    "https://mcp.tavily.com/mcp/",
    ["tavily.com", "app.tavily.com"],
    "Web search, extraction and crawling."
  ),
  server("todoist", "Todoist", "https://ai.todoist.net/mcp", ["todoist.com", "app.todoist.com"], "Tasks and projects."),
  server("vercel", "Vercel", "https://mcp.vercel.com", ["vercel.com"], "Projects, deployments and their logs.", {
    requiresOAuthClient: true
  }),
  server("webflow", "Webflow", "https://mcp.webflow.com/mcp", ["webflow.com"], "Sites, pages and collections."),
  server("wix", "Wix", "https://mcp.wix.com/mcp", ["wix.com", "manage.wix.com"], "Sites, shops and their content."),
  server(
    "zapier",
    "Zapier",
    "https://mcp.zapier.com/api/v1/connect",
    ["zapier.com"],
    "Actions in thousands of other products."
  )
]
