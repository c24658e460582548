import type { Member } from "@orgplane/schema/shared/caller"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { PageQuery } from "@orgplane/schema/shared/page"
import * as Templates from "@orgplane/schema/templates"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { digestOf } from "../../infra/audit/record.ts"
import { ConfigObjectsService } from "../config-objects/service.ts"
import { nameParts } from "../config-objects/file-name.ts"
import { makeId } from "../../infra/ids.ts"
import { membershipOf, Mutate, stale } from "../../infra/mutate/index.ts"
import { Pages } from "../../infra/pages/index.ts"
import { PluginsService } from "../plugins/service.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { Storage } from "../../infra/storage/index.ts"
import { whenTaken } from "../../infra/sql/unique.ts"
import { contentOf, fillContent, judgeContent } from "./content.ts"
import * as repo from "./repo.ts"
import { readValues } from "./variables.ts"
import { digestOfContent, makeVersions } from "./versions.ts"

/** The audited fields of a template: user texts as digest and length. */
const auditOf = ({ description, name, version }: Pick<repo.Row, "description" | "name" | "version">) => ({
  name: digestOf(name),
  description: description === null ? null : digestOf(description),
  version
})

/** Templates of plugins, and the plugins created from them. */
export class TemplatesService extends Context.Service<TemplatesService>()("@orgplane/server/templates/Service", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const pages = yield* Pages
    const plugins = yield* PluginsService
    const objects = yield* ConfigObjectsService
    const { mutate } = yield* Mutate
    const storage = yield* Storage
    const versions = yield* makeVersions

    const getComplete = Effect.fnUntraced(function* (caller: Member, id: Id<"tpl">) {
      const row = yield* repo.find(sql, caller.organizationId, id)
      return row === undefined ? yield* new Templates.TemplateNotFound() : row
    })

    const locked = Effect.fnUntraced(function* (caller: Member, id: Id<"tpl">) {
      const row = yield* repo.lock(sql, caller.organizationId, id)
      return row === undefined ? yield* new Templates.TemplateNotFound() : row
    })

    const demand = Effect.fnUntraced(function* (caller: Member, id: Id<"tpl">) {
      if (!(yield* repo.exists(sql, caller.organizationId, id))) return yield* new Templates.TemplateNotFound()
    })

    const create = Effect.fnUntraced(function* (caller: Member, input: Templates.CreateTemplate) {
      const content = contentOf(input.content)
      yield* judgeContent(content)
      const { organizationId } = caller
      return yield* mutate(
        caller,
        "template.create",
        Effect.gen(function* () {
          const [id, versionId, createdBy] = [makeId("tpl"), makeId("tpv"), membershipOf(caller)]
          const { description = null, name } = input
          const isNew = yield* repo.create(sql, organizationId, { id, name, description, versionId, createdBy })
          if (!isNew) return yield* new Templates.TemplateExists()
          const digest = digestOfContent(content)
          yield* repo.putVersion(sql, organizationId, {
            id: versionId,
            templateId: id,
            ordinal: 1,
            content,
            digest,
            createdBy
          })
          yield* storage.demand(organizationId)
          const row = yield* getComplete(caller, id).pipe(Effect.catchTag("TemplateNotFound", Effect.die))
          return { template: repo.toWire(row), version: repo.versionToWire(row) }
        }),
        ({ template, version }) => ({
          target: template.id,
          after: { name: digestOf(template.name), versionId: version.id, contentDigest: version.contentDigest }
        })
      )
    })

    const list = (caller: Member, query: PageQuery & { readonly q?: string }) => {
      const { cursor: _cursor, limit: _limit, ...filters } = query
      return pages.list(caller, query, {
        filters,
        rows: (after, limit) => repo.list(sql, caller.organizationId, filters, after, limit),
        toWire: repo.toWire
      })
    }

    const get = Effect.fnUntraced(function* (caller: Member, id: Id<"tpl">) {
      const row = yield* getComplete(caller, id)
      return { item: { template: repo.toWire(row), version: repo.versionToWire(row) }, version: row.version }
    })

    const update = (caller: Member, id: Id<"tpl">, input: typeof Templates.UpdateTemplate.Type) =>
      mutate(
        caller,
        "template.update",
        Effect.gen(function* () {
          const before = yield* locked(caller, id)
          yield* stale(caller, before.version)
          const { description = before.description, name = before.name } = input
          if (name === before.name && description === before.description) return { before, after: before }
          yield* repo
            .update(sql, caller.organizationId, id, { name, description })
            .pipe(whenTaken(() => new Templates.TemplateExists()))
          return { before, after: yield* locked(caller, id) }
        }),
        ({ after, before }) => ({
          target: id,
          before: auditOf(before),
          after: auditOf(after)
        })
      ).pipe(Effect.map(({ after }) => ({ item: repo.toWire(after), version: after.version })))

    const remove = (caller: Member, id: Id<"tpl">) =>
      mutate(
        caller,
        "template.remove",
        Effect.gen(function* () {
          const before = yield* locked(caller, id)
          yield* stale(caller, before.version)
          yield* repo.remove(sql, caller.organizationId, id)
          return before
        }),
        (before) => ({ target: id, before: { name: digestOf(before.name), versionId: before.v_id } })
      ).pipe(Effect.asVoid)

    const listVersions = Effect.fnUntraced(function* (caller: Member, id: Id<"tpl">, query: PageQuery) {
      yield* demand(caller, id)
      return yield* pages.listBy(caller, query, {
        filters: id,
        rows: (after, limit) => repo.listVersions(sql, caller.organizationId, id, after, limit),
        idOf: (row) => row.v_id,
        toWire: repo.summaryToWire
      })
    })

    /** Fills the template with values and validates the result like manual input, without writing anything. */
    const fillTemplate = Effect.fnUntraced(function* (
      caller: Member,
      id: Id<"tpl">,
      input: Templates.InstantiateTemplate
    ) {
      yield* demand(caller, id)
      const version = yield* input.versionId === undefined
        ? getComplete(caller, id)
        : repo.findVersion(sql, caller.organizationId, id, input.versionId)
      if (version === undefined) {
        return yield* InvalidRequest.at(["body", "versionId"], "does not exist in the organization")
      }
      const { details, values } = readValues(version.v_content.variables, input.variables ?? {})
      if (details.length > 0) return yield* new InvalidRequest({ details })
      const instantiated = yield* fillContent(version.v_content, values, input.name)
      const template: Templates.Provenance = { id, versionId: version.v_id, ordinal: version.v_ordinal }
      return { made: instantiated, template }
    })

    const preview = Effect.fnUntraced(function* (caller: Member, id: Id<"tpl">, input: Templates.InstantiateTemplate) {
      const { made: instantiated, template } = yield* fillTemplate(caller, id, input)
      const preview: Templates.Preview = {
        plugin: instantiated.plugin,
        configObjects: instantiated.objects.map(({ content, objectType }) => ({
          objectType,
          title: content.parsed.title,
          description: content.parsed.description,
          currentFileName: nameParts(content.fileName).fileName,
          currentRelativePath: content.relativePath,
          rawSourceText: content.text,
          normalizedPayloadJson: content.payload
        })),
        template
      }
      return { preview }
    })

    /** Creates the plugin and its objects, and records the template version, in one transaction. */
    const instantiate = Effect.fnUntraced(function* (
      caller: Member,
      id: Id<"tpl">,
      input: Templates.InstantiateTemplate
    ) {
      const { made: instantiated, template } = yield* fillTemplate(caller, id, input)
      return yield* mutate(
        caller,
        "template.instantiate",
        Effect.gen(function* () {
          const { organizationId } = caller
          if (!(yield* repo.keep(sql, organizationId, id))) return yield* new Templates.TemplateNotFound()
          const pluginId = yield* plugins.make(caller, instantiated.plugin)
          const newObjects = instantiated.objects.map((object) => ({ ...object, sourceMode: "cloud" as const }))
          const configObjects = yield* objects.makeAll(caller, newObjects, [pluginId])
          const { versionId } = template
          yield* repo.putInstance(sql, organizationId, {
            pluginId,
            templateId: id,
            versionId,
            createdBy: membershipOf(caller)
          })
          const response: Templates.Instantiation = {
            plugin: yield* plugins.made(caller, pluginId),
            configObjects,
            template
          }
          return response
        }),
        ({ configObjects, plugin }) => ({
          target: id,
          after: {
            name: digestOf(plugin.name),
            versionId: template.versionId,
            pluginId: plugin.id,
            configObjectIds: configObjects.map((object) => object.id)
          }
        })
      )
    })

    const listInstances = Effect.fnUntraced(function* (caller: Member, id: Id<"tpl">, query: PageQuery) {
      yield* demand(caller, id)
      return yield* pages.listBy(caller, query, {
        filters: id,
        rows: (after, limit) => repo.listInstances(sql, caller, id, after, limit),
        idOf: (row) => row.plugin_id,
        toWire: repo.instanceToWire
      })
    })

    return {
      create,
      list,
      get,
      update,
      remove,
      listVersions,
      ...versions,
      preview,
      instantiate,
      listInstances
    } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
