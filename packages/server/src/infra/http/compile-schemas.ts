import * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as SchemaJITCompiler from "effect/schema/SchemaJITCompiler"
import * as SchemaAST from "effect/SchemaAST"

/**
 * Has the shapes of an interface checked by code made for them instead of by walking their description, each at its
 * first use. Only these shapes: what else the process does with schemas stays as it is. Where code may not be made from
 * text nothing changes.
 */
export const compileSchemas = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): void => {
  const compile = (schema: { readonly ast: SchemaAST.AST } | undefined) => {
    if (schema === undefined) return
    SchemaJITCompiler.enable(schema.ast)
    // Encoding runs the shape the other way round, which is another shape to the compiler.
    SchemaJITCompiler.enable(SchemaAST.flip(schema.ast))
  }
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, errors, successes }) => {
      compile(endpoint.params)
      compile(endpoint.query)
      compile(endpoint.headers)
      for (const { schemas } of endpoint.payload.values()) for (const schema of schemas) compile(schema)
      for (const schemas of [...successes.values(), ...errors.values()]) for (const schema of schemas) compile(schema)
    }
  })
}
