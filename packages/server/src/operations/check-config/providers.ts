/** Checks the providers with the requests and the outbound HTTP client that the server uses. */
import type { Suite } from "@orgplane/schema/capabilities"
import * as Effect from "effect/Effect"
import { layerModelCatalog } from "../../infra/adapters/models/index.ts"
import { type CommandFault, inspectCommand } from "../../infra/adapters/provisioner-local/index.ts"
import { probeSuiteApi, probeSuiteTokenEndpoint } from "../../infra/adapters/suites/index.ts"
import { layerConfiguredEmbeddings, layerOutboundHttp, modelsUrlOf } from "../../infra/config/adapters.ts"
import type { ControlPlaneOptions } from "../../infra/options.ts"
import { Embedder } from "../../infra/ports/embedder.ts"
import { ModelCatalog } from "../../infra/ports/model-catalog.ts"
import type { Outbound } from "../../infra/ports/outbound.ts"
import type { SuiteSettings } from "../../infra/ports/suites.ts"
import { quantity } from "../../infra/quantity.ts"
import type { Finding } from "../report.ts"
import { failed, ok, unset, warned } from "./findings.ts"

const withOutbound = <A, E>(options: ControlPlaneOptions, check: Effect.Effect<A, E, Outbound>) =>
  check.pipe(Effect.provide(layerOutboundHttp(options)))

/** Without a setting, the default catalog is optional: an installation without access to it works. */
export const checkCatalog = (options: ControlPlaneOptions) => {
  const address = modelsUrlOf(options)
  if (address === null) return Effect.succeed(unset("model catalog", "ORGPLANE_MODELS_URL is off."))
  const { host } = new URL(address)
  return withOutbound(
    options,
    Effect.gen(function* () {
      const catalog = yield* ModelCatalog
      const response = yield* catalog.read(null)
      // Only a request with an ETag can get `unchanged`.
      const { models } = yield* catalog.parse(response.kind === "read" ? response.text : "")
      return ok("model catalog", `${host} returned a catalog with ${quantity(models.length, "model")}.`)
    }).pipe(Effect.provide(layerModelCatalog({ address })))
  ).pipe(
    Effect.catch(({ message }) => {
      const text = `Cannot read the model catalog of ${host}. ${message}`
      return Effect.succeed(
        options.modelsUrl === undefined
          ? warned(
              "model catalog",
              text,
              `Allow requests to ${host}, set ORGPLANE_MODELS_URL to a mirror, or set it to off.`
            )
          : failed("model catalog", text, "Check ORGPLANE_MODELS_URL.")
      )
    })
  )
}

/** Contains no data of an organization. */
const sampleText = "orgplane check-config"

export const checkEmbedder = (options: ControlPlaneOptions) => {
  const { embeddings } = options
  if (embeddings === undefined) {
    return Effect.succeed(
      unset("embeddings", "ORGPLANE_EMBEDDINGS_URL is not set. Memories are searched by words only.")
    )
  }
  const { host } = new URL(embeddings.url)
  return withOutbound(
    options,
    Effect.gen(function* () {
      const [vector] = yield* (yield* Embedder).embed([sampleText])
      const dimensions = quantity(vector?.length ?? 0, "dimension")
      return ok("embeddings", `${host} returned a vector with ${dimensions} for a short text.`)
    }).pipe(Effect.provide(layerConfiguredEmbeddings(embeddings)))
  ).pipe(
    Effect.catch(({ message }) =>
      Effect.succeed(
        failed(
          "embeddings",
          `Cannot use the embeddings endpoint ${host}. ${message}`,
          "Check the ORGPLANE_EMBEDDINGS_ variables."
        )
      )
    )
  )
}

const suites = {
  "suite-a": { check: "mail suite", url: "ORGPLANE_SUITE_A_URL", oauth: "ORGPLANE_SUITE_A_OAUTH" },
  "suite-b": { check: "calendar suite", url: "ORGPLANE_SUITE_B_URL", oauth: "ORGPLANE_SUITE_B_OAUTH" }
} as const

const checkSuiteApi = (suite: Suite, settings: SuiteSettings) => {
  const { check, url } = suites[suite]
  const { host } = new URL(settings.url)
  const fix = `Check ${url}: the base URL of the API, including its version.`
  return probeSuiteApi(suite, settings).pipe(
    Effect.map((status) => {
      if (status === 401 || status === 403) return ok(check, `The API at ${host} responds, and requires a token.`)
      const message = `The API at ${host} returned status ${status} to a request without a token. Expected: 401.`
      return status >= 400 && status < 500 ? warned(check, message, fix) : failed(check, message, fix)
    }),
    Effect.catch(({ message }) => Effect.succeed(failed(check, `Cannot use the API at ${host}. ${message}`, fix)))
  )
}

const checkSuiteApp = (suite: Suite, settings: SuiteSettings) => {
  const { check, oauth } = suites[suite]
  const { host } = new URL(settings.oauth.tokenUrl)
  return probeSuiteTokenEndpoint(suite, settings).pipe(
    Effect.map((result) => {
      switch (result.kind) {
        case "accepted":
          return ok(check, `The token endpoint at ${host} does not reject the OAuth app.`)
        case "rejected":
          return failed(
            check,
            `The token endpoint at ${host} rejects the OAuth app (${result.error}).`,
            `Check clientId and clientSecret in ${oauth}.`
          )
        case "unexpected":
          return failed(
            check,
            `The token endpoint at ${host} returned status ${result.status} to an invalid refresh token, without an OAuth error in JSON.`,
            `Check tokenUrl in ${oauth}.`
          )
      }
    }),
    Effect.catch(({ message }) =>
      Effect.succeed(
        failed(check, `Cannot use the token endpoint at ${host}. ${message}`, `Check tokenUrl in ${oauth}.`)
      )
    )
  )
}

export const checkSuite = (options: ControlPlaneOptions, suite: Suite): Effect.Effect<ReadonlyArray<Finding>> => {
  const settings = options.suites?.[suite]
  const { check, url } = suites[suite]
  if (settings === undefined) return Effect.succeed([unset(check, `${url} is not set.`)])
  return withOutbound(
    options,
    Effect.all([checkSuiteApi(suite, settings), checkSuiteApp(suite, settings)], { concurrency: "unbounded" })
  ).pipe(Effect.catch(({ message }) => Effect.succeed([failed(check, message)])))
}

const describeFault = ({ kind, path }: CommandFault): string => {
  switch (kind) {
    case "relative":
      return `${path} is a relative path, but each worker runs in its own directory.`
    case "missing":
      return `${path} does not exist, or this user cannot access it.`
    case "not_executable":
      return `This user cannot execute ${path}, or it is not a file.`
    case "not_in_path":
      return `No directory in PATH contains an executable file ${path}.`
  }
}

/** Does not run the command, because it would wait for the settings of a worker. */
export const checkWorkerCommand = ({ provisioner }: ControlPlaneOptions): Effect.Effect<Finding> => {
  if (provisioner === undefined) {
    return Effect.succeed(
      unset("worker command", "ORGPLANE_WORKER_COMMAND is not set. Cloud workers cannot be created.")
    )
  }
  return Effect.map(
    Effect.promise(() => inspectCommand(provisioner)),
    (result) =>
      typeof result === "string"
        ? ok("worker command", `This user can execute ${result}.`)
        : failed(
            "worker command",
            describeFault(result),
            "Set ORGPLANE_WORKER_COMMAND to the absolute path of an executable file, or to a JSON array of a program and its arguments."
          )
  )
}
