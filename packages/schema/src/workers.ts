/** Workers: programs that run agents for a member, on the member's machine or in a runtime provided by this server. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "./shared/auth.ts"
import { NoContent, endpointMetadata } from "./shared/endpoint.ts"
import { badGateway, conflict, notFound } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery, search } from "./shared/page.ts"
import { JsonInput, QueryFlag, Text, Timestamp } from "./shared/values.ts"

// Entities

export const WorkerStatus = Schema.Literals(["provisioning", "healthy", "failed", "stopped"]).annotate({
  identifier: "WorkerStatus",
  description:
    "`provisioning`: it has not sent a heartbeat yet, or its runtime is being restarted. `failed`: its runtime could not be started or keeps exiting, or it missed three heartbeats; the next heartbeat makes it `healthy` again. `stopped`: it reported that it is stopping, or its owner left the organization."
})
export type WorkerStatus = typeof WorkerStatus.Type

export const WorkerDestination = Schema.Literals(["local", "cloud"]).annotate({
  identifier: "WorkerDestination",
  description:
    "`local`: the member starts it with the worker's own token. `cloud`: this server's provisioner starts it."
})

export const Worker = Schema.Struct({
  id: Schema.String,
  orgId: Schema.String,
  createdByUserId: Schema.String.annotate({ description: "The owner of the worker." }),
  isMine: Schema.Boolean,
  name: Schema.String,
  description: Schema.NullOr(Schema.String),
  destination: WorkerDestination,
  status: WorkerStatus,
  statusReason: Schema.NullOr(Schema.String).annotate({
    description: "Why it is not healthy, or the detail that the worker reported."
  }),
  imageVersion: Schema.NullOr(Schema.String).annotate({
    description: "As reported by the worker, like `workspacePath` and `sandboxBackend`."
  }),
  workspacePath: Schema.NullOr(Schema.String),
  sandboxBackend: Schema.NullOr(Schema.String),
  lastHeartbeatAt: Schema.NullOr(Timestamp),
  lastActiveAt: Schema.NullOr(Timestamp).annotate({ description: "When it last reported activity." }),
  createdAt: Timestamp,
  updatedAt: Timestamp.annotate({
    description: "When the name, description or destination last changed. Heartbeats do not change it."
  })
}).annotate({ identifier: "Worker" })
export type Worker = typeof Worker.Type

export const InstanceStatus = Schema.Literals(["starting", "running", "stopping", "stopped", "failed"])

export const WorkerInstance = Schema.Struct({
  provider: Schema.String,
  region: Schema.String,
  url: Schema.NullOr(Schema.String).annotate({
    description: "The URL of its runtime, set by the provisioner. Null if there is none."
  }),
  status: InstanceStatus,
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({ identifier: "WorkerInstance" })
export type WorkerInstance = typeof WorkerInstance.Type

export const WorkerToken = Schema.Struct({
  id: Ids.WorkerTokenId,
  workerId: Schema.String,
  createdAt: Timestamp,
  expiresAt: Schema.NullOr(Timestamp)
}).annotate({ identifier: "WorkerToken" })
export type WorkerToken = typeof WorkerToken.Type

export const WorkerActivity = Schema.Struct({
  id: Ids.WorkerActivityId,
  workerId: Schema.String,
  kind: Schema.String,
  message: Schema.String,
  sessionId: Schema.NullOr(Schema.String),
  occurredAt: Timestamp.annotate({ description: "According to the worker's clock. Default: `createdAt`." }),
  createdAt: Timestamp
}).annotate({ identifier: "WorkerActivity" })
export type WorkerActivity = typeof WorkerActivity.Type

// Payloads

const Name = Text(1, 120)
const Description = Schema.NullOr(Text(0, 2000))

export const CreateWorker = Schema.Struct({
  name: Name,
  description: Schema.optionalKey(Description),
  destination: WorkerDestination
}).annotate({ identifier: "CreateWorker" })

export const UpdateWorker = Schema.Struct({
  name: Schema.optionalKey(Name),
  description: Schema.optionalKey(Description)
}).annotate({ identifier: "UpdateWorker" })

export const CreateWorkerToken = Schema.Struct({
  graceSeconds: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 604_800 })).annotate({
      description: "How many seconds the worker's other tokens stay valid. If omitted, their expiration is unchanged."
    })
  ),
  expiresInSeconds: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 60, maximum: 31_536_000 })).annotate({
      description: "How many seconds the token is valid. If omitted, the token does not expire."
    })
  )
}).annotate({ identifier: "CreateWorkerToken" })

export const WorkerHeartbeat = Schema.Struct({
  imageVersion: Schema.optionalKey(Schema.NullOr(Text(0, 255))),
  workspacePath: Schema.optionalKey(Schema.NullOr(Text(0, 1024))),
  sandboxBackend: Schema.optionalKey(Schema.NullOr(Text(0, 255))),
  detail: Schema.optionalKey(
    Schema.NullOr(Text(0, 500)).annotate({ description: "The state of the worker, shown as `statusReason`." })
  ),
  stopping: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "Set to `true` when the worker is stopping, so that missed heartbeats do not count as a failure."
    })
  )
}).annotate({ identifier: "WorkerHeartbeat" })
export type WorkerHeartbeat = typeof WorkerHeartbeat.Type

export const ReportWorkerActivity = Schema.Struct({
  kind: Text(1, 64).annotate({ description: "A name for the activity, chosen by the worker, such as `task.started`." }),
  message: Text(1, 2000).annotate({ description: "A description of the activity, for people to read." }),
  sessionId: Schema.optionalKey(
    Schema.NullOr(Text(1, 128)).annotate({
      description: "The worker's id for the session in which the activity occurred."
    })
  ),
  occurredAt: Schema.optionalKey(
    Text(1, 64).annotate({
      format: "date-time",
      description:
        "When the activity occurred: at most a day ago, and at most five minutes ahead of this server's clock. Default: the time of the request."
    })
  )
}).annotate({ identifier: "ReportWorkerActivity" })

// Errors

/**
 * The worker does not exist, was removed, or belongs to another organization. For a request from a worker, also: the
 * id belongs to another worker.
 */
