import type { Suite } from "@orgplane/schema/capabilities"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Outbound } from "../../ports/outbound.ts"
import { type SuiteSettings, Suites } from "../../ports/suites.ts"
import { failed, makeAsk } from "./ask.ts"
import { signInOf } from "./configuration.ts"
import { makeSuiteA } from "./suite-a.ts"
import { makeSuiteB } from "./suite-b.ts"

export { isEndpointUrl, originsOf as suiteOriginsOf, parseSuiteOAuth } from "./configuration.ts"
export { probeSuiteApi, probeSuiteTokenEndpoint } from "./probe.ts"

export interface SuitesOptions {
  readonly "suite-a"?: SuiteSettings | undefined
  readonly "suite-b"?: SuiteSettings | undefined
  /** Default: 30,000. */
  readonly timeoutMillis?: number | undefined
}

const timeoutDefault = 30_000

/** The configured suites. Accounts of other suites cannot be connected, so they are never requested. */
export const layerSuites = (options: SuitesOptions) =>
  Layer.effect(
    Suites,
    Effect.gen(function* () {
      const outbound = yield* Outbound
      const timeoutMillis = options.timeoutMillis ?? timeoutDefault
      const unset = () => Effect.fail(failed("unavailable", "The operator has not configured this suite."))
      const askOf = (suite: Suite) => {
        const settings = options[suite]
        return settings === undefined ? unset : makeAsk(outbound, settings.url, timeoutMillis)
      }
      return {
        signIn: (suite: Suite) => {
          const settings = options[suite]
          return settings === undefined ? null : signInOf(suite, settings)
        },
        timeoutMillis,
        ...makeSuiteA(askOf("suite-a")),
        ...makeSuiteB(askOf("suite-b"))
      }
    })
  )
