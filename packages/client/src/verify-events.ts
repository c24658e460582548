/** A public key of the server, as in `GET /v1/keys`. */
export interface EventsKey {
  readonly kid: string
  /** The Ed25519 public key, in base64url. */
  readonly x: string
}

/** A received line, and where it is, for messages. */
export interface ReceivedLine {
  readonly text: string
  readonly place?: string
}

export interface VerifyEventsOptions {
  readonly keys: ReadonlyArray<EventsKey>
}

/** Why the lines do not prove a complete sequence of events. */
export interface EventsProblem {
  /** Null for a line that cannot be read. */
  readonly sequence: number | null
  readonly message: string
  readonly place: string | null
}

/** What the lines of one organization prove. */
export interface VerifiedOrganization {
  readonly organizationId: string
  /** The sequence number of the first line. Null if there are checkpoints or gaps, but no events. */
  readonly first: number | null
  /** Whether the chain starts with the first line. If not, earlier events are not in the lines. */
  readonly isStart: boolean
  /** The sequence number of the last line in the unbroken chain from the first one. Null if there are no events. */
  readonly last: number | null
  /** Every event from `first` to this one is in the lines, unchanged. Null if no checkpoint proves it. */
  readonly provenThrough: number | null
  /** When the checkpoint was signed that proves it. */
  readonly provenAt: string | null
  /** Events in the proven range without content, because the stream does not select their type. */
  readonly omitted: number
  /** Events in the proven range without content, because they are about personal data. */
  readonly personal: number
  readonly problem: EventsProblem | null
}

export interface EventsVerification {
  /** Whether there are lines, their chain is unbroken, and a checkpoint proves at least one. */
  readonly valid: boolean
  readonly organizations: ReadonlyArray<VerifiedOrganization>
  /** The first problem. */
  readonly problem: EventsProblem | null
}

interface Line {
  readonly hash: string
  readonly previous: string | null
  readonly kind: "event" | "personal" | "omitted"
  readonly place: string | null
}

interface Checkpoint {
  readonly sequence: number
  readonly hash: string
  readonly createdAt: string
  readonly place: string | null
}

interface Organization {
  readonly lines: Map<number, Line>
  readonly checkpoints: Array<Checkpoint>
  readonly gaps: Array<{ readonly from: number; readonly to: number; readonly place: string | null }>
  readonly problems: Array<EventsProblem & { readonly sequence: number }>
}

type Members = Readonly<Record<string, unknown>>

const version = 2
const hashPattern = /^[0-9a-f]{64}$/u

const bytesOfBase64url = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0))

const hashOf = async (text: string): Promise<string> => {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("")
}

const isSequence = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0
const isHash = (value: unknown): value is string => typeof value === "string" && hashPattern.test(value)

const parse = (text: string): Members | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : undefined
  } catch {
    return undefined
  }
}

/** JSON as RFC 8785 writes it, for values from `JSON.parse`. */
const canonicalOf = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalOf).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalOf(member)}`).join(",")}}`
}

/** The digest of the content of a line, which is the line without `previous`; undefined if it is not canonical JSON. */
const contentDigestOf = async (text: string, members: Members): Promise<string | undefined> => {
  try {
    if (canonicalOf(members) !== text) return undefined
    const { previous: _, ...content } = members
    return await hashOf(canonicalOf(content))
  } catch {
    // The JSON is nested too deeply.
    return undefined
  }
}

/** The hash of a line in the chain. */
const chainHashOf = (organizationId: string, sequence: number, previous: string | null, contentDigest: string) =>
  hashOf(`orgplane feed line\n${version}\n${organizationId}\n${sequence}\n${previous ?? ""}\n${contentDigest}\n`)

