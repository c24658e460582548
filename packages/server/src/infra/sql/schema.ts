/** The PostgreSQL schema that contains the control plane's objects. */
import * as PgClient from "@effect/sql-pg/PgClient"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Compiler } from "effect/sql/Statement"
import { qualify, type SchemaObjects } from "./qualify.ts"

export const schemaDefault = "orgplane"

const namePattern = /^[a-z_][a-z0-9_]{0,39}$/

/** Why a name cannot be that of the schema, as a phrase that follows the name of the option. */
export const schemaNameFault = (name: string): string | undefined =>
  !namePattern.test(name)
    ? "must have 1 to 40 characters from a to z, 0 to 9 and _, and must not start with a digit"
    : name.startsWith("pg_") || name === "information_schema"
      ? "must not be a PostgreSQL system schema"
      : undefined

/** The schema of a client. It is chosen after the first connection, and before any other statement. */
class Place {
  /** Undefined: names are not qualified, so that the search path applies. */
  schema: string | undefined
  readonly #objects: SchemaObjects
  readonly #texts = new Map<string, string>()

  constructor(objects: SchemaObjects) {
    this.#objects = objects
  }

  qualified(text: string): string {
    if (this.schema === undefined) return text
    const existing = this.#texts.get(text)
    if (existing !== undefined) return existing
    const qualified = qualify(text, this.schema, this.#objects)
    if (this.#texts.size >= textsMax) this.#texts.clear()
    this.#texts.set(text, qualified)
    return qualified
  }
}

/** Texts are few, except those of statements that list their values. */
const textsMax = 2000

const places = new WeakMap<SqlClient, Place>()

/** A compiler that qualifies names, and the registration of the client that uses it. */
export const makeCompiler = (
  objects: SchemaObjects
): {
  readonly compiler: Compiler
  readonly register: <A extends SqlClient>(sql: A) => A
} => {
  const place = new Place(objects)
  const plain = PgClient.makeCompiler()
  const compiler: Compiler = {
    dialect: plain.dialect,
    compile: (statement, withoutTransform) => {
      const compiled = plain.compile(statement, withoutTransform)
      const text = place.qualified(compiled[0])
      return text === compiled[0] ? compiled : [text, compiled[1]]
    },
    get withoutTransform() {
      return compiler
    }
  }
  return {
    compiler,
    register: (sql) => {
      places.set(sql, place)
      return sql
    }
  }
}

/** Qualifies the names in all later statements of a client. */
export const useSchema = (sql: SqlClient, schema: string) => {
  const place = places.get(sql)
  if (place !== undefined) place.schema = schema
}

/** The schema of a client, or undefined if it depends on the search path. */
export const schemaOf = (sql: SqlClient): string | undefined => places.get(sql)?.schema

/** Whether a schema contains nothing but the control plane's objects. */
export const isOwnSchema = (schema: string | undefined): schema is string => schema !== undefined && schema !== "public"

/** The schema of a client, unless it is one that shares its names with earlier releases, which used `public`. */
const separateSchema = (sql: SqlClient): string | undefined => {
  const schema = schemaOf(sql)
  return schema === schemaDefault || schema === "public" ? undefined : schema
}

/**
 * The role to which restricted transactions of superusers switch. Roles belong to all databases of a server, so the name
 * contains the schema.
 */
export const tenantRoleOf = (sql: SqlClient): string => `${separateSchema(sql) ?? schemaDefault}_tenant`

/** A name that is unique to a schema in its database, such as that of a channel. */
export const ownName = (sql: SqlClient, name: string): string => {
  const schema = separateSchema(sql)
  return schema === undefined ? name : `${schema}_${name}`
}

/** The key of an advisory lock. Each schema has its own locks. */
export const lockKey = (sql: SqlClient, key: number): number => {
  const schema = separateSchema(sql)
  if (schema === undefined) return key
  let own = key
  for (const character of schema) own = (own * 31 + (character.codePointAt(0) ?? 0)) % 2 ** 47
  return own
}

/** The name of a relation as text, for a parameter that PostgreSQL converts to `regclass`. */
export const relationName = (sql: SqlClient, name: string): string => {
  const schema = schemaOf(sql)
  return schema === undefined ? name : `"${schema}".${name}`
}
