/** Secrets in configuration documents: named by reference, with their values beside the document. */
import * as Schema from "effect/Schema"
import { Text } from "../values.ts"
import { secretLengthMax, secretsMax } from "./limits.ts"

export const SecretReference = Schema.Union([
  Schema.Struct({
    fromEnvironment: Text(1, 255)
      .check(Schema.isPattern(/^[A-Za-z_]\w*$/u, { message: "must be the name of an environment variable" }))
      .annotate({ description: "The environment variable with the secret." })
  }),
  Schema.Struct({
    fromFile: Text(1, 1024).annotate({
      description: "The file with the secret, relative to the document. A newline at its end is not part of the secret."
    })
  })
]).annotate({
  identifier: "ConfigurationSecretReference",
  description:
    "Where the secret is on the machine that applies the document. Its value is sent beside the document in `secrets`, and is needed for a new object. Without a value, the current secret is kept."
})
export type SecretReference = typeof SecretReference.Type

/** The name of the value in `secrets`. */
export const secretNameOf = (reference: SecretReference): string =>
  "fromEnvironment" in reference ? reference.fromEnvironment : reference.fromFile

export const Secrets = Schema.Record(Schema.String, Text(1, secretLengthMax))
  .check(
    Schema.makeFilter((secrets: Readonly<Record<string, string>>) =>
      Object.keys(secrets).length > secretsMax ? `must have at most ${secretsMax} entries` : undefined
    )
  )
  .annotate({
    identifier: "ConfigurationSecrets",
    description: `The values of the secrets that the document refers to, by the name of the environment variable or the file; at most ${secretsMax}. They are stored encrypted and never returned.`
  })
export type Secrets = typeof Secrets.Type

export const secret = (description: string) => Schema.optionalKey(SecretReference.annotate({ description }))
