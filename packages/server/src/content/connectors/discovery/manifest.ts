import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { isJsonObject, type Json, type JsonObject } from "../../config-objects/parse-json.ts"
import { boundedLine, boundedText } from "../../config-objects/parse-text.ts"
import { flatMapSteps, type Steps } from "../../../infra/time-slices.ts"
import { type ComponentKind, componentKindNames, type Marketplace } from "./candidate.ts"
import { componentListMax, metadataItemsMax, nameLengthMax } from "./limits.ts"
import type { Warnings } from "./warnings.ts"

/** A component of a manifest: a file or folder, or defined in the manifest itself. */
export type ComponentRef =
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "inline"; readonly pointer: string }

/** The common members of a plugin.json and a marketplace entry. */
export interface PluginManifest {
  readonly name: string | null
  readonly displayName: string | null
  readonly description: string | null
  readonly version: string | null
  readonly author: JsonObject | null
  readonly category: string | null
  readonly homepage: string | null
  readonly repository: string | null
  readonly license: string | null
  readonly tags: ReadonlyArray<string>
  readonly keywords: ReadonlyArray<string>
  readonly components: Readonly<Record<ComponentKind, ReadonlyArray<ComponentRef>>>
}

export interface MarketplaceEntry extends PluginManifest {
  readonly name: string
  readonly source: Json | undefined
  readonly strict: boolean
  /** JSON pointer of the entry in the marketplace manifest. */
  readonly pointer: string
}

export interface MarketplaceManifest {
  readonly marketplace: Marketplace
  readonly entries: ReadonlyArray<MarketplaceEntry>
  readonly pluginRoot: string | null
  /** Maps former names to current names. */
  readonly renames: ReadonlyMap<string, string>
}

/** Decodes one member. A value that does not match adds a warning and counts as absent. */
const member = <A>(
  from: JsonObject,
  name: string,
  schema: Schema.Decoder<A>,
  what: string,
  warnings: Warnings
): A | null => {
  const value = Object.hasOwn(from, name) ? from[name] : undefined
  if (value === undefined || value === null) return null
  const decoded = Schema.decodeUnknownOption(schema)(value)
  if (Option.isSome(decoded)) return decoded.value
  warnings.add(`"${name}" must be ${what}; it is ignored.`)
  return null
}

const line = (from: JsonObject, name: string, max: number, warnings: Warnings): string | null =>
  boundedLine(member(from, name, Schema.String, "a string", warnings) ?? "", max) || null

const lines = (from: JsonObject, name: string, warnings: Warnings): ReadonlyArray<string> => {
  const all = from[name]
  // Truncated before decoding: many entries may name one manifest with a list of half a million items.
  const cut: JsonObject = Array.isArray(all) ? { [name]: all.slice(0, 4 * metadataItemsMax) } : from
  const items = member(cut, name, Schema.Array(Schema.Unknown), "an array of strings", warnings) ?? []
  const texts = items.filter((item) => typeof item === "string")
  if (texts.length < items.length) warnings.add(`"${name}" has items that are not strings; they are ignored.`)
  return [...new Set(texts.map((text) => boundedLine(text, 64)).filter((text) => text !== ""))].slice(
    0,
    metadataItemsMax
  )
}

const AnyObject = Schema.declare(isJsonObject)
const Person = Schema.Union([Schema.String, AnyObject])

const person = (from: JsonObject, memberName: string, warnings: Warnings): Marketplace["owner"] => {
  const person = member(from, memberName, Person, "a name or an object with a name", warnings)
  if (person === null) return null
  const object: JsonObject = typeof person === "string" ? { name: person } : person
  const name = line(object, "name", 255, warnings)
  return name === null
    ? null
    : { name, email: line(object, "email", 255, warnings), url: line(object, "url", 512, warnings) }
}

/** Reads a manifest member by member, so that one invalid member does not discard the others. */
export const readPlugin = (from: JsonObject, warnings: Warnings): PluginManifest => {
  const author = person(from, "author", warnings)
  const repository = from["repository"]
  return {
    name: line(from, "name", nameLengthMax, warnings),
    displayName: line(from, "displayName", 255, warnings),
    description: boundedText(member(from, "description", Schema.String, "a string", warnings) ?? "", 2000) || null,
    version: line(from, "version", 64, warnings),
    author: author === null ? null : { ...author },
    category: line(from, "category", 64, warnings),
    homepage: line(from, "homepage", 512, warnings),
    // Package manifests have an object here, which people copy.
    repository: isJsonObject(repository)
      ? line(repository, "url", 512, warnings)
      : line(from, "repository", 512, warnings),
    license: line(from, "license", 64, warnings),
    tags: lines(from, "tags", warnings),
    keywords: lines(from, "keywords", warnings),
    components: readComponents(from, warnings)
  }
}

const inlineKinds: ReadonlySet<ComponentKind> = new Set(["hooks", "lspServers", "mcpServers", "monitors", "settings"])

