import { ConfigurationTooLarge, contentBytesMax } from "@orgplane/schema/configuration"
import type * as Document from "@orgplane/schema/shared/configuration-document"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { Content, ContentInput } from "@orgplane/schema/templates"
import * as Effect from "effect/Effect"
import type { TemplatesService } from "../../../content/templates/service.ts"
import { canonicalJson } from "../../../infra/canonical-json.ts"
import { sha256 } from "../../../infra/crypto/digest.ts"
import type { Sql } from "../../../infra/sql/client.ts"
import { at, type Kind } from "../kind.ts"
import { readPages } from "../read-pages.ts"
import * as repo from "../templates-repo.ts"

type Entry = Partial<Omit<typeof Document.TemplateEntry.Type, "key">>

const isPresent = (value: unknown) => value !== undefined && value !== null
/** Without members that have their default. */
const withoutDefaults = <A extends object>(value: A, defaults: Readonly<Record<string, unknown>> = {}) =>
  Object.fromEntries(
    Object.entries(value).filter(([name, member]) => isPresent(member) && member !== defaults[name])
  ) as Partial<A>

/** The shortest form of a content. */
const shortest = ({ objects, plugin, variables = [] }: ContentInput | Content) => ({
  plugin: withoutDefaults(plugin),
  objects: objects.map((object) => withoutDefaults(object)),
  ...(variables.length === 0
    ? {}
    : { variables: variables.map((variable) => withoutDefaults(variable, { required: false, format: "line" })) })
})

/** A content in a plan. */
const described = (content: unknown) => {
  if (content === undefined) return undefined
  const { objects, variables = [] } = content as ContentInput
  return { objects: objects.length, variables: variables.length, sha256: sha256(canonicalJson(content)) }
}

/** Templates with the content of their latest version. */
export const templatesKind = (sql: Sql, templates: TemplatesService["Service"]): Kind => ({
  kind: "templates",
  permissions: { read: ["templates:read"], write: "templates:write", remove: "templates:manage" },
  readNames: ({ organizationId }) => readPages((after, limit) => repo.listNames(sql, organizationId, after, limit)),
  read: Effect.fnUntraced(function* ({ organizationId }) {
    if ((yield* repo.contentBytes(sql, organizationId)) > contentBytesMax) return yield* new ConfigurationTooLarge()
    const rows = yield* readPages((after, limit) => repo.listTemplates(sql, organizationId, after, limit))
    return rows.map(({ content, description, id, name, version }) => ({
      id,
      version,
      name,
      item: { name, description, content: shortest(content) }
    }))
  }),
  normalize: (item: Entry) => (item.content === undefined ? item : { ...item, content: shortest(item.content) }),
  references: () => [],
  create: Effect.fnUntraced(function* (caller, item: Entry) {
    const { content, name = "", ...input } = item
    if (content === undefined) return yield* InvalidRequest.at(["content"], "is required for a new template")
    return (yield* templates.create(caller, { name, ...input, content })).template.id
  }),
  update: Effect.fnUntraced(function* (caller, current, fields: Entry) {
    const id = current.id as Id<"tpl">
    const { content, ...input } = fields
    if (Object.keys(input).length > 0) yield* templates.update(at(caller, current), id, input)
    if (content !== undefined) yield* templates.createVersion(caller, id, { content })
  }),
  remove: (caller, current) => templates.remove(at(caller, current), current.id as Id<"tpl">),
  shown: (field, before, after) => (field === "content" ? [described(before), described(after)] : [before, after])
})
