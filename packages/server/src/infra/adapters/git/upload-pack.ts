import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { CodeHostFailed, Repository } from "../../ports/code-host.ts"
import type { Outbound, OutboundRequest } from "../../ports/outbound.ts"
import type { Bounds } from "./bounds.ts"
import { formatBounds } from "./bounds.ts"
import { addressesOf } from "./clone-url.ts"
import { attempt, corrupt, failed, ofOutbound } from "./failure.ts"
import { refusalOf } from "./http-response.ts"
import { isSha } from "./objects.ts"
import { delimiter, flush, isText, line, linesUntilMark, type Packet, packetsOf } from "./pkt-line.ts"
import { isRefName, type RefList } from "./refs.ts"
import { noSuchRevision } from "./snapshot-reader.ts"

/** The host's first response: its refs in the old protocol, only its capabilities in version 2. */
interface Greeting {
  readonly address: string
  readonly version: 1 | 2
  readonly capabilities: ReadonlyMap<string, string>
  readonly refs: RefList
  /** Old protocol: the tag to request for a commit that is only known as the target of that tag. */
  readonly tagOf: ReadonlyMap<string, string>
}

export interface Remote {
  readonly repository: Repository
  readonly greeting: Greeting
}

type OutboundService = Outbound["Service"]

const agent = "git/orgplane"

const headersFor = ({ credential }: Repository): Record<string, string> => ({
  "user-agent": agent,
  "git-protocol": "version=2",
  ...(credential === null
    ? {}
    : {
        authorization: `Basic ${Buffer.from(`${credential.username}:${Redacted.value(credential.token)}`).toString("base64")}`
      })
})

const requestFor = (
  repository: Repository,
  url: string,
  timeoutMillis: number,
  bodyBytesMax: number
): OutboundRequest => ({
  destination: repository.destination ?? "supplied",
  organizationId: repository.organizationId,
  url,
  headers: headersFor(repository),
  redirectsMax: 0,
  timeoutMillis,
  bodyBytesMax
})

const noRefs: RefList = { headTarget: undefined, headSha: undefined, refs: new Map() }

/** Parses `a=1 a=2 b`; values of a repeated name are joined by a space, since only `symref` is repeated. */
const capabilitiesOf = (words: ReadonlyArray<string>): ReadonlyMap<string, string> => {
  const values = new Map<string, string>()
  for (const word of words) {
    const at = word.indexOf("=")
    const name = at === -1 ? word : word.slice(0, at)
    const value = at === -1 ? "" : word.slice(at + 1)
    const before = values.get(name)
    values.set(name, before === undefined ? value : `${before} ${value}`)
  }
  return values
}

const refusalLine = (text: string | undefined): CodeHostFailed | undefined => {
  if (text === undefined || !text.startsWith("ERR ")) return undefined
  if (/not our ref|unadvertised object|no such remote ref/i.test(text)) return noSuchRevision()
  if (/not found|not exported|does not exist|access denied/i.test(text)) {
    return failed("not_a_repository", "The repository does not exist on the code host.")
  }
  return failed("unreachable", "The code host rejected the request.")
}

const demandSha1 = (capabilities: ReadonlyMap<string, string>): void => {
  if ((capabilities.get("object-format") ?? "sha1") !== "sha1") {
    throw failed("not_a_repository", "The repository uses an object format other than SHA-1, which is not supported.")
  }
}

const isPeeled = (name: string): boolean => name.endsWith("^{}")

/** One `<sha> <ref>` per line; an annotated tag is followed by `<ref>^{}` with its commit. */
const readOldRefs = (lines: ReadonlyArray<string>, address: string): Greeting => {
  const [first = "", words = ""] = (lines[0] ?? "").split("\0")
  const capabilities = capabilitiesOf(words.split(" ").filter((word) => word !== ""))
  demandSha1(capabilities)
  const refs = new Map<string, string>()
  const tagOf = new Map<string, string>()
  let headSha: string | undefined
  for (const text of [first, ...lines.slice(1)]) {
    const sha = text.slice(0, 40)
    const name = text.slice(41)
    if (text.startsWith("shallow ")) continue
    if (!isSha(sha)) throw corrupt("the code host's list of refs cannot be parsed")
    if (name === "HEAD") headSha = sha
    else if (isPeeled(name)) {
      const tag = refs.get(name.slice(0, -3))
      if (tag === undefined) continue
      tagOf.set(sha, tag)
      refs.set(name.slice(0, -3), sha)
    } else if (isRefName(name)) refs.set(name, sha)
  }
  const headTarget = capabilities
    .get("symref")
    ?.split(" ")
    .find((pair) => pair.startsWith("HEAD:"))
    ?.slice(5)
  return { address, version: 1, capabilities, refs: { headTarget, headSha, refs }, tagOf }
}

