import { WebhookInbox } from "./inbox.ts"

export const layer = WebhookInbox.layer

export const workers = [WebhookInbox.use((inbox) => inbox.worker)]
