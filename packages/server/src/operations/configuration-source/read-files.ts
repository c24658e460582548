/** Reads the configuration files of a commit as one document, by the rules of the CLI. */
import { type ConfigurationRunProblem as RunProblem, runProblemsMax } from "@orgplane/schema/configuration-runs"
import type { Problem } from "@orgplane/schema/configuration"
import { documentBytesMax } from "@orgplane/schema/shared/configuration/limits"
import { Faults, type Place, UnreadableFiles } from "@orgplane/schema/shared/configuration-files/faults"
import { type Merged, mergeSources } from "@orgplane/schema/shared/configuration-files/merge"
import { Budget, parseSource, type Source, type SourceText } from "@orgplane/schema/shared/configuration-files/source"
import { Document } from "@orgplane/schema/shared/configuration-document"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Yaml from "yaml"
import { invalidRequest } from "../../infra/http/validation-details.ts"
import type { Snapshot, TreeEntry } from "../../infra/ports/code-host.ts"
import { inTimeSlices, type Steps } from "../../infra/time-slices.ts"

const filesMax = 1000
/** Far below the limits of a snapshot. */
const bytesMax = 4 * 1_048_576
/** Of one file. The parser takes about 10 µs per token without yielding. */
const fileTokensMax = 20_000
const tokensMax = 200_000

const extensions = /\.(yaml|yml|json)$/iu

/** The files cannot be applied, for these reasons. */
export class FilesRefused {
  readonly _tag = "FilesRefused"
  readonly problems: ReadonlyArray<RunProblem>
  constructor(problems: ReadonlyArray<RunProblem>) {
    this.problems = problems.slice(0, runProblemsMax)
  }
}

/** A problem that is not about a place in a file. */
export const problemOf = (message: string, file: string | null = null): RunProblem => ({
  path: [],
  message,
  file,
  line: null,
  column: null
})

const refused = (message: string, file?: string) => new FilesRefused([problemOf(message, file)])

const located = ({ message, path }: Problem, place: Place | undefined): RunProblem => ({
  path,
  message,
  file: place?.file ?? null,
  line: place?.line ?? null,
  column: place?.column ?? null
})

const isHidden = (path: string) => path.split("/").some((part) => part.startsWith("."))

/** The file at the path, or the files of the folder at the path. Links are not followed. */
const filesAt = ({ entries }: Snapshot, path: string): ReadonlyArray<TreeEntry> => {
  const files = entries.filter(({ kind, linkTo }) => kind === "file" && linkTo === undefined)
  const file = files.find((entry) => entry.path === path)
  if (file !== undefined) return [file]
  const prefix = path === "." ? "" : `${path}/`
  return files.filter(
    (entry) =>
      entry.path.startsWith(prefix) && extensions.test(entry.path) && !isHidden(entry.path.slice(prefix.length))
  )
}

/** The number of tokens of each text, up to one above the limit. */
const countTokens = function* (texts: ReadonlyArray<SourceText>): Steps<{ readonly over: string | undefined }> {
  let total = 0
  for (const { name, text } of texts) {
    let count = 0
    for (const _ of new Yaml.Lexer().lex(text)) {
      count += 1
      total += 1
      if (count > fileTokensMax || total > tokensMax) return { over: name }
      yield
    }
  }
  return { over: undefined }
}

const readTexts = Effect.fnUntraced(function* (snapshot: Snapshot, path: string) {
  const files = filesAt(snapshot, path)
  const revision = snapshot.revision.slice(0, 12)
  if (snapshot.truncated) {
    return yield* Effect.fail(
      refused("The repository has too many files to list. Move the configuration to a smaller repository.")
    )
  }
  if (files.length === 0) {
    return yield* Effect.fail(
      refused(`Commit ${revision} has no file '${path}', and no folder '${path}' with *.yaml, *.yml or *.json files.`)
    )
  }
  if (files.length > filesMax) {
    return yield* Effect.fail(
      refused(`The folder '${path}' has ${files.length} files. At most ${filesMax} are allowed.`)
    )
  }
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  if (bytes > bytesMax) {
    return yield* Effect.fail(refused(`The files have ${bytes} bytes. At most ${bytesMax} are allowed.`))
  }
  const contents = yield* snapshot.read([...new Set(files.map(({ sha }) => sha))])
  return yield* Effect.forEach(files, ({ path: name, sha }) => {
    const content = contents.get(sha)
    if (content === undefined) return Effect.fail(refused("The content of the file is missing or damaged.", name))
    return Effect.try({
      // Removes the byte order mark.
      try: (): SourceText => ({
        name,
        text: new TextDecoder("utf-8", { fatal: true }).decode(content),
        isJson: /\.json$/iu.test(name)
      }),
      catch: () => refused("The file is not UTF-8 text.", name)
    })
  })
})

const readable = <A>(read: () => A) =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(read())
    } catch (error) {
      return error instanceof UnreadableFiles ? Effect.fail(refused(error.message)) : Effect.die(error)
    }
  })

const checkFaults = ({ count, shown }: Faults) => {
  if (count === 0) return Effect.void
  const others = count - shown.length
  return Effect.fail(
    new FilesRefused([
      ...shown.map(({ message, path, place }) => located({ message, path }, place)),
      ...(others === 0 ? [] : [problemOf(`${others} more problems`)])
    ])
  )
}

const decode = Schema.decodeUnknownEffect(Document, { errors: "all", onExcessProperty: "error" })

export interface FilesDocument {
  readonly document: typeof Document.Type
  readonly locate: (problem: Problem) => RunProblem
}

/** Reads the document at the path. Fails with the problems of its files, each with its location. */
export const readFiles = Effect.fnUntraced(function* (snapshot: Snapshot, path: string) {
  const texts = yield* readTexts(snapshot, path)
  const { over } = yield* inTimeSlices(countTokens(texts))
  if (over !== undefined) {
    return yield* Effect.fail(
      refused(
        `The files are too complex: at most ${fileTokensMax} YAML tokens in a file and ${tokensMax} in all files are allowed.`,
        over
      )
    )
  }
  const faults = new Faults()
  const context = { yaml: Yaml, faults, budget: new Budget(), environment: "none" } as const
  const sources: Array<Source> = []
  for (const text of texts) {
    yield* Effect.yieldNow
    sources.push(yield* readable(() => parseSource(text, context)))
  }
  yield* checkFaults(faults)
  const merged: Merged = mergeSources(sources, faults)
  yield* checkFaults(faults)
  const bytes = Buffer.byteLength(JSON.stringify(merged.document))
  if (bytes > documentBytesMax) {
    return yield* Effect.fail(
      refused(`The configuration has ${bytes} bytes as JSON. At most ${documentBytesMax} are allowed.`)
    )
  }
  const locate = (problem: Problem) => located(problem, merged.placeOf(problem.path))
  const document = yield* decode(merged.document).pipe(
    Effect.mapError(
      ({ issue }) =>
        new FilesRefused(
          invalidRequest("body", issue).details.map(({ message, path: [, ...at] }) => locate({ path: at, message }))
        )
    )
  )
  return { document, locate } satisfies FilesDocument
})
