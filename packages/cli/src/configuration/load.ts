/** Reads the configuration files of a command line as one document. */
import { documentBytesMax } from "@orgplane/schema/shared/configuration/limits"
import { Faults, placeText } from "@orgplane/schema/shared/configuration-files/faults"
import { type Merged, mergeSources } from "@orgplane/schema/shared/configuration-files/merge"
import { Budget, parseSource } from "@orgplane/schema/shared/configuration-files/source"
import { isVariableName } from "@orgplane/schema/shared/configuration-files/variables"
import { exit } from "../exit-code.ts"
import { Failure, usage } from "../failure.ts"
import { escapeControls } from "../output/escape.ts"
import type { Io } from "../io.ts"
import { collectFiles } from "./collect-files.ts"
import { checkFaults, readable } from "./check-faults.ts"
import { collectSecrets } from "./secrets.ts"
import { yamlLibrary } from "./yaml-library.ts"

export interface Loaded extends Merged {
  /** Empty if the server does not accept secrets. */
  readonly secrets: Readonly<Record<string, string>>
  /** The location of a path of the document, as text. */
  readonly locationOf: (path: ReadonlyArray<unknown>) => string | undefined
}

interface Options {
  readonly files: ReadonlyArray<string>
  /** The names of the environment variables that the files may use. */
  readonly variables: ReadonlyArray<string>
  /** Whether requests have the member `secrets`. */
  readonly sendsSecrets: boolean
}

const isPath = (path: ReadonlyArray<unknown>): path is ReadonlyArray<string | number> =>
  path.every((part) => typeof part === "string" || typeof part === "number")

export const loadDocument = async (io: Io, { files, sendsSecrets, variables }: Options): Promise<Loaded> => {
  const invalid = variables.find((name) => !isVariableName(name))
  if (invalid !== undefined) {
    throw usage(`--env must be the name of an environment variable, got '${escapeControls(invalid)}'.`)
  }
  const environment = { allowed: new Set(variables), values: io.env }
  const faults = new Faults()
  const context = { yaml: yamlLibrary(), faults, budget: new Budget(), environment }
  const texts = await collectFiles(io, files)
  const sources = readable(() => texts.map((text) => parseSource(text, context)))
  // Values of faulty files would cause further faults.
  checkFaults(faults)
  const merged = mergeSources(sources, faults)
  const bytes = Buffer.byteLength(JSON.stringify(merged.document))
  if (bytes > documentBytesMax) {
    throw new Failure(
      exit.failure,
      `The configuration has ${bytes} bytes as JSON. At most ${documentBytesMax} are allowed. Apply it in parts, with a different kind in each.`
    )
  }
  checkFaults(faults)
  const secrets = sendsSecrets ? await collectSecrets(sources, environment, faults) : {}
  checkFaults(faults)
  return {
    ...merged,
    secrets,
    locationOf: (path) => {
      const place = isPath(path) ? merged.placeOf(path) : undefined
      return place === undefined ? undefined : placeText(place)
    }
  }
}
