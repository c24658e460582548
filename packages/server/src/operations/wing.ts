/** Runs the installation. Its modules have no services that others use. */
import * as housekeeping from "./housekeeping/module.ts"
import * as reseal from "./reseal/module.ts"

export const workers = [...housekeeping.workers, ...reseal.workers]
