/**
 * The contract as plain data, read once with the public `HttpApi.reflect`. Every generator uses this, so that client, CLI
 * and documentation agree on the input, output and access of each operation.
 */
import type { StoredAuditAction } from "../../packages/schema/src/shared/audit-actions.ts"
import * as Context from "effect/Context"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as R from "effect/SchemaRepresentation"
import { OrgplaneApi } from "../../packages/schema/src/api.ts"
import * as Auth from "../../packages/schema/src/shared/auth.ts"
import { canHappen } from "../../packages/schema/src/shared/openapi.ts"
import { descriptionOf, printer } from "./types.ts"

/** The kind of a value on the wire. `boolean-literal` is `"true" | "false"` in a query; `json` is any other JSON value. */
export type Kind = "string" | "integer" | "number" | "boolean" | "boolean-literal" | "enum" | "array" | "json"

/** A field of a path, a query or a body. */
export interface Member {
  /** As sent: `objectType`. */
  readonly name: string
  readonly optional: boolean
  /** Whether `null` is allowed. */
  readonly nullable: boolean
  readonly kind: Kind
  /** The kind of an array's elements. */
  readonly element?: Exclude<Kind, "array">
  /** The values of an enum, or of an array of one; a constant is an enum with one value. */
  readonly literals?: ReadonlyArray<string | number | boolean>
  /** The bounds of a number. */
  readonly minimum?: number
  readonly maximum?: number
  /** TypeScript. */
  readonly type: string
  readonly description: string | undefined
  /** The decoded type, without null. */
  readonly ast: SchemaAST.AST
}

export interface Body {
  readonly contentType: string
  readonly members: ReadonlyArray<Member>
  /** Name of its schema: `CreateConfigObject`. */
  readonly name: string | undefined
}

export interface Success {
  readonly status: number
  /** TypeScript; `undefined` for a response without a body. */
  readonly type: string
  /** Top-level fields of a JSON object, in order; empty for everything else. */
  readonly members: ReadonlyArray<{ readonly name: string; readonly type: string }>
  /** `null` for a response without a body. */
  readonly contentType: string | null
  /** The encoded type; `undefined` for a response without a schema. */
  readonly ast: SchemaAST.AST | undefined
}

export interface ErrorResponse {
  readonly status: number
  /** The class: `ConnectorInstanceNotFound`. */
  readonly name: string
  /** The `error` field; `undefined` if the body has a `reason` instead. */
  readonly code: string | undefined
  /** The possible values of `reason`. */
  readonly reasons: ReadonlyArray<string>
  /** Whether the operation itself declares the error. False for errors that all operations share. */
  readonly own: boolean
}

export interface Operation {
  /** `configObjects` */
  readonly group: string
  /** `list` */
  readonly name: string
  /** `configObjects.list` */
  readonly operationId: string
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** `/v1/config-objects/:configObjectId` */
  readonly path: string
  /** In the order of the path. */
  readonly pathParams: ReadonlyArray<Member>
  readonly query: ReadonlyArray<Member>
  readonly body: Body | null
  readonly success: ReadonlyArray<Success>
  /** The errors that can occur, ordered by status. */
  readonly errors: ReadonlyArray<ErrorResponse>
  readonly access: Auth.Access
  readonly plan: Auth.PlanFeature | undefined
  /** The audit action. */
  readonly audited: StoredAuditAction | undefined
  readonly idempotency: Auth.Idempotency
  /** A POST that changes nothing: its input is secret or too large for a query. */
  readonly reads: boolean
  readonly paged: boolean
  /** The name of the schema of the events that the response streams. */
  readonly streamedEvent: string | undefined
  readonly versioned: boolean
  /** The `ETag` of a GET covers the whole response, so `If-None-Match` is supported. */
  readonly revalidates: boolean
  readonly holdsSecret: boolean
  readonly specified: boolean
  readonly deprecated: Auth.Deprecation | undefined
  readonly bodyBytesMax: number | undefined
  readonly summary: string
  readonly description: string | undefined
  /** The tag in the OpenAPI document: the title of the group, or its own. */
  readonly tag: string
}

