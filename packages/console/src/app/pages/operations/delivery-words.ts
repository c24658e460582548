/** The words for deliveries of code hosts. */
import type { WebhookDelivery, WebhookEvent } from "@orgplane/client"

export const events: Readonly<Record<WebhookEvent, string>> = {
  push: "push",
  create: "branch created",
  delete: "branch deleted",
  installation: "installation",
  installation_repositories: "repositories of the installation",
  repository: "repository",
  ping: "ping"
}

export const isEvent = (value: string | undefined): value is WebhookEvent => value !== undefined && value in events

export const branchOf = ({ ref }: Pick<WebhookDelivery, "ref">): string => (ref ?? "").replace(/^refs\/heads\//, "")
