import type { Suite } from "@orgplane/schema/capabilities"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Outbound } from "../../ports/outbound.ts"
import { type SuiteSettings, Suites } from "../../ports/suites.ts"
import { failed, makeAsk } from "./ask.ts"
import { signInOf } from "./configuration.ts"
import { makeSuiteA } from "./suite-a.ts"
import { makeSuiteB } from "./suite-b.ts"

export { isPlace, originsOf as suiteOriginsOf, parseSuiteOAuth } from "./configuration.ts"

export interface SuitesOptions {
  readonly "suite-a"?: SuiteSettings | undefined
  readonly "suite-b"?: SuiteSettings | undefined
  /** 30 000 unless told. */
  readonly timeoutMillis?: number | undefined
}

const timeoutDefault = 30_000

/** The suites that are set up. Nobody can be connected to another one, so nobody asks for it. */
export const layerSuites = (options: SuitesOptions) =>
  Layer.effect(
    Suites,
    Effect.gen(function* () {
      const outbound = yield* Outbound
      const timeoutMillis = options.timeoutMillis ?? timeoutDefault
      const unset = () => Effect.fail(failed("unavailable", "The operator of this server has not set the suite up."))
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