export interface Group {
  readonly name: string
  readonly title: string
  readonly description: string | undefined
  readonly operations: ReadonlyArray<Operation>
}

/** A named schema: an entity, a payload, an identifier. */
export interface NamedType {
  readonly name: string
  readonly description: string | undefined
  /** The whole declaration without docstring: `export interface Plugin { … }`. */
  readonly declaration: string
}

export interface Contract {
  readonly groups: ReadonlyArray<Group>
  readonly types: ReadonlyArray<NamedType>
  /** Every value of `error` on the wire. */
  readonly errorCodes: ReadonlyArray<string>
  readonly forbiddenReasons: ReadonlyArray<string>
}

interface Draft {
  readonly operation: Omit<Operation, "pathParams" | "query" | "body" | "success">
  readonly params: number | undefined
  readonly query: number | undefined
  readonly body: { readonly contentType: string; readonly root: number; readonly name: string | undefined } | undefined
  readonly success: ReadonlyArray<{
    readonly status: number
    readonly contentType: string | null
    readonly root: number | undefined
  }>
}

/** The type of a streamed response. */
export const streamed = "ReadableStream<Uint8Array>"

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const

const literalsOf = (ast: SchemaAST.AST): ReadonlyArray<string | number | boolean> | undefined => {
  const types = SchemaAST.isUnion(ast) ? ast.types : [ast]
  const values = types.flatMap((type) =>
    SchemaAST.isLiteral(type) && typeof type.literal !== "bigint" ? [type.literal] : []
  )
  return values.length === types.length && values.length > 0 ? values : undefined
}

const checksOf = (ast: SchemaAST.AST): ReadonlyArray<{ readonly id?: string; readonly payload?: unknown }> =>
  (ast.checks ?? []).map((check) => (check.annotations?.["representation"] ?? {}) as { id?: string; payload?: unknown })

const boundsOf = (ast: SchemaAST.AST): { minimum?: number; maximum?: number } => {
  const { minimum, maximum } = (checksOf(ast).find((check) => check.id === "effect/schema/isBetween")?.payload ??
    {}) as {
    minimum?: number
    maximum?: number
  }
  return { ...(minimum === undefined ? {} : { minimum }), ...(maximum === undefined ? {} : { maximum }) }
}

type Shape = Pick<Member, "kind" | "element" | "literals" | "minimum" | "maximum">

const shapeOf = (ast: SchemaAST.AST): Shape => {
  const literals = literalsOf(ast)
  if (literals !== undefined) {
    const inQuery = literals.length === 2 && literals.includes("true") && literals.includes("false")
    return { kind: inQuery ? "boolean-literal" : "enum", literals }
  }
  if (SchemaAST.isString(ast) || SchemaAST.isTemplateLiteral(ast)) return { kind: "string" }
  if (SchemaAST.isBoolean(ast)) return { kind: "boolean" }
  if (SchemaAST.isNumber(ast)) {
    const isInt = checksOf(ast).some((check) => check.id === "effect/schema/isInt")
    return { kind: isInt ? "integer" : "number", ...boundsOf(ast) }
  }
  const [element] = SchemaAST.isArrays(ast) && ast.elements.length === 0 ? ast.rest : []
  if (element === undefined) return { kind: "json" }
  const { kind, literals: of } = shapeOf(element)
  return { kind: "array", element: kind === "array" ? "json" : kind, ...(of === undefined ? {} : { literals: of }) }
}

const withoutNull = (ast: SchemaAST.AST): SchemaAST.AST => {
  if (!SchemaAST.isUnion(ast)) return ast
  const types = ast.types.filter((type) => !SchemaAST.isNull(type))
  const [only] = types
  return types.length === 1 && only !== undefined ? only : ast
}

const literalMember = (ast: SchemaAST.AST, name: string) => {
  const encoded = SchemaAST.toEncoded(ast)
  const property = SchemaAST.isObjects(encoded)
    ? encoded.propertySignatures.find((property) => property.name === name)
    : undefined
  return property === undefined ? [] : (literalsOf(property.type) ?? []).map(String)
}