const readGreeting = async (body: AsyncIterable<Uint8Array>, address: string): Promise<Greeting> => {
  const packets = packetsOf(body)
  let { lines, mark } = await linesUntilMark(packets, formatBounds.refsMax)
  if (lines[0] === "# service=git-upload-pack" && lines.length === 1) {
    ;({ lines, mark } = await linesUntilMark(packets, formatBounds.refsMax))
  }
  const refusal = refusalLine(lines[0])
  if (refusal !== undefined) throw refusal
  if (mark !== "flush" || lines.length === 0) throw corrupt("the code host's response is truncated")
  if (lines[0] !== "version 2") return readOldRefs(lines[0] === "version 1" ? lines.slice(1) : lines, address)
  const capabilities = capabilitiesOf(lines.slice(1))
  demandSha1(capabilities)
  return { address, version: 2, capabilities, refs: noRefs, tagOf: new Map() }
}

const greet = Effect.fnUntraced(function* (
  outbound: OutboundService,
  repository: Repository,
  address: string,
  bounds: Bounds
) {
  const url = `${address}/info/refs?service=git-upload-pack`
  const response = yield* outbound
    .stream(requestFor(repository, url, bounds.timeoutMillis, formatBounds.refBytesMax))
    .pipe(Effect.mapError(ofOutbound))
  const refusal = refusalOf(response, repository.credential !== null, "application/x-git-upload-pack-advertisement")
  if (refusal !== undefined) return yield* refusal
  return yield* attempt(() => readGreeting(response.body, address))
}, Effect.scoped)

/**
 * Connects under each possible URL. When all fail, the most specific failure is returned: a host that requires a
 * credential has the repository, while one that does not find it may only expect another URL.
 */
export const connect = Effect.fnUntraced(function* (outbound: OutboundService, repository: Repository, bounds: Bounds) {
  let bestFailure: CodeHostFailed | undefined
  for (const address of addressesOf(repository.cloneUrl)) {
    const response = yield* Effect.result(greet(outbound, repository, address, bounds))
    if (response._tag === "Success") return { repository, greeting: response.success } satisfies Remote
    const { failure } = response
    if (failure.code !== "not_a_repository" && failure.code !== "unauthorized") return yield* failure
    if (bestFailure === undefined || bestFailure.code === "not_a_repository") bestFailure = failure
  }
  return yield* bestFailure ?? failed("not_a_repository", "The repository does not exist.")
})

const resultType = "application/x-git-upload-pack-result"

const ask = Effect.fnUntraced(function* (
  outbound: OutboundService,
  { repository, greeting }: Remote,
  body: string,
  bounds: Bounds,
  bodyBytesMax: number
) {
  const request = requestFor(repository, `${greeting.address}/git-upload-pack`, bounds.timeoutMillis, bodyBytesMax)
  const response = yield* outbound
    .stream({
      ...request,
      method: "POST",
      headers: { ...request.headers, "content-type": "application/x-git-upload-pack-request", accept: resultType },
      body
    })
    .pipe(Effect.mapError(ofOutbound))
  const refusal = refusalOf(response, repository.credential !== null, resultType)
  if (refusal !== undefined) return yield* refusal
  return response.body
})

const command = (name: string, capabilities: ReadonlyMap<string, string>): string =>
  line(`command=${name}\n`) +
  (capabilities.has("agent") ? line(`agent=${agent}\n`) : "") +
  (capabilities.has("object-format") ? line("object-format=sha1\n") : "") +
  delimiter

const readRefLines = (lines: ReadonlyArray<string>): RefList => {
  const refs = new Map<string, string>()
  let headTarget: string | undefined
  let headSha: string | undefined
  const refusal = refusalLine(lines[0])
  if (refusal !== undefined) throw refusal
  for (const text of lines) {
    const [sha = "", name = "", ...attributes] = text.split(" ")
    const attribute = (key: string) => attributes.find((word) => word.startsWith(key))?.slice(key.length)
    if (sha !== "unborn" && !isSha(sha)) throw corrupt("the code host's list of refs cannot be parsed")
    if (name === "HEAD") {
      headTarget = attribute("symref-target:")
      headSha = sha === "unborn" ? undefined : sha
    } else if (sha !== "unborn" && isRefName(name)) refs.set(name, attribute("peeled:") ?? sha)
  }
  return { headTarget, headSha, refs }
}

