import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Schema from "effect/Schema"
import * as SchemaJITCompiler from "effect/schema/SchemaJITCompiler"
import * as SchemaAST from "effect/SchemaAST"
import { inTimeSlices, jsonSteps, type Steps } from "../time-slices.ts"

interface Members {
  readonly [name: string]: unknown
}

/** An encoder with generated code, as schemas of whole responses have. */
const encoderOf = <S extends Schema.ConstraintEncoder<unknown>>(schema: S) => {
  SchemaJITCompiler.enable(SchemaAST.flip(schema.ast))
  return Schema.encodeUnknownSync(schema)
}

/**
 * Returns a function that creates the response `{ ok: true, item }` when lists of the item have thousands of members.
 * These are encoded in time slices, because encoding such a response at once would block all other requests. `lists`
 * maps the name of each list to the schema of its items.
 */
export const okInTimeSlices = <S extends Schema.ConstraintCodec<Members, Members>>(
  item: S,
  lists: { readonly [Name in keyof S["Type"] & string]?: Schema.ConstraintEncoder<unknown> }
) => {
  const encodeItem = encoderOf(item)
  const encoders = new Map(
    Object.entries<Schema.ConstraintEncoder<unknown> | undefined>(lists).flatMap(([name, schema]) =>
      schema === undefined ? [] : [[name, encoderOf(schema)] as const]
    )
  )
  const written = function* (response: S["Type"]): Steps<string> {
    const texts = new Map<string, string>()
    const rest: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(response)) {
      const encode = encoders.get(name)
      const isLong = encode !== undefined && Array.isArray(value)
      if (isLong) texts.set(name, yield* jsonSteps(value, encode))
      rest[name] = isLong ? [] : value
    }
    const members = Object.entries(encodeItem(rest)).map(
      ([name, value]) => `${JSON.stringify(name)}:${texts.get(name) ?? JSON.stringify(value)}`
    )
    return `{"ok":true,"item":{${members.join(",")}}}`
  }
  return (response: S["Type"]) =>
    Effect.map(inTimeSlices(written(response)), (text) =>
      HttpServerResponse.text(text, { contentType: "application/json" })
    )
}