const errorOf = (schema: Schema.Top, status: number, own: boolean): ErrorResponse => {
  const [code] = literalMember(schema.ast, "error")
  return {
    status,
    name: SchemaAST.resolveIdentifier(schema.ast) ?? "Error",
    code,
    reasons: literalMember(schema.ast, "reason"),
    own
  }
}

/** Whether the response is streamed. */
export const isStreamed = (operation: Operation) => operation.success.some(({ type }) => type === streamed)

const identifierOf = (schema: Schema.Top | undefined): string | undefined =>
  schema === undefined ? undefined : SchemaAST.resolveIdentifier(schema.ast)

const contentTypeOf = (ast: SchemaAST.AST): string => {
  const encoding = SchemaAST.resolve(ast)?.["~httpApiEncoding"] as { readonly contentType?: string } | undefined
  return encoding?.contentType ?? "application/json"
}

/** Operations that another site's page posts to, with a `state` that the server issued: not for clients or people. */
export const isPosted = ({ access, method }: Operation) => access.kind === "state" && method === "POST"

/** Operations for machines that sign their requests or use their own protocol: not for clients or people. */
export const isOfMachines = (operation: Operation) =>
  operation.access.kind === "scim" ||
  isPosted(operation) ||
  (operation.access.kind === "signature" && operation.method === "POST")

/** The number of uses of each reference. */
const usesOf = (document: R.MultiDocument): ReadonlyMap<string, number> => {
  const uses = new Map<string, number>()
  for (const [, name = ""] of JSON.stringify([document.representations, document.references]).matchAll(
    /"\$ref":"([^"]+)"/g
  )) {
    uses.set(name, (uses.get(name) ?? 0) + 1)
  }
  return uses
}