/** The refs with these prefixes; a host with the old protocol has already sent all of them. */
export const listRefs = Effect.fnUntraced(function* (
  outbound: OutboundService,
  remote: Remote,
  prefixes: ReadonlyArray<string>,
  bounds: Bounds
) {
  const { version, capabilities, refs } = remote.greeting
  if (version === 1) return refs
  const body =
    command("ls-refs", capabilities) +
    line("peel\n") +
    line("symrefs\n") +
    (capabilities.get("ls-refs")?.split(" ").includes("unborn") === true ? line("unborn\n") : "") +
    prefixes.map((prefix) => line(`ref-prefix ${prefix}\n`)).join("") +
    flush
  const response = yield* ask(outbound, remote, body, bounds, formatBounds.refBytesMax)
  return yield* attempt(async () => {
    const { lines, mark } = await linesUntilMark(packetsOf(response), formatBounds.refsMax)
    if (mark !== "flush") throw refusalLine(lines[0]) ?? corrupt("the code host's response is truncated")
    return readRefLines(lines)
  })
}, Effect.scoped)

/** Extracts the pack from its side band; packets before it (shallow marks, section names) are not needed. */
async function* packOf(packets: AsyncGenerator<Packet>): AsyncGenerator<Buffer> {
  let isEnded = false
  for await (const packet of packets) {
    if (!isText(packet)) {
      isEnded = packet === "flush"
      continue
    }
    const band = packet[0]
    isEnded = false
    if (band === 1) yield packet.subarray(1)
    else if (band === 3) throw failed("unreachable", "The code host reported an error while it sent the repository.")
    else if (band !== 2) {
      const refusal = refusalLine(packet.toString("utf8", 0, 1024))
      if (refusal !== undefined) throw refusal
    }
  }
  if (!isEnded) throw corrupt("the code host's response is truncated")
}

/** Whether a host with the old protocol sends a commit by SHA: tips always, others only if it advertises that. */
const mayWant = ({ capabilities, refs, tagOf, version }: Greeting, sha: string): boolean =>
  version === 2 ||
  capabilities.has("allow-reachable-sha1-in-want") ||
  capabilities.has("allow-any-sha1-in-want") ||
  refs.headSha === sha ||
  tagOf.has(sha) ||
  [...tagOf.values()].includes(sha) ||
  [...refs.refs.values()].includes(sha)

const progressBytesMax = 4 * 1024 * 1024

/**
 * One commit without its history, as the bytes of a pack, readable until the scope closes. No known commits are sent,
 * so no delta can have a base outside the pack.
 */
export const fetchPack = Effect.fnUntraced(function* (
  outbound: OutboundService,
  remote: Remote,
  sha: string,
  bounds: Bounds
) {
  const { version, capabilities, tagOf } = remote.greeting
  if (!mayWant(remote.greeting, sha)) return yield* noSuchRevision()
  const features = version === 2 ? (capabilities.get("fetch") ?? "").split(" ") : [...capabilities.keys()]
  const deepen = features.includes("shallow") ? line("deepen 1\n") : ""
  if (version === 1 && !features.includes("side-band-64k")) {
    return yield* failed("unreachable", "The code host's version of git is too old.")
  }
  const wanted = ["side-band-64k", "ofs-delta", "no-progress"].filter((name) => features.includes(name))
  const body =
    version === 2
      ? command("fetch", capabilities) +
        line("no-progress\n") +
        line("ofs-delta\n") +
        line(`want ${sha}\n`) +
        deepen +
        line("done\n") +
        flush
      : line(`want ${tagOf.get(sha) ?? sha} ${[...wanted, `agent=${agent}`].join(" ")}\n`) +
        deepen +
        flush +
        line("done\n")
  // Each packet of 64 KiB has a header of 5 bytes.
  const bodyBytesMax = bounds.packBytesMax + Math.ceil(bounds.packBytesMax / 1000) + progressBytesMax
  return packOf(packetsOf(yield* ask(outbound, remote, body, bounds, bodyBytesMax)))
})
