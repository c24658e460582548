import * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as SchemaJITCompiler from "effect/schema/SchemaJITCompiler"
import * as SchemaAST from "effect/SchemaAST"

/**
 * Validates the schemas of an API with generated code instead of interpreting them, each from its first use. Other
 * schemas of the process are not affected. Has no effect where code generation from strings is disabled.
 */
export const compileSchemas = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): void => {
  const compile = (schema: { readonly ast: SchemaAST.AST } | undefined) => {
    if (schema === undefined) return
    SchemaJITCompiler.enable(schema.ast)
    // Encoding uses the flipped schema, which the compiler treats as another schema.
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
