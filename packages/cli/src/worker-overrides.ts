/** What a person needs beyond the contract of the operations on workers. */
import { textAt } from "./output/cell.ts"
import type { Override } from "./overrides.ts"

const one = [
  "worker.id",
  "worker.name",
  "worker.status",
  "worker.statusReason",
  "worker.destination",
  "worker.imageVersion",
  "worker.workspacePath",
  "worker.sandboxBackend",
  "worker.lastHeartbeatAt",
  "worker.lastActiveAt",
  "instance.status",
  "instance.url"
]

export const workerOverrides: Readonly<Record<string, Override>> = {
  "workers.create": {
    subject: "worker",
    secret: "token",
    progress: "worker",
    columns: ["token", "worker.id", "worker.name", "worker.destination", "worker.status", "worker.statusReason"],
    note: (body) =>
      textAt(body, "token") === undefined
        ? `How it is: orgplane workers get ${textAt(body, "worker.id") ?? ""}`
        : "The token is not shown again.",
    examples: [
      {
        command: "orgplane workers create --name Builder --destination cloud --wait",
        description: "Have one started, and see it through"
      },
      {
        command: "orgplane workers create --name Laptop --destination local -q",
        description: "The token of one that you start yourself"
      }
    ]
  },
  "workers.list": {
    columns: ["id", "name", "status", "destination", "isMine", "imageVersion", "lastHeartbeatAt", "lastActiveAt"],
    examples: [{ command: "orgplane workers list --mine", description: "Your own, and how they are" }]
  },
  "workers.get": { subject: "worker", columns: one },
  "workers.update": { subject: "worker", columns: one },
  "workers.remove": { confirm: (ids) => `Remove the worker ${ids[0] ?? ""}, end its tokens and stop its runtime?` },
  "workers.createToken": {
    subject: "workerToken",
    secret: "token",
    columns: ["token", "workerToken.id", "workerToken.expiresAt"],
    note: () => "The token is not shown again.",
    examples: [
      {
        command: "orgplane workers create-token wrk_… --grace-seconds 600",
        description: "A new one; the others work for ten minutes more"
      }
    ]
  },
  "workers.listTokens": { alias: "tokens", columns: ["id", "createdAt", "expiresAt"] },
  "workers.revokeToken": { confirm: (ids) => `End the token ${ids[1] ?? ""} at once?` },
  "workers.getRuntime": { alias: "runtime" },
  "workers.upgradeRuntime": {
    alias: "upgrade",
    examples: [
      { command: "orgplane workers upgrade wrk_…", description: "To what the runtime itself takes for the next" },
      {
        command: 'echo \'{"version":"2.0.0"}\' | orgplane workers upgrade wrk_… --input -',
        description: "With what the runtime understands"
      }
    ]
  },
  "workers.listActivity": {
    alias: "activity",
    columns: ["createdAt", "kind", "message", "sessionId"],
    examples: [{ command: "orgplane workers activity wrk_… --limit 10", description: "What it did last" }]
  }
}
