/** Workers: what runs agents for a person, on a machine of theirs or in a runtime that this server provides. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "./shared/auth.ts"
import { Done, endpointMetadata } from "./shared/endpoint.ts"
import { badGateway, conflict, notFound } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { JsonInput, QueryFlag, Text, Timestamp } from "./shared/values.ts"

// Entities

export const WorkerStatus = Schema.Literals(["provisioning", "healthy", "failed", "stopped"]).annotate({
  identifier: "WorkerStatus",
  description:
    "`provisioning` until the first heartbeat; `failed` when it could not be started, ended by itself or has been silent for three heartbeats, and healthy again with the next one; `stopped` when it said goodbye or the person it belongs to left."
})
export type WorkerStatus = typeof WorkerStatus.Type

export const WorkerDestination = Schema.Literals(["local", "cloud"]).annotate({
  identifier: "WorkerDestination",
  description: "`local`: started by the person, with a token of its own. `cloud`: started by this server's provisioner."
})

export const Worker = Schema.Struct({
  id: Schema.String,
  orgId: Schema.String,
  createdByUserId: Schema.String.annotate({ description: "Whose worker it is." }),
  isMine: Schema.Boolean,
  name: Schema.String,
  description: Schema.NullOr(Schema.String),
  destination: WorkerDestination,
  status: WorkerStatus,
  statusReason: Schema.NullOr(Schema.String).annotate({
    description: "Why it is not healthy, in words; what the worker itself said of how it is."
  }),
  imageVersion: Schema.NullOr(Schema.String).annotate({ description: "As the worker reported it, as the next two." }),
  workspacePath: Schema.NullOr(Schema.String),
  sandboxBackend: Schema.NullOr(Schema.String),
  lastHeartbeatAt: Schema.NullOr(Timestamp),
  lastActiveAt: Schema.NullOr(Timestamp).annotate({ description: "When it last reported what it does." }),
  createdAt: Timestamp,
  updatedAt: Timestamp.annotate({ description: "Of name, description and destination; heartbeats do not change it." })
}).annotate({ identifier: "Worker" })
export type Worker = typeof Worker.Type

export const InstanceStatus = Schema.Literals(["starting", "running", "stopping", "stopped", "failed"])

export const WorkerInstance = Schema.Struct({
  provider: Schema.String,
  region: Schema.String,
  url: Schema.NullOr(Schema.String).annotate({
    description: "Of its runtime, set by the provisioner alone; null while there is none."
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
  occurredAt: Timestamp.annotate({ description: "As the worker's clock said; `createdAt` unless told." }),
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
      description: "How long the worker's other tokens still work; unless told they are not touched."
    })
  ),
  expiresInSeconds: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 60, maximum: 31_536_000 })).annotate({
      description: "When the token ends; never unless told."
    })
  )
}).annotate({ identifier: "CreateWorkerToken" })

export const WorkerHeartbeat = Schema.Struct({
  imageVersion: Schema.optionalKey(Schema.NullOr(Text(0, 255))),
  workspacePath: Schema.optionalKey(Schema.NullOr(Text(0, 1024))),
  sandboxBackend: Schema.optionalKey(Schema.NullOr(Text(0, 255))),
  detail: Schema.optionalKey(
    Schema.NullOr(Text(0, 500)).annotate({ description: "How it is, in words; shown as `statusReason`." })
  ),
  stopping: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "`true` says goodbye: silence after it is no failure." })
  )
}).annotate({ identifier: "WorkerHeartbeat" })
export type WorkerHeartbeat = typeof WorkerHeartbeat.Type

export const ReportWorkerActivity = Schema.Struct({
  kind: Text(1, 64).annotate({ description: "In the worker's own words, as `task.started`." }),
  message: Text(1, 2000),
  sessionId: Schema.optionalKey(Schema.NullOr(Text(1, 128))),
  occurredAt: Schema.optionalKey(
    Text(1, 64).annotate({
      format: "date-time",
      description: "Not older than a day and not ahead of this server's clock by more than five minutes."
    })
  )
}).annotate({ identifier: "ReportWorkerActivity" })

// Errors

/** The worker is absent, removed, or of another organization; for a worker also: another one. */
export class WorkerNotFound extends notFound("worker")<WorkerNotFound>() {}
export class WorkerTokenNotFound extends notFound("worker_token")<WorkerTokenNotFound>() {}
export class ProvisionerUnavailable extends conflict(
  "provisioner_unavailable",
  "This server provides no runtimes for workers; start the worker yourself, as `local`."
)<ProvisionerUnavailable>() {}
/** There is nothing to ask: the worker has no runtime of this server's, or it does not run now. */
export class WorkerRuntimeUnavailable extends conflict(
  "worker_runtime_unavailable",
  "The worker has no runtime that could be asked."
)<WorkerRuntimeUnavailable>() {}
export class WorkerQuotaExceeded extends conflict(
  "quota_exceeded",
  "There are as many as there may be; remove one first."
)<WorkerQuotaExceeded>() {}
export class WorkerIsProvided extends conflict(
  "worker_provided",
  "The provisioner gives this worker its token; nobody else holds one."
)<WorkerIsProvided>() {}
/** The runtime was asked and did not answer as a runtime does. */
export class WorkerRuntimeFailed extends badGateway(
  "worker_runtime_error",
  "The worker's runtime did not give an answer that can be passed on."
)<WorkerRuntimeFailed>() {}

