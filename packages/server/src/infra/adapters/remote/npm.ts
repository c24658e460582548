import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { RemotePlace } from "../../ports/remote-content.ts"
import { attempt, failed, type Fetching, get } from "./download.ts"
import type { RemoteRequest } from "./rules.ts"

const metadataBytesMax = 8 * 1024 * 1024
const timeoutMillis = 20_000

/** The members of a package's metadata that are needed to fetch one version. */
const Metadata = Schema.Struct({
  versions: Schema.Record(Schema.String, Schema.Unknown)
})
const Version = Schema.Struct({ dist: Schema.Struct({ tarball: Schema.String }) })

const readMetadata = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** The URL of the tarball of one version. */
export const tarballOf = Effect.fnUntraced(function* (
  fetching: Fetching,
  { name, registry, version }: Extract<RemotePlace, { kind: "npm" }>
) {
  const request = fetching.rules.resolve(`${registry}/${name.replace("/", "%2f")}`)
  if (request === undefined) return yield* failed("not_allowed", "the registry's host is not allowed")
  // The abbreviated metadata that installers request.
  const response = yield* get(
    fetching,
    request,
    "application/vnd.npm.install-v1+json, application/json;q=0.8",
    metadataBytesMax,
    timeoutMillis
  )
  const body = yield* attempt(async () => {
    const pieces: Array<Uint8Array> = []
    for await (const piece of response.body) pieces.push(piece)
    return Buffer.concat(pieces).toString("utf8")
  })
  const metadata = Schema.decodeUnknownOption(Metadata)(readMetadata(body))
  if (Option.isNone(metadata)) return yield* failed("damaged", "the registry's response cannot be parsed")
  const { versions } = metadata.value
  const entry = Object.hasOwn(versions, version) ? versions[version] : undefined
  if (entry === undefined) return yield* failed("not_found", "the registry does not have this version")
  const packageVersion = Schema.decodeUnknownOption(Version)(entry)
  if (Option.isNone(packageVersion)) return yield* failed("damaged", "the registry's response cannot be parsed")
  const tarball: RemoteRequest | undefined = fetching.rules.resolveGiven(packageVersion.value.dist.tarball, request)
  return tarball ?? (yield* failed("not_allowed", "the registry stores the package on a host that is not allowed"))
}, Effect.scoped)
