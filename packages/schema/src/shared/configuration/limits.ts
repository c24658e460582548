/** The limits of configuration documents, which the CLI checks before it sends one. Imports nothing, so that the CLI starts quickly. */

export const documentBytesMax = 8 * 1_048_576
export const secretsMax = 500
/** In characters. */
export const secretLengthMax = 16_384

/** The fields that refer to secrets, by kind. */
export const secretFields: Readonly<Record<string, ReadonlyArray<string>>> = {
  llmProviders: ["apiKey"],
  mcpConnections: ["oauthClientSecret", "apiKey"],
  connectors: ["token"],
  ssoConnections: ["clientSecret"],
  eventStreams: ["token", "secretAccessKey", "headers"]
}