const read = (): Contract => {
  const roots: Array<SchemaAST.AST> = []
  const root = (ast: SchemaAST.AST) => roots.push(ast) - 1
  const groups: Array<{ readonly name: string; readonly title: string; readonly description: string | undefined }> = []
  const drafts: Array<Draft> = []

  HttpApi.reflect(OrgplaneApi, {
    onGroup({ group, mergedAnnotations }) {
      groups.push({
        name: group.identifier,
        title: Context.getOrUndefined(mergedAnnotations, OpenApi.Title) ?? group.identifier,
        description: Context.getOrUndefined(mergedAnnotations, OpenApi.Description)
      })
    },
    onEndpoint({ group, endpoint, mergedAnnotations, successes, errors }) {
      const operationId = `${group.identifier}.${endpoint.identifier}`
      const annotation = <I, S>(key: Context.Key<I, S>) => Context.getOrUndefined(mergedAnnotations, key)
      const access = annotation(Auth.AccessKind)
      if (access === undefined) throw new Error(`codegen: ${operationId} has no access kind`)
      const method = methods.find((supported) => supported === endpoint.method)
      if (method === undefined)
        throw new Error(`codegen: ${operationId}: the client does not support ${endpoint.method}`)
      const payloads = [...endpoint.payload].flatMap(([contentType, { schemas }]) =>
        schemas.map((schema) => ({ contentType, ast: schema.ast }))
      )
      const [payload, ...others] = payloads
      if (others.length > 0) throw new Error(`codegen: ${operationId} has more than one kind of body`)
      const happens = canHappen(endpoint, mergedAnnotations)
      // Named objects within errors get a type too.
      for (const { ast } of [...errors].flatMap(([, schemas]) => schemas)) {
        const encoded = SchemaAST.toEncoded(ast)
        if (!SchemaAST.isObjects(encoded)) continue
        for (const { type } of encoded.propertySignatures) {
          if (SchemaAST.isObjects(type) && SchemaAST.resolveIdentifier(type) !== undefined) root(type)
        }
      }
      drafts.push({
        operation: {
          group: group.identifier,
          name: endpoint.identifier,
          operationId,
          method,
          path: endpoint.path,
          errors: [...errors]
            .flatMap(([status, schemas]) =>
              schemas.filter(happens).map((schema) => errorOf(schema, status, endpoint.error.has(schema)))
            )
            .sort((a, b) => a.status - b.status),
          access,
          plan: annotation(Auth.RequiresPlan),
          audited: annotation(Auth.Audited),
          idempotency: annotation(Auth.Idempotent) ?? "none",
          reads:
            endpoint.method === "POST" &&
            annotation(Auth.Audited) === undefined &&
            // Events and reports of workers are stored, but not audited.
            access.kind !== "worker" &&
            access.kind !== "memberOrWorker" &&
            access.kind !== "sessionOrWorker",
          paged: annotation(Auth.Paged) === true,
          streamedEvent: identifierOf(annotation(Auth.StreamedEvent)),
          versioned: annotation(Auth.Versioned) !== undefined,
          revalidates: annotation(Auth.Versioned) === true,
          holdsSecret: annotation(Auth.HoldsSecret) === true,
          specified: annotation(Auth.FromSpecification) === true,
          deprecated: annotation(Auth.Deprecated),
          bodyBytesMax: annotation(Auth.BodyBytesMax),
          summary: annotation(OpenApi.Summary) ?? "",
          // Without the group's description.
          description: Context.getOrUndefined(endpoint.annotations, OpenApi.Description),
          tag: annotation(Auth.Tag) ?? Context.getOrUndefined(group.annotations, OpenApi.Title) ?? group.identifier
        },
        params: endpoint.params === undefined ? undefined : root(SchemaAST.toType(endpoint.params.ast)),
        query: endpoint.query === undefined ? undefined : root(SchemaAST.toType(endpoint.query.ast)),
        body:
          payload === undefined
            ? undefined
            : {
                contentType: payload.contentType,
                root: root(SchemaAST.toType(payload.ast)),
                name: SchemaAST.resolveIdentifier(payload.ast)
              },
        success: [
          // Streamed responses have no schema, so the reflection omits them.
          ...[...endpoint.success].flatMap((schema) =>
            "contentTypes" in schema && Array.isArray(schema.contentTypes)
              ? schema.contentTypes.map((contentType: string) => ({ status: 200, contentType, root: undefined }))
              : []
          ),
          ...[...successes].flatMap(([status, schemas]) =>
            schemas.map((schema) => {
              if (HttpApiSchema.isNoContent(schema.ast)) return { status, contentType: null, root: undefined }
              return { status, contentType: contentTypeOf(schema.ast), root: root(SchemaAST.toEncoded(schema.ast)) }
            })
          )
        ]
      })
    }
  })

  const [first, ...rest] = roots
  if (first === undefined) return { groups: [], types: [], errorCodes: [], forbiddenReasons: [] }
  const document = R.toRepresentations([first, ...rest], {
    referencePolicy: ({ identifier }) => identifier?.replace(/Encoded$/, "")
  })

  // A schema with different descriptions at its uses is still one type.
  const nameOf = (ref: string) => {
    const name = ref.replace(/_\d+$/, "")
    return document.references[name] === undefined ? ref : name
  }
  const target = (ref: string): R.Representation => {
    const representation = document.references[ref]
    if (representation === undefined) throw new Error(`codegen: there is no schema named ${ref}`)
    return representation
  }
  const resolve = (representation: R.Representation): R.Representation =>
    representation._tag === "Reference" ? resolve(target(representation.$ref)) : representation
  // The most frequent description becomes the type's; the others are printed where they are used.
  const uses = usesOf(document)
  const usual = new Map<string, string>()
  for (const ref of Object.keys(document.references)) {
    const before = usual.get(nameOf(ref))
    if (before === undefined || (uses.get(ref) ?? 0) > (uses.get(before) ?? 0)) usual.set(nameOf(ref), ref)
  }
  const usualOf = (ref: string) => usual.get(nameOf(ref)) ?? ref
  const describe = (ref: string) => {
    const here = descriptionOf(target(ref))
    return here === descriptionOf(target(usualOf(ref))) ? undefined : here
  }
  const { print, members } = printer(nameOf, describe)

  const declared = (ref: string) => {
    const representation = target(ref)
    const name = nameOf(ref)
    return representation._tag === "Objects" && representation.propertySignatures.length > 0
      ? `export interface ${name} {\n${members(representation, "  ")}}`
      : `export type ${name} = ${print(representation)}`
  }
  const types = new Map<string, NamedType & { readonly plain: string }>()
  const plainPrinter = printer(nameOf)
  for (const ref of Object.keys(document.references).sort()) {
    const name = nameOf(ref)
    const plain = plainPrinter.print(target(ref)).replace(/^ *\/\*\*.*\*\/\n/gm, "")
    const before = types.get(name)
    if (before !== undefined && before.plain !== plain)
      throw new Error(`codegen: two different schemas are named ${name}`)
    if (before === undefined) {
      types.set(name, { name, description: descriptionOf(target(usualOf(name))), declaration: declared(name), plain })
    }
  }

  const representationAt = (index: number): R.Representation => {
    const representation = document.representations[index]
    if (representation === undefined) throw new Error("codegen: a root is missing")
    return representation
  }
  const membersAt = (index: number | undefined): ReadonlyArray<Member> => {
    if (index === undefined) return []
    const representation = resolve(representationAt(index))
    const ast = roots[index]
    if (representation._tag !== "Objects" || ast === undefined || !SchemaAST.isObjects(ast)) return []
    return representation.propertySignatures.map((property) => {
      const signature = ast.propertySignatures.find((signature) => signature.name === property.name)
      if (signature === undefined) throw new Error(`codegen: ${String(property.name)} is missing`)
      const bare = withoutNull(signature.type)
      return {
        name: String(property.name),
        optional: property.isOptional,
        nullable: bare !== signature.type,
        ...shapeOf(bare),
        type: print(property.type),
        description:
          property.type._tag === "Reference" ? descriptionOf(target(property.type.$ref)) : descriptionOf(property.type),
        ast: bare
      }
    })
  }

  const operations = drafts.map((draft): Operation => {
    const params = membersAt(draft.params)
    const order = [...draft.operation.path.matchAll(/:(\w+)/g)].map((match) => match[1])
    return {
      ...draft.operation,
      pathParams: order.map((name) => {
        const member = params.find((member) => member.name === name)
        if (member === undefined)
          throw new Error(`codegen: ${draft.operation.operationId}: the path parameter ${String(name)} is not declared`)
        return member
      }),
      query: membersAt(draft.query),
      body:
        draft.body === undefined
          ? null
          : {
              contentType: draft.body.contentType,
              name: draft.body.name,
              members: membersAt(draft.body.root)
            },
      success: draft.success.map(({ status, contentType, root }) => {
        if (root === undefined) {
          const type = contentType === null ? "undefined" : streamed
          return { status, contentType, type, members: [], ast: undefined }
        }
        const representation = resolve(representationAt(root))
        return {
          status,
          contentType,
          type: print(representationAt(root)),
          ast: roots[root],
          members:
            representation._tag === "Objects"
              ? representation.propertySignatures.map((property) => ({
                  name: String(property.name),
                  type: print(property.type)
                }))
              : []
        }
      })
    }
  })

  const errors = operations.flatMap((operation) => operation.errors)
  return {
    groups: groups.map((group) => ({
      ...group,
      operations: operations.filter((operation) => operation.group === group.name)
    })),
    types: [...types.values()].map(({ name, description, declaration }) => ({ name, description, declaration })),
    errorCodes: [...new Set(errors.flatMap(({ code }) => (code === undefined ? [] : [code])))].sort(),
    forbiddenReasons: [...new Set(errors.flatMap(({ reasons }) => reasons))]
  }
}

let cached: Contract | undefined

/** The contract, read at the first call. */
export const contract = (): Contract => (cached ??= read())
