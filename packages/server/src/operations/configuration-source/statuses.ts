/** Reports the outcome of runs as statuses of their commits. */
import type { ConfigurationRunStatus } from "@orgplane/schema/configuration-runs"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as connectors from "../../content/connectors/repo.ts"
import { openRepository } from "../../content/connectors/repository.ts"
import { CodeHostFailed, type CommitState } from "../../infra/ports/code-host.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { summaryText } from "./plan.ts"
import * as repo from "./repo.ts"

/** The maximum length that code hosts accept. */
const descriptionMax = 140
const context = "orgplane configuration"
const attemptsMax = 5
/** Longer than the timeout, so that a status is not sent twice at once. */
const retrySeconds = 30
const timeout = "20 seconds"
const concurrency = 20

const states: Readonly<Partial<Record<ConfigurationRunStatus, CommitState>>> = {
  unchanged: "success",
  planned: "success",
  applied: "success",
  held: "pending",
  rejected: "failure",
  failed: "failure"
}

/** Without the names of objects and people, which are in the messages: everyone who can read the repository sees it. */
const descriptionOf = ({ problems_json: problems, status, summary_json: summary }: repo.RunRow): string => {
  switch (status) {
    case "unchanged":
      return "The organization matches the files."
    case "planned":
      return `The organization differs from the files: ${summaryText(summary)}.`
    case "applied":
      return `Applied: ${summaryText(summary)}.`
    case "held":
      return `Pending approval: ${summaryText(summary)}.`
    case "rejected":
      return "The changes were rejected."
    default: {
      const [first] = problems
      if (first === undefined) return "The run failed."
      const place = first.file === null ? "" : `${first.file}${first.line === null ? "" : `:${first.line}`}: `
      return `${place}${problems.length} ${problems.length === 1 ? "problem" : "problems"}`
    }
  }
}

const shortened = (text: string): string => {
  const characters = Array.from(text.replace(/\s+/gu, " "))
  return characters.length <= descriptionMax
    ? characters.join("")
    : `${characters.slice(0, descriptionMax - 1).join("")}…`
}

export const makeStatuses = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const open = yield* openRepository

  const send = Effect.fn("configuration.status")(function* (run: repo.RunRow) {
    const { organization_id: organizationId, revision, status } = run
    const state = states[status]
    const instance = yield* connectors.findInstance(sql, organizationId, run.connector_instance_id)
    if (state === undefined || revision === null || instance === undefined) {
      yield* repo.endStatus(sql, run, null, null)
      return
    }
    const repository = yield* open(instance)
    const sent = yield* Effect.result(
      repository.setCommitStatus({ revision, state, context, description: shortened(descriptionOf(run)) }).pipe(
        Effect.timeoutOrElse({
          duration: timeout,
          orElse: () =>
            Effect.fail(new CodeHostFailed({ code: "timeout", message: "The code host did not respond in time." }))
        })
      )
    )
    if (sent._tag === "Success") {
      yield* repo.endStatus(sql, run, sent.success ? "set" : null, null)
      return
    }
    const { code, message } = sent.failure
    const isTransient = code === "unreachable" || code === "timeout" || code === "rate_limited"
    if (isTransient && run.status_attempts < attemptsMax) return
    yield* repo.endStatus(sql, run, "failed", message)
  })

  /** Claims due statuses and sends them. Returns their number. */
  return Effect.fnUntraced(function* (limit: number) {
    const due = yield* repo.claimStatuses(sql, retrySeconds, limit)
    yield* Effect.forEach(
      due,
      (run) =>
        Effect.catchCause(send(run), (cause) => {
          if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
          const isLast = run.status_attempts >= attemptsMax
          return Effect.andThen(
            Effect.logWarning(
              `Cannot report a configuration run to the code host.${isLast ? "" : " Retrying."}`,
              cause
            ),
            isLast ? Effect.asVoid(repo.endStatus(sql, run, "failed", "The status could not be sent.")) : Effect.void
          )
        }),
      { concurrency, discard: true }
    )
    return due.length
  })
})