const readComponents = (from: JsonObject, warnings: Warnings): PluginManifest["components"] => {
  const experimental = from["experimental"]
  const components: Record<ComponentKind, ReadonlyArray<ComponentRef>> = {
    agents: [],
    commands: [],
    hooks: [],
    lspServers: [],
    mcpServers: [],
    monitors: [],
    settings: [],
    skills: []
  }
  for (const kind of componentKindNames) {
    const early = isJsonObject(experimental) && from[kind] === undefined && experimental[kind] !== undefined
    const declaration = early ? experimental[kind] : from[kind]
    const refs = componentRefs(kind, declaration, early ? `/experimental/${kind}` : `/${kind}`, warnings)
    if (refs.length > componentListMax)
      warnings.add(`"${kind}" lists more than ${componentListMax} items; the rest are ignored.`)
    components[kind] = refs.slice(0, componentListMax)
  }
  return components
}

const componentRefs = (
  kind: ComponentKind,
  declaration: Json | undefined,
  pointer: string,
  warnings: Warnings
): ReadonlyArray<ComponentRef> => {
  if (declaration === undefined || declaration === null) return []
  if (typeof declaration === "string") return [{ kind: "path", path: declaration }]
  if (Array.isArray(declaration)) {
    // Monitors are defined inline as a list of objects, which is one component.
    if (kind === "monitors" && isJsonObject(declaration[0])) return [{ kind: "inline", pointer }]
    return declaration
      .slice(0, componentListMax + 1)
      .flatMap((item: Json, index) =>
        Array.isArray(item) || item === null
          ? componentRefs(kind, true, pointer, warnings)
          : componentRefs(kind, item, `${pointer}/${index}`, warnings)
      )
  }
  if (isJsonObject(declaration)) {
    if (inlineKinds.has(kind)) return Object.keys(declaration).length === 0 ? [] : [{ kind: "inline", pointer }]
    if (kind === "commands") {
      return Object.values(declaration)
        .slice(0, componentListMax + 1)
        .flatMap((item): ReadonlyArray<ComponentRef> => {
          const source = isJsonObject(item) ? item["source"] : null
          if (typeof source === "string") return [{ kind: "path", path: source }]
          warnings.add('"commands" has a command without "source"; commands defined in a manifest are not imported.')
          return []
        })
    }
  }
  warnings.add(
    `"${kind}" must be a path or a list of paths${inlineKinds.has(kind) ? " or an object" : ""}; it is ignored.`
  )
  return []
}

/** Null if the manifest is unusable; the warnings contain the reason. */
export const readMarketplace = function* (
  from: JsonObject,
  fallbackName: string,
  warnings: Warnings
): Steps<MarketplaceManifest | null> {
  const plugins = from["plugins"]
  if (!Array.isArray(plugins)) {
    warnings.add('"plugins" must be an array.')
    return null
  }
  const name = line(from, "name", 255, warnings)
  if (name === null) warnings.add('"name" is missing.')
  const metadata = member(from, "metadata", AnyObject, "an object", warnings) ?? {}
  const describe = (object: JsonObject) =>
    boundedText(member(object, "description", Schema.String, "a string", warnings) ?? "", 2000) || null
  const renames = member(from, "renames", AnyObject, "an object", warnings) ?? {}
  return {
    marketplace: {
      name: name ?? boundedLine(fallbackName, 255),
      description: describe(from) ?? describe(metadata),
      owner: person(from, "owner", warnings)
    },
    entries: yield* flatMapSteps(plugins, (entry: Json, index) => readEntry(entry, index, warnings)),
    pluginRoot: line(metadata, "pluginRoot", 255, warnings) ?? line(from, "pluginRoot", 255, warnings),
    renames: new Map(
      Object.entries(renames).flatMap(([former, present]) => (typeof present === "string" ? [[former, present]] : []))
    )
  }
}

const readEntry = (entry: Json, index: number, warnings: Warnings): ReadonlyArray<MarketplaceEntry> => {
  const label = `Plugin ${index + 1} of the marketplace`
  if (!isJsonObject(entry)) {
    warnings.add(`${label} is not an object; it is skipped.`)
    return []
  }
  const nameValue = entry["name"]
  const name = typeof nameValue === "string" ? boundedLine(nameValue, nameLengthMax + 1) : ""
  if (name === "" || name.length > nameLengthMax) {
    warnings.add(`${label} must have a "name" of 1 to ${nameLengthMax} characters; it is skipped.`)
    return []
  }
  const own: Warnings = {
    add: (warning) => warnings.add(`Plugin "${name}": ${warning}`),
    list: () => []
  }
  const plugin = readPlugin(entry, own)
  const strict = member(entry, "strict", Schema.Boolean, "true or false", own) ?? true
  return [{ ...plugin, name, source: entry["source"], strict, pointer: `/plugins/${index}` }]
}
