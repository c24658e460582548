import type { ClientMetadata } from "@orgplane/schema/mcp-connect"

/** Where browsers come back to. */
export const callbackUrl = (publicUrl: string): string => `${publicUrl}/v1/mcp-connections/callback`

/** Our client id at servers that read such documents; null where nobody could read it by https. */
export const clientMetadataUrl = (publicUrl: string): string | null =>
  publicUrl.startsWith("https:") ? `${publicUrl}/v1/mcp-connections/client-metadata.json` : null

const clientName = "orgplane"

/** Who we are. The document is answered wherever we run, and worth something only where it can be reached by https. */
export const clientMetadata = (publicUrl: string): typeof ClientMetadata.Type => ({
  client_id: `${publicUrl}/v1/mcp-connections/client-metadata.json`,
  client_name: clientName,
  client_uri: publicUrl,
  redirect_uris: [callbackUrl(publicUrl)],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none"
})
