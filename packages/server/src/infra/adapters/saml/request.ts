import { deflateRawSync } from "node:zlib"
import * as Effect from "effect/Effect"
import { type SamlConnection, type SamlServiceProvider, SsoRefused } from "../../ports/sso.ts"
import { nameIdFormats, postBinding, saml, samlp } from "./names.ts"
import { escapeAttribute, escapeText } from "./xml.ts"

/**
 * The browser's URL for the HTTP-Redirect binding. No authentication context is requested, because the identity
 * provider decides how users authenticate and which format the NameID has.
 */
export const begin = (
  provider: SamlServiceProvider,
  connection: SamlConnection,
  request: { readonly id: string; readonly relayState: string; readonly at: Date }
): Effect.Effect<string, SsoRefused> =>
  Effect.suspend(() => {
    const url = URL.parse(connection.ssoUrl)
    if (url === null) {
      return Effect.fail(
        new SsoRefused({ code: "provider_invalid", message: "The identity provider's SSO URL is not valid." })
      )
    }
    const attributes = {
      ID: request.id,
      Version: "2.0",
      IssueInstant: request.at.toISOString(),
      Destination: connection.ssoUrl,
      ProtocolBinding: postBinding,
      AssertionConsumerServiceURL: provider.acsUrl
    }
    const xml = [
      `<samlp:AuthnRequest xmlns:samlp="${samlp}" xmlns:saml="${saml}"`,
      ...Object.entries(attributes).map(([attribute, value]) => ` ${attribute}="${escapeAttribute(value)}"`),
      `><saml:Issuer>${escapeText(provider.entityId)}</saml:Issuer>`,
      `<samlp:NameIDPolicy Format="${nameIdFormats.unspecified}" AllowCreate="true"/>`,
      `</samlp:AuthnRequest>`
    ].join("")
    url.searchParams.set("SAMLRequest", deflateRawSync(xml).toString("base64"))
    url.searchParams.set("RelayState", request.relayState)
    return Effect.succeed(url.href)
  })