export class WorkerNotFound extends notFound("worker")<WorkerNotFound>() {}
export class WorkerTokenNotFound extends notFound("worker_token")<WorkerTokenNotFound>() {}
export class ProvisionerUnavailable extends conflict(
  "provisioner_unavailable",
  "This server has no provisioner for cloud workers. Create a worker with destination local and start it yourself."
)<ProvisionerUnavailable>() {}
/** The worker has no runtime on this server, or its runtime is not running. */
export class WorkerRuntimeUnavailable extends conflict(
  "worker_runtime_unavailable",
  "The worker has no runtime, or its runtime is not running. Only cloud workers have a runtime."
)<WorkerRuntimeUnavailable>() {}
export class WorkerQuotaExceeded extends conflict(
  "quota_exceeded",
  "You have reached the limit of workers per member or tokens per worker. Remove a worker or revoke a token first."
)<WorkerQuotaExceeded>() {}
export class WorkerIsProvided extends conflict(
  "worker_provided",
  "Only the provisioner can create tokens for a cloud worker."
)<WorkerIsProvided>() {}
/** The runtime did not return a valid response. */
export class WorkerRuntimeFailed extends badGateway(
  "worker_runtime_error",
  "The worker's runtime did not return a valid response. Try again later."
)<WorkerRuntimeFailed>() {}

/** The response of the runtime, unchanged. */
const RuntimeResponse = Schema.Json
const runtimeResponse = (status: number) => RuntimeResponse.pipe(HttpApiSchema.status(status))
const runtimeErrors = [
  WorkerNotFound,
  WorkerRuntimeUnavailable,
  WorkerRuntimeFailed,
  runtimeResponse(400),
  runtimeResponse(404),
  runtimeResponse(409),
  runtimeResponse(422)
] as const