/** Verifies signatures, with each key imported once. */
const makeSignatures = (keys: ReadonlyArray<EventsKey>) => {
  const imported = new Map<string, Promise<CryptoKey>>()
  const keyOf = (keyId: string): Promise<CryptoKey> | undefined => {
    const existing = imported.get(keyId)
    if (existing !== undefined) return existing
    const key = keys.find(({ kid }) => kid === keyId)
    if (key === undefined) return undefined
    const one = crypto.subtle.importKey("raw", bytesOfBase64url(key.x), { name: "Ed25519" }, false, ["verify"])
    imported.set(keyId, one)
    return one
  }
  /** The problem of a checkpoint; undefined if a key signed it. */
  return async (members: Members): Promise<string | undefined> => {
    const { createdAt, hash, keyId, organizationId, sequence, signature } = members
    if (typeof keyId !== "string" || typeof signature !== "string") return "The checkpoint has no signature."
    const text = `orgplane feed checkpoint\n${String(organizationId)}\n${String(sequence)}\n${String(hash)}\n${String(createdAt)}\n`
    try {
      const key = await keyOf(keyId)
      if (key === undefined)
        return `The checkpoint is signed with the key ${keyId}, which is not among the public keys.`
      const bytes = new TextEncoder().encode(text)
      if (await crypto.subtle.verify("Ed25519", key, bytesOfBase64url(signature), bytes)) return undefined
    } catch {
      // A malformed key or signature does not match either.
    }
    return "The signature of the checkpoint does not match."
  }
}

const rangeOf = (from: number, to: number) => (from === to ? `Event ${from} is` : `The events ${from} to ${to} are`)

/** An organization with checkpoints or gaps, but without events: its lines were removed. Undefined if it has neither. */
const withoutLines = (
  organizationId: string,
  { checkpoints, gaps, problems }: Organization
): VerifiedOrganization | undefined => {
  const [checkpoint] = checkpoints
  const [gap] = gaps
  const missing =
    checkpoint !== undefined
      ? {
          message: `All events are missing: a signed checkpoint covers event ${checkpoint.sequence}.`,
          place: checkpoint.place
        }
      : gap !== undefined
        ? {
            message: `All events are missing: there is only a line in place of the events ${gap.from} to ${gap.to}.`,
            place: gap.place
          }
        : undefined
  const problem = missing === undefined ? problems[0] : { sequence: null, ...missing }
  if (problem === undefined) return undefined
  return {
    organizationId,
    first: null,
    isStart: false,
    last: null,
    provenThrough: null,
    provenAt: null,
    omitted: 0,
    personal: 0,
    problem
  }
}

const verifyOrganization = (organizationId: string, organization: Organization): VerifiedOrganization | undefined => {
  const { checkpoints, gaps, lines, problems } = organization
  const sequences = [...lines.keys()].sort((one, other) => one - other)
  const first = sequences[0]
  if (first === undefined) return withoutLines(organizationId, organization)
  const problemsInOrder = [...problems]
  let last = first
  for (const [index, sequence] of sequences.entries()) {
    if (index === 0) continue
    const line = lines.get(sequence)
    const before = lines.get(last)
    if (sequence !== last + 1) {
      const missing = rangeOf(last + 1, sequence - 1)
      const isDeleted = gaps.some(({ from, to }) => from <= last + 1 && to >= sequence - 1)
      const reason = isDeleted
        ? `${missing} missing: deleted at the end of the retention period, before delivery.`
        : `${missing} missing.`
      problemsInOrder.push({ sequence: last + 1, message: reason, place: line?.place ?? null })
      break
    }
    if (line?.previous !== before?.hash) {
      const message = `Event ${last} was changed, or event ${sequence} does not follow it.`
      problemsInOrder.push({ sequence: last, message, place: before?.place ?? null })
      break
    }
    last = sequence
  }
  const end = sequences.at(-1) ?? last
  for (const { hash, place, sequence } of checkpoints) {
    const line = lines.get(sequence)
    if (sequence > end) {
      const message = `${rangeOf(end + 1, sequence)} missing: a signed checkpoint covers more than the lines.`
      problemsInOrder.push({ sequence: end + 1, message, place })
    } else if (line !== undefined && line.hash !== hash) {
      problemsInOrder.push({
        sequence,
        message: `Event ${sequence} does not match its signed checkpoint.`,
        place: line.place
      })
    }
  }
  problemsInOrder.sort((one, other) => one.sequence - other.sequence)
  const problem = problemsInOrder[0] ?? null
  const proof = checkpoints
    .filter(({ hash, sequence }) => sequence <= last && lines.get(sequence)?.hash === hash)
    .reduce<Checkpoint | undefined>(
      (best, one) => (best === undefined || one.sequence > best.sequence ? one : best),
      undefined
    )
  const provenThrough = proof?.sequence ?? null
  const proven = sequences.filter((sequence) => sequence <= (provenThrough ?? 0))
  const countOf = (kind: Line["kind"]) => proven.filter((sequence) => lines.get(sequence)?.kind === kind).length
  return {
    organizationId,
    first,
    isStart: lines.get(first)?.previous === null,
    last,
    provenThrough,
    provenAt: proof?.createdAt ?? null,
    omitted: countOf("omitted"),
    personal: countOf("personal"),
    problem
  }
}