/** What a runtime says, as it said it. */
const RuntimeAnswer = Schema.Json
const runtimeSays = (status: number) => RuntimeAnswer.pipe(HttpApiSchema.status(status))
const runtimeErrors = [
  WorkerNotFound,
  WorkerRuntimeUnavailable,
  WorkerRuntimeFailed,
  runtimeSays(400),
  runtimeSays(404),
  runtimeSays(409),
  runtimeSays(422)
] as const

// Operations

const one = {
  id: Schema.String.check(Schema.isBetweenCodePoints(1, 255)).annotate({
    identifier: "WorkerPathId",
    description: "Of the worker; an unknown one is 404."
  })
}
const at = "/v1/workers/:id"
const read = Access.permission("workers:read")
const write = Access.permission("workers:write")
const WorkerAnswer = Schema.Struct({ worker: Worker, instance: Schema.NullOr(WorkerInstance) })
const own = "Takes the person it belongs to, an owner or admin, or a key with `workers:manage`; else 403 `not_creator`."

export const group = HttpApiGroup.make("workers")
  .annotateMerge(OpenApi.annotations({ title: "Workers", description: "What runs agents for people." }))
  .add(
    HttpApiEndpoint.post("create", "/v1/workers", {
      payload: CreateWorker,
      success: Schema.Struct({
        worker: Worker,
        instance: Schema.NullOr(WorkerInstance),
        token: Schema.NullOr(Schema.String).annotate({
          description:
            "Of a local worker, told this once: what it is known by. A cloud worker's goes to its runtime alone."
        })
      }).pipe(HttpApiSchema.status(201)),
      error: [ProvisionerUnavailable, WorkerQuotaExceeded]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "worker.create",
        idempotency: "fact",
        holdsSecret: true,
        summary: "Creates a worker of the caller's; the provisioner starts a cloud worker by and by.",
        description:
          "A worker belongs to a person and ends with their membership, so a key makes none: 403 `session_required`. At most 50 a person; in a workspace that nobody has claimed one in the cloud: 403 `provisional_organization`."
      })
    ),
    HttpApiEndpoint.get("list", "/v1/workers", {
      query: {
        ...pageQuery,
        mine: Schema.optionalKey(
          QueryFlag.annotate({ description: "`true`: the caller's own; `false`: the others'." })
        ),
        status: Schema.optionalKey(WorkerStatus),
        destination: Schema.optionalKey(WorkerDestination)
      },
      success: Page(Worker)
    }).pipe(endpointMetadata({ access: read, paged: true, summary: "Lists the workers of the organization." })),
    HttpApiEndpoint.get("get", at, { params: one, success: WorkerAnswer, error: WorkerNotFound }).pipe(
      endpointMetadata({ access: read, specified: true, summary: "Gets one worker with its latest instance." })
    ),
    HttpApiEndpoint.patch("update", at, {
      params: one,
      payload: UpdateWorker,
      success: WorkerAnswer,
      error: WorkerNotFound
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "worker.update",
        summary: "Renames or describes a worker.",
        description: own
      })
    ),
    HttpApiEndpoint.delete("remove", at, { params: one, success: Done, error: WorkerNotFound }).pipe(
      endpointMetadata({
        access: write,
        audited: "worker.remove",
        summary: "Removes a worker; its tokens end at once, its runtime is stopped.",
        description: own
      })
    ),
    HttpApiEndpoint.post("createToken", `${at}/tokens`, {
      params: one,
      payload: CreateWorkerToken,
      success: Schema.Struct({
        workerToken: WorkerToken,
        token: Schema.String.annotate({ description: "Told this once." })
      }).pipe(HttpApiSchema.status(201)),
      error: [WorkerNotFound, WorkerQuotaExceeded, WorkerIsProvided]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "worker.create_token",
        idempotency: "fact",
        holdsSecret: true,
        summary: "Makes another token for a local worker, beside its others or in their place.",
        description: `With \`graceSeconds\` the others end after it: that is how a token is rotated. At most five live ones. ${own}`
      })
    ),
    HttpApiEndpoint.get("listTokens", `${at}/tokens`, {
      params: one,
      query: pageQuery,
      success: Page(WorkerToken),
      error: WorkerNotFound
    }).pipe(
      endpointMetadata({ access: read, paged: true, summary: "Lists the live tokens of a worker.", description: own })
    ),
    HttpApiEndpoint.delete("revokeToken", `${at}/tokens/:workerTokenId`, {
      params: { ...one, workerTokenId: Ids.WorkerTokenId },
      success: Done,
      error: [WorkerNotFound, WorkerTokenNotFound]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "worker.revoke_token",
        summary: "Ends a token of a worker at once.",
        description: own
      })
    ),
    HttpApiEndpoint.get("getRuntime", `${at}/runtime`, {
      params: one,
      success: RuntimeAnswer,
      error: runtimeErrors
    }).pipe(
      endpointMetadata({
        access: read,
        summary: "Asks a worker's runtime how it is, and passes its answer on.",
        description: own
      })
    ),
    HttpApiEndpoint.post("upgradeRuntime", `${at}/runtime/upgrade`, {
      params: one,
      payload: JsonInput.annotate({ identifier: "UpgradeWorkerRuntime" }),
      success: [RuntimeAnswer, runtimeSays(201), runtimeSays(202)],
      error: runtimeErrors
    }).pipe(
      endpointMetadata({
        access: write,
        specified: true,
        audited: "worker.upgrade_runtime",
        idempotency: "fact",
        // What a runtime says is not ours to keep.
        holdsSecret: true,
        summary: "Forwards an upgrade to a worker's runtime, once, and passes its answer on.",
        description: `At most 30 seconds and 1 MiB. An answer of the runtime with 2xx, 400, 404, 409 or 422 is passed on as it is, every other end is 502 \`worker_runtime_error\`; nothing is tried again. ${own}`
      })
    ),
    HttpApiEndpoint.post("heartbeat", `${at}/heartbeat`, {
      params: one,
      payload: WorkerHeartbeat,
      success: Schema.Struct({
        status: WorkerStatus,
        heartbeatSeconds: Schema.Int.annotate({ description: "When the next one is due; three missed are a failure." })
      }),
      error: WorkerNotFound
    }).pipe(
      endpointMetadata({
        access: Access.worker,
        idempotency: "none",
        summary: "Says that the worker lives, and how; what is absent stays as it was told before."
      })
    ),
    HttpApiEndpoint.post("reportActivity", `${at}/activity`, {
      params: one,
      payload: ReportWorkerActivity,
      success: Schema.Struct({ activity: WorkerActivity }).pipe(HttpApiSchema.status(201)),
      error: WorkerNotFound
    }).pipe(
      endpointMetadata({
        access: Access.worker,
        idempotency: "none",
        summary: "Reports what the worker does; kept for 30 days."
      })
    ),
    HttpApiEndpoint.get("listActivity", `${at}/activity`, {
      params: one,
      query: pageQuery,
      success: Page(WorkerActivity),
      error: WorkerNotFound
    }).pipe(
      endpointMetadata({
        access: read,
        paged: true,
        summary: "Lists what a worker reported, newest first.",
        description: own
      })
    )
  )
