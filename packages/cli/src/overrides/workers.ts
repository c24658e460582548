/** Overrides of the commands for workers. */
import { textAt } from "../output/value.ts"
import type { Override } from "../override.ts"

const detailColumns = [
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
        ? `Check its status: orgplane workers get ${textAt(body, "worker.id") ?? ""}`
        : "The token is not shown again.",
    examples: [
      {
        command: "orgplane workers create --name Builder --destination cloud --wait",
        description: "Start a cloud worker and wait until it is healthy"
      },
      {
        command: "orgplane workers create --name Laptop --destination local -q",
        description: "Create a local worker and print only its token"
      }
    ]
  },
  "workers.list": {
    columns: ["id", "name", "status", "destination", "isMine", "imageVersion", "lastHeartbeatAt", "lastActiveAt"],
    examples: [{ command: "orgplane workers list --mine", description: "List your workers with their status" }]
  },
  "workers.get": { subject: "worker", columns: detailColumns },
  "workers.update": { subject: "worker", columns: detailColumns },
  "workers.remove": { confirm: (ids) => `Remove the worker ${ids[0] ?? ""}, revoke its tokens and stop its runtime?` },
  "workers.createToken": {
    subject: "workerToken",
    secret: "token",
    columns: ["token", "workerToken.id", "workerToken.expiresAt"],
    note: () => "The token is not shown again.",
    examples: [
      {
        command: "orgplane workers create-token wrk_… --grace-seconds 600",
        description: "Create a new token. The others stay valid for ten minutes"
      }
    ]
  },
  "workers.listTokens": { alias: "tokens", columns: ["id", "createdAt", "expiresAt"] },
  "workers.revokeToken": { confirm: (ids) => `Revoke the token ${ids[1] ?? ""} immediately?` },
  "workers.getRuntime": { alias: "runtime" },
  "workers.upgradeRuntime": {
    alias: "upgrade",
    examples: [
      { command: "orgplane workers upgrade wrk_…", description: "Upgrade to the version that the runtime selects" },
      {
        command: 'echo \'{"version":"2.0.0"}\' | orgplane workers upgrade wrk_… --input -',
        description: "Pass options to the runtime's upgrade"
      }
    ]
  },
  "workers.listActivity": {
    alias: "activity",
    columns: ["createdAt", "kind", "message", "sessionId"],
    examples: [
      { command: "orgplane workers activity wrk_… --limit 10", description: "Show a worker's latest activity" }
    ]
  }
}