/**
 * Verifies the lines that event streams sent: that no event is missing or changed between the first line and the last
 * signed checkpoint. It needs only the public keys of the server, and no connection. Lines can be in any order, because
 * each has a sequence number, and repeated lines are accepted.
 */
export const verifyEvents = async (
  lines: Iterable<ReceivedLine> | AsyncIterable<ReceivedLine>,
  { keys }: VerifyEventsOptions
): Promise<EventsVerification> => {
  const organizations = new Map<string, Organization>()
  const unreadable: Array<EventsProblem> = []
  const problemOf = makeSignatures(keys)
  const organizationOf = (id: string) => {
    const existing = organizations.get(id)
    if (existing !== undefined) return existing
    const created: Organization = { lines: new Map(), checkpoints: [], gaps: [], problems: [] }
    organizations.set(id, created)
    return created
  }

  const add = ({ lines: known, problems }: Organization, sequence: number, line: Line) => {
    const existing = known.get(sequence)
    if (existing === undefined) known.set(sequence, line)
    else if (existing.hash !== line.hash || existing.previous !== line.previous) {
      problems.push({ sequence, message: `There are two different lines for event ${sequence}.`, place: line.place })
    } else if (existing.kind === "omitted") known.set(sequence, line)
  }

  for await (const { place = null, text } of lines) {
    if (text.trim() === "") continue
    const members = parse(text)
    const { contentDigest, hash, kind, organizationId, previous, sequence } = members ?? {}
    if (members?.["version"] !== version || typeof organizationId !== "string") {
      unreadable.push({ sequence: null, message: "The line is not a line of an event stream.", place })
      continue
    }
    const organization = organizationOf(organizationId)
    const isLinked = isSequence(sequence) && (previous === null || isHash(previous))
    if (isLinked && (kind === "event" || kind === "personal")) {
      const digest = await contentDigestOf(text, members)
      if (digest === undefined) {
        const message = `The line of event ${sequence} was changed: it is not canonical JSON.`
        organization.problems.push({ sequence, message, place })
      } else {
        const lineHash = await chainHashOf(organizationId, sequence, previous, digest)
        add(organization, sequence, { hash: lineHash, previous, kind, place })
      }
    } else if (isLinked && kind === "omitted" && isHash(contentDigest)) {
      const lineHash = await chainHashOf(organizationId, sequence, previous, contentDigest)
      add(organization, sequence, { hash: lineHash, previous, kind, place })
    } else if (kind === "checkpoint" && isSequence(sequence) && isHash(hash)) {
      const message = await problemOf(members)
      if (message === undefined) {
        organization.checkpoints.push({ sequence, hash, createdAt: String(members["createdAt"]), place })
      } else organization.problems.push({ sequence, message, place })
    } else if (kind === "test") {
      // A test is not part of the chain.
    } else if (kind === "gap" && isSequence(members["from"]) && isSequence(members["to"])) {
      organization.gaps.push({ from: members["from"], to: members["to"], place })
    } else {
      unreadable.push({ sequence: null, message: "The line is not a line of an event stream.", place })
    }
  }

  const verified = [...organizations]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([id, organization]) => verifyOrganization(id, organization))
    .filter((one) => one !== undefined)
  const problem = unreadable[0] ?? verified.find((one) => one.problem !== null)?.problem ?? null
  const isProven = verified.length > 0 && verified.every(({ provenThrough }) => provenThrough !== null)
  return { valid: problem === null && isProven, organizations: verified, problem }
}
