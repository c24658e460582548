/** Runs the installation, and the configuration of organizations as code. */
import * as Layer from "effect/Layer"
import * as configuration from "./configuration/module.ts"
import * as configurationSource from "./configuration-source/module.ts"
import * as housekeeping from "./housekeeping/module.ts"
import * as reseal from "./reseal/module.ts"

export const layer = configurationSource.layer.pipe(Layer.provideMerge(configuration.layer))

export const workers = [...configurationSource.workers, ...housekeeping.workers, ...reseal.workers]
