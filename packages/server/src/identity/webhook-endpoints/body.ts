import type { Event } from "@orgplane/schema/events"

/** The body of a webhook, as the Standard Webhooks specification suggests: type, time, and the event. */
export const bodyOf = (event: Event): string =>
  JSON.stringify({ type: event.type, timestamp: event.createdAt, data: event })

/** The body of a test. */
export const testBodyOf = (endpointId: string, time: string): string =>
  JSON.stringify({ type: "webhook.test", timestamp: time, data: { webhookEndpointId: endpointId } })
