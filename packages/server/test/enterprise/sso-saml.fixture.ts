/** A SAML identity provider, and an organization whose people sign in with it. */
import { expect } from "vitest"
import { makeIdentityProvider, makeKeyPair, type ResponseContent } from "../../src/infra/adapters/saml/saml.fixture.ts"
import { call, makeWorkspace, someAddress, type TestPlane, type TestResponse, type Workspace } from "../harness.ts"
import { giveEmail, resultOf, returnTo, verifyDomain } from "./sso.fixture.ts"

export const keyPair = makeKeyPair("one")
export const emailFormat = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress"

let providers = 0
export const makeIdp = (signer = keyPair) => {
  providers += 1
  const origin = `https://idp${providers}.example`
  return makeIdentityProvider({ entityId: `${origin}/entity`, ssoUrl: `${origin}/sso?tenant=1`, keyPair: signer })
}
export type Idp = ReturnType<typeof makeIdp>

export interface Connected {
  readonly owner: Workspace
  readonly idp: Idp
  readonly domain: string
  /** Our metadata, as the provider reads it. */
  readonly metadata: string
  readonly acs: string
}

/** The provider's current assertion about a user. */
export const says =
  (idp: Pick<Idp, "entityId">, nameId: string, changes: Partial<ResponseContent> = {}) =>
  (samlRequest: { readonly id: string; readonly acsUrl: string; readonly audience: string }): ResponseContent => {
    const now = Date.now()
    const after = (seconds: number) => new Date(now + seconds * 1000)
    return {
      responseId: `_r${samlRequest.id}`,
      assertionId: `_a${samlRequest.id}`,
      issuer: idp.entityId,
      destination: samlRequest.acsUrl,
      recipient: samlRequest.acsUrl,
      audience: samlRequest.audience,
      inResponseTo: samlRequest.id,
      at: after(0),
      notBefore: after(-5),
      notOnOrAfter: after(300),
      confirmedUntil: after(300),
      sessionUntil: undefined,
      nameId,
      format: emailFormat,
      attributes: {},
      ...changes
    }
  }

export interface Form {
  readonly SAMLResponse?: string
  readonly RelayState?: string
}

/** The browser posts the form of the provider's page. */
export const post = (plane: TestPlane, path: string, form: Form): Promise<TestResponse> =>
  call(plane, undefined, someAddress())("POST", path, new URLSearchParams({ ...form }).toString(), {
    "content-type": "application/x-www-form-urlencoded",
    origin: "https://idp.example"
  })

export const pathOf = (url: string) => new URL(url).pathname

/** A connection configured by metadata, tested by its owner and enabled. */
export const connectSaml = async (
  plane: TestPlane,
  domain: string,
  settings: { readonly jit?: boolean; readonly idp?: Idp } = {}
): Promise<Connected> => {
  const owner = await makeWorkspace(plane)
  const idp = settings.idp ?? makeIdp()
  await verifyDomain(plane, owner, domain)
  await giveEmail(plane, owner, `owner@${domain}`)
  // The provider reads our metadata first, and then we read the provider's.
  const { serviceProvider } = (await owner.call("GET", "/v1/sso/service-provider")).body
  const put = await owner.call("PUT", "/v1/sso/saml", {
    metadata: idp.metadata,
    jit: { enabled: settings.jit ?? true }
  })
  expect(put.status, put.text).toBe(200)
  expect(put.body.sso.serviceProvider).toEqual(serviceProvider)
  const { text: metadata } = await call(plane)("GET", pathOf(serviceProvider.metadataUrl))
  const connected = { owner, idp, domain, metadata, acs: pathOf(serviceProvider.acsUrl) }
  const begun = await owner.call("POST", "/v1/sso/test", { returnTo })
  const form = await idp.respond(metadata, begun.body.url, says(idp, `owner@${domain}`))
  expect(resultOf(await post(plane, connected.acs, form)).get("tested")).toBe("true")
  const enabled = await owner.call("POST", "/v1/sso/enable")
  expect(enabled.status, enabled.text).toBe(200)
  return connected
}
