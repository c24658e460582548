import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import type { ControlPlaneOptions } from "./options.ts"

const levels = { error: "Error", warn: "Warn", info: "Info", debug: "Debug" } as const

/** Lines of JSON on stderr, from a level on. */
export const layerLogger = (level: NonNullable<ControlPlaneOptions["logLevel"]>) =>
  level === "none"
    ? Logger.layer([])
    : Layer.mergeAll(
        Logger.layer([
          Logger.map(Logger.formatJson, (line) => {
            process.stderr.write(`${line}\n`)
          })
        ]),
        Layer.succeed(References.MinimumLogLevel, levels[level])
      )
