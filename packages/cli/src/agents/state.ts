/** The desired state: what the CLI reads of it. */
import { exit } from "../exit-code.ts"
import { Failure } from "../failure.ts"
import { isObject, listAt, member, textAt } from "../output/value.ts"

export interface DesiredPlugin {
  readonly pluginId: string
  readonly name: string
  readonly description: string | undefined
  readonly version: string | undefined
  /** The digest of the release. */
  readonly digest: string | undefined
  /** Undefined if the server no longer delivers the pinned release. */
  readonly archive: { readonly url: string; readonly format: string; readonly sha256: string } | undefined
  readonly mode: string
  readonly enabled: boolean
  readonly locked: boolean
}

export interface DesiredMarketplace {
  readonly marketplaceId: string
  readonly name: string
  readonly plugins: ReadonlyArray<{ readonly pluginId: string; readonly name: string }>
}

export interface BlockedItem {
  readonly kind: string
  readonly id: string
  readonly name: string
  /**
   * The names in `marketplace.json`: of a plugin `name@marketplace`, of a marketplace its name. Undefined if the server is
   * too old to send them.
   */
  readonly names: ReadonlyArray<string> | undefined
  /** The URL of the `marketplace.json` of a marketplace. */
  readonly manifestUrl: string | undefined
}

export interface DesiredState {
  readonly organizationId: string
  /** The worker, or the member if there is none. */
  readonly subject: string
  readonly revision: number
  readonly generatedAt: string
  readonly validUntil: string
  readonly signingKeyId: string
  readonly allowManageExtensions: boolean
  readonly plugins: ReadonlyArray<DesiredPlugin>
  readonly blocked: ReadonlyArray<BlockedItem>
  readonly marketplaces: ReadonlyArray<DesiredMarketplace>
  readonly mcpConnections: ReadonlyArray<{ readonly name: string; readonly url: string }>
  readonly models: ReadonlyArray<unknown>
  readonly truncated: boolean
}

const unreadable = (path: string) =>
  new Failure(exit.failure, `The desired state has no valid ${path}. Update the orgplane CLI, then try again.`)

const text = (value: unknown, path: string): string => {
  const present = textAt(value, path)
  if (present === undefined) throw unreadable(path)
  return present
}

const flag = (value: unknown, path: string): boolean => {
  const present = member(value, path)
  if (typeof present !== "boolean") throw unreadable(path)
  return present
}

const time = (value: unknown, path: string): string => {
  const present = text(value, path)
  if (Number.isNaN(Date.parse(present))) throw unreadable(path)
  return present
}

const sha256Pattern = /^[0-9a-f]{64}$/

const archiveOf = (value: unknown): DesiredPlugin["archive"] => {
  if (member(value, "archive") === null) return undefined
  const sha256 = text(value, "archive.sha256")
  if (!sha256Pattern.test(sha256)) throw unreadable("archive.sha256")
  return { url: text(value, "archive.url"), format: text(value, "archive.format"), sha256 }
}

const pluginOf = (value: unknown): DesiredPlugin => ({
  pluginId: text(value, "pluginId"),
  name: text(value, "name"),
  description: textAt(value, "description"),
  version: textAt(value, "version"),
  digest: textAt(value, "digest"),
  archive: archiveOf(value),
  mode: text(value, "mode"),
  enabled: flag(value, "enabled"),
  locked: flag(value, "locked")
})

const namesOf = (value: unknown): ReadonlyArray<string> | undefined =>
  Array.isArray(member(value, "names")) ? listAt(value, "names").filter((name) => typeof name === "string") : undefined

/** Reads a state. Unknown members and values are accepted, so that a later server can add some. */
export const desiredStateOf = (value: unknown): DesiredState => {
  const revision = member(value, "revision")
  if (member(value, "formatVersion") !== 1) throw unreadable("formatVersion")
  if (typeof revision !== "number" || !Number.isSafeInteger(revision)) throw unreadable("revision")
  return {
    organizationId: text(value, "organizationId"),
    subject: textAt(value, "workerId") ?? text(value, "orgMembershipId"),
    revision,
    generatedAt: time(value, "generatedAt"),
    validUntil: time(value, "validUntil"),
    signingKeyId: text(value, "signingKeyId"),
    allowManageExtensions: flag(value, "policy.desktopPolicy.allowManageExtensions"),
    plugins: listAt(value, "plugins").map(pluginOf),
    blocked: listAt(value, "blocked").map((item) => ({
      kind: text(item, "kind"),
      id: text(item, "id"),
      name: text(item, "name"),
      names: namesOf(item),
      manifestUrl: textAt(item, "manifestUrl")
    })),
    marketplaces: listAt(value, "marketplaces").map((item) => ({
      marketplaceId: text(item, "marketplaceId"),
      name: text(item, "name"),
      plugins: listAt(item, "plugins").map((each) => ({ pluginId: text(each, "pluginId"), name: text(each, "name") }))
    })),
    mcpConnections: listAt(value, "mcpConnections").map((item) => ({
      name: text(item, "name"),
      url: text(item, "url")
    })),
    models: listAt(value, "models"),
    truncated: member(value, "truncated") === true
  }
}

export interface PublicKey {
  readonly kid: string
  /** The public key: base64url. */
  readonly x: string
  /** When the server replaced the key. Undefined for the current key, and for servers that do not return it. */
  readonly retiredAt?: string
}

/** The keys of a response of `GET /v1/keys`, or of a stored state. */
export const publicKeysOf = (value: unknown): ReadonlyArray<PublicKey> =>
  listAt(value, "keys").flatMap((key) => {
    const [kid, x, retiredAt] = [textAt(key, "kid"), textAt(key, "x"), textAt(key, "retiredAt")]
    if (kid === undefined || x === undefined) return []
    return [retiredAt === undefined ? { kid, x } : { kid, x, retiredAt }]
  })

/** The last valid state, as the server sent it. */
export interface StoredState {
  readonly server: string
  /** The exact text that is signed. */
  readonly body: string
  readonly etag: string
  readonly signature: string
  readonly keyId: string
  /** The keys that were published when the state was received. */
  readonly keys: ReadonlyArray<PublicKey>
  readonly receivedAt: string
}

export const storedStateOf = (value: unknown): StoredState | undefined => {
  if (!isObject(value) || value["version"] !== 1) return undefined
  const [server, body, etag, signature, keyId, receivedAt] = (
    ["server", "body", "etag", "signature", "keyId", "receivedAt"] as const
  ).map((name) => textAt(value, name))
  const keys = publicKeysOf(value)
  return server === undefined ||
    body === undefined ||
    etag === undefined ||
    signature === undefined ||
    keyId === undefined ||
    receivedAt === undefined ||
    keys.length === 0
    ? undefined
    : { server, body, etag, signature, keyId, keys, receivedAt }
}
