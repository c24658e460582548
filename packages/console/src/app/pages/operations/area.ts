import type { Area } from "../../area.ts"

export const operations: Area = {
  title: "Operations",
  entries: [
    { to: "/audit", name: "Audit", permission: "audit:read" },
    { to: "/webhook-endpoints", name: "Webhook endpoints", permission: "webhookEndpoints:read" },
    { to: "/event-streams", name: "Event streams", permission: "eventStreams:read" },
    { to: "/configuration", name: "Configuration", permission: "organizations:write" },
    { to: "/deliveries", name: "Code host deliveries", permission: "webhooks:read" },
    { to: "/platform", name: "Platform administration", isPlatform: true }
  ],
  pages: {
    "/audit": () => import("./audit.tsx"),
    "/webhook-endpoints": () => import("./webhook-endpoints.tsx"),
    "/webhook-endpoints/$webhookEndpointId": () => import("./webhook-endpoint.tsx"),
    "/webhook-endpoints/$webhookEndpointId/messages/$webhookMessageId": () => import("./webhook-message.tsx"),
    "/event-streams": () => import("./event-streams.tsx"),
    "/event-streams/$eventStreamId": () => import("./event-stream.tsx"),
    "/configuration": () => import("./configuration.tsx"),
    "/configuration/runs/$configurationRunId": () => import("./configuration-run.tsx"),
    "/deliveries": () => import("./deliveries.tsx"),
    "/deliveries/$webhookDeliveryId": () => import("./delivery.tsx"),
    "/platform": () => import("./platform.tsx")
  }
}
