import type { ClientMetadata } from "@orgplane/schema/mcp-connect"

/** The redirect URI of this server. */
export const callbackUrl = (publicUrl: string): string => `${publicUrl}/v1/mcp-connections/callback`

/**
 * The client ID for authorization servers that support client ID metadata documents. Null without https, because they
 * could not fetch it.
 */
export const clientMetadataUrl = (publicUrl: string): string | null =>
  publicUrl.startsWith("https:") ? `${publicUrl}/v1/mcp-connections/client-metadata.json` : null

const clientName = "orgplane"

/**
 * The client ID metadata document of this server. It is always served, but authorization servers accept it only over
 * https.
 */
export const clientMetadata = (publicUrl: string): typeof ClientMetadata.Type => ({
  client_id: `${publicUrl}/v1/mcp-connections/client-metadata.json`,
  client_name: clientName,
  client_uri: publicUrl,
  redirect_uris: [callbackUrl(publicUrl)],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none"
})
