import * as Layer from "effect/Layer"
import { AuthorizationDiscovery } from "./discovery.ts"
import { TokenEndpoint } from "./endpoint.ts"
import { OAuthTokens } from "./tokens.ts"

export {
  type AuthMethod,
  type CredentialRef,
  type OAuthClient,
  type Party,
  type Purpose,
  ReconnectRequired,
  TokenMissing,
  type Tokens
} from "./credential.ts"
export { type Authorization, AuthorizationDiscovery, type InspectedServer } from "./discovery.ts"
export type { OAuthServer, Refusal, RefusalCode } from "./server.ts"
export { type CredentialStatus, OAuthTokens, type TokenQuery } from "./tokens.ts"

/** How we get into other servers: discovery, sign-ins, tokens. */
export const layerOAuth = OAuthTokens.layer.pipe(
  Layer.provideMerge(TokenEndpoint.layer),
  Layer.provideMerge(AuthorizationDiscovery.layer)
)
