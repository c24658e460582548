export {
  type AuthMethod,
  credentialLost,
  type CredentialRef,
  type OAuthClient,
  type Party,
  type Purpose,
  ReconnectRequired,
  sealContext,
  TokenMissing,
  type Tokens
} from "./credential.ts"
export {
  type CallbackParameters,
  browserHeaders,
  browserPage,
  callbackResponse,
  isState,
  pageStatus
} from "./callback.ts"
export { challengeOf as readChallenge } from "./challenge.ts"
export { callbackUrl, clientMetadata, clientMetadataUrl } from "./client-metadata.ts"
export { GrantRefused } from "./endpoint.ts"
export { serverInvalid } from "./failure.ts"
export { type Authorization, AuthorizationDiscovery, type InspectedServer } from "./discovery.ts"
export { demandReturnTo } from "./return-to.ts"
export { defaultServer } from "./server.ts"
export type { OAuthServer, Refusal, RefusalCode } from "./server.ts"
export {
  type StartedSignIn,
  type SessionMember,
  metadataDocumentClient,
  clientContext,
  OAuthSignIn,
  preRegisteredClient,
  type SignInRequest,
  stateContext
} from "./sign-in.ts"
export { type CredentialStatus, OAuthTokens, type TokenQuery } from "./tokens.ts"
