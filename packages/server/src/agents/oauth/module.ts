import * as Layer from "effect/Layer"
import { AuthorizationDiscovery } from "./discovery.ts"
import { TokenEndpoint } from "./endpoint.ts"
import { OAuthSignIn } from "./sign-in.ts"
import { OAuthTokens } from "./tokens.ts"

/** OAuth at other servers: discovery, sign-ins, tokens. */
export const layer = Layer.mergeAll(OAuthTokens.layer, OAuthSignIn.layer).pipe(
  Layer.provideMerge(TokenEndpoint.layer),
  Layer.provideMerge(AuthorizationDiscovery.layer)
)
