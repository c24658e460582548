/** Reads the configuration files of a command line as one document. */
import { usage } from "../failure.ts"
import { escapeControls } from "../output/escape.ts"
import type { Io } from "../io.ts"
import { collectFiles } from "./collect-files.ts"
import { Faults, placeText } from "./faults.ts"
import { type Merged, mergeSources } from "./merge.ts"
import { collectSecrets } from "./secrets.ts"
import { Budget, parseSource } from "./source.ts"
import { isVariableName } from "./variables.ts"

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
  const context = { faults, budget: new Budget(), environment }
  const texts = await collectFiles(io, files)
  const sources = texts.map((text) => parseSource(text, context))
  // Values of faulty files would cause further faults.
  faults.check()
  const merged = mergeSources(sources, faults)
  faults.check()
  const secrets = sendsSecrets ? await collectSecrets(sources, environment, faults) : {}
  faults.check()
  return {
    ...merged,
    secrets,
    locationOf: (path) => {
      const place = isPath(path) ? merged.placeOf(path) : undefined
      return place === undefined ? undefined : placeText(place)
    }
  }
}
