import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Schema from "effect/Schema"
import * as SchemaJITCompiler from "effect/schema/SchemaJITCompiler"
import * as SchemaAST from "effect/SchemaAST"
import { inTurns, jsonSteps, type Steps } from "../time-slices.ts"

interface Members {
  readonly [name: string]: unknown
}

/** Encodes by code that is made for the shape, as the shapes of whole answers are. */
const encoderOf = <S extends Schema.ConstraintEncoder<unknown>>(schema: S) => {
  SchemaJITCompiler.enable(SchemaAST.flip(schema.ast))
  return Schema.encodeUnknownSync(schema)
}

/**
 * Makes the function that answers `{ ok: true, item }` where lists of the item have thousands of members: these are
 * encoded and written in turns, as writing such an answer at once would keep everybody waiting. `lists` has the shape of
 * a member by the name of its list.
 */
export const okInTurns = <S extends Schema.ConstraintCodec<Members, Members>>(
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
    Effect.map(inTurns(written(response)), (text) => HttpServerResponse.text(text, { contentType: "application/json" }))
}