// Operations

const one = {
  id: Schema.String.check(Schema.isBetweenCodePoints(1, 255)).annotate({
    identifier: "WorkerPathId",
    description: "The id of the worker. An unknown id returns 404."
  })
}
const at = "/v1/workers/:id"
const read = Access.permission("workers:read")
const write = Access.permission("workers:write")
const WorkerResponse = Schema.Struct({ worker: Worker, instance: Schema.NullOr(WorkerInstance) })
const ownerAccess =
  "Only the worker's owner, an owner or admin of the organization, or an API key with `workers:manage` can do this; other callers get 403 `not_creator`."

export const group = HttpApiGroup.make("workers")
  .annotateMerge(OpenApi.annotations({ title: "Workers", description: "Programs that run agents for members." }))
  .add(
    HttpApiEndpoint.post("create", "/v1/workers", {
      payload: CreateWorker,
      success: Schema.Struct({
        worker: Worker,
        instance: Schema.NullOr(WorkerInstance),
        token: Schema.NullOr(Schema.String).annotate({
          description:
            "The token of a local worker, returned only in this response. Null for a cloud worker, whose token goes only to its runtime."
        })
      }).pipe(HttpApiSchema.status(201)),
      error: [ProvisionerUnavailable, WorkerQuotaExceeded]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "worker.create",
        idempotency: "fact",
        holdsSecret: true,
        summary: "Create a worker",
        description:
          "The worker belongs to the caller; a cloud worker is started by the provisioner in the background. A worker stops when its owner leaves the organization. API keys are not members and cannot create workers (403 `session_required`). Limit: 50 workers per member. An unclaimed workspace can have one cloud worker; creating another returns 403 `provisional_organization`."
      })
    ),
    HttpApiEndpoint.get("list", "/v1/workers", {
      query: {
        ...pageQuery,
        q: search(),
        mine: Schema.optionalKey(
          QueryFlag.annotate({
            description: "`true`: only the caller's own workers. `false`: only the workers of others."
          })
        ),
        status: Schema.optionalKey(WorkerStatus.annotate({ description: "Only workers with this status." })),
        destination: Schema.optionalKey(WorkerDestination)
      },
      success: Page(Worker)
    }).pipe(endpointMetadata({ access: read, paged: true, summary: "List workers" })),
    HttpApiEndpoint.get("get", at, { params: one, success: WorkerResponse, error: WorkerNotFound }).pipe(
      endpointMetadata({
        access: read,
        specified: true,
        summary: "Get a worker",
        description: "Includes its latest instance."
      })
    ),
    HttpApiEndpoint.patch("update", at, {
      params: one,
      payload: UpdateWorker,
      success: WorkerResponse,
      error: WorkerNotFound
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "worker.update",
        summary: "Update a worker",
        description: `Changes the name or description. ${ownerAccess}`
      })
    ),
    HttpApiEndpoint.delete("remove", at, { params: one, success: NoContent, error: WorkerNotFound }).pipe(
      endpointMetadata({
        access: write,
        audited: "worker.remove",
        summary: "Remove a worker",
        description: `Its tokens stop working immediately, and its runtime is stopped. ${ownerAccess}`
      })
    ),
    HttpApiEndpoint.post("createToken", `${at}/tokens`, {
      params: one,
      payload: CreateWorkerToken,
      success: Schema.Struct({
        workerToken: WorkerToken,
        token: Schema.String.annotate({ description: "Returned only in this response." })
      }).pipe(HttpApiSchema.status(201)),
      error: [WorkerNotFound, WorkerQuotaExceeded, WorkerIsProvided]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "worker.create_token",
        idempotency: "fact",
        holdsSecret: true,
        summary: "Create a token for a local worker",
        description: `If \`graceSeconds\` is set, the worker's other tokens expire after that many seconds. A worker has at most five valid tokens. ${ownerAccess}`
      })
    ),
    HttpApiEndpoint.get("listTokens", `${at}/tokens`, {
      params: one,
      query: pageQuery,
      success: Page(WorkerToken),
      error: WorkerNotFound
    }).pipe(
      endpointMetadata({
        access: read,
        paged: true,
        summary: "List the valid tokens of a worker",
        description: ownerAccess
      })
    ),
    HttpApiEndpoint.delete("revokeToken", `${at}/tokens/:workerTokenId`, {
      params: { ...one, workerTokenId: Ids.WorkerTokenId },
      success: NoContent,
      error: [WorkerNotFound, WorkerTokenNotFound]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "worker.revoke_token",
        summary: "Revoke a token of a worker",
        description: `The token stops working immediately. ${ownerAccess}`
      })
    ),
    HttpApiEndpoint.get("getRuntime", `${at}/runtime`, {
      params: one,
      success: RuntimeResponse,
      error: runtimeErrors
    }).pipe(
      endpointMetadata({
        tag: "Worker Runtime",
        access: read,
        summary: "Get the state of a worker's runtime",
        description: `Forwards the request to the runtime and returns its response unchanged. ${ownerAccess}`
      })
    ),
    HttpApiEndpoint.post("upgradeRuntime", `${at}/runtime/upgrade`, {
      params: one,
      payload: JsonInput.annotate({ identifier: "UpgradeWorkerRuntime" }),
      success: [RuntimeResponse, runtimeResponse(201), runtimeResponse(202)],
      error: runtimeErrors
    }).pipe(
      endpointMetadata({
        tag: "Worker Runtime",
        access: write,
        specified: true,
        audited: "worker.upgrade_runtime",
        idempotency: "fact",
        // The response of the runtime is not stored.
        holdsSecret: true,
        summary: "Upgrade a worker's runtime",
        description: `Forwards the request to the runtime once and returns its response. The runtime must respond within 30 seconds, with at most 1 MiB. Responses with 2xx, 400, 404, 409 or 422 are returned unchanged; any other response returns 502 \`worker_runtime_error\`. Requests are not retried. ${ownerAccess}`
      })
    ),
    HttpApiEndpoint.post("heartbeat", `${at}/heartbeat`, {
      params: one,
      payload: WorkerHeartbeat,
      success: Schema.Struct({
        status: WorkerStatus,
        heartbeatSeconds: Schema.Int.annotate({
          description:
            "Seconds until the next heartbeat is due. After three missed heartbeats, the worker is marked `failed`."
        })
      }),
      error: WorkerNotFound
    }).pipe(
      endpointMetadata({
        tag: "Worker Runtime",
        access: Access.worker,
        idempotency: "none",
        summary: "Send a worker heartbeat",
        description: "Reports that the worker is running and updates its state. Omitted fields keep their values."
      })
    ),
    HttpApiEndpoint.post("reportActivity", `${at}/activity`, {
      params: one,
      payload: ReportWorkerActivity,
      success: Schema.Struct({ activity: WorkerActivity }).pipe(HttpApiSchema.status(201)),
      error: WorkerNotFound
    }).pipe(
      endpointMetadata({
        tag: "Worker Activity",
        access: Access.worker,
        idempotency: "none",
        summary: "Report a worker activity",
        description: "Activities are kept for 30 days."
      })
    ),
    HttpApiEndpoint.get("listActivity", `${at}/activity`, {
      params: one,
      query: pageQuery,
      success: Page(WorkerActivity),
      error: WorkerNotFound
    }).pipe(
      endpointMetadata({
        tag: "Worker Activity",
        access: read,
        paged: true,
        summary: "List the activities of a worker",
        description: `Newest first. ${ownerAccess}`
      })
    )
  )
