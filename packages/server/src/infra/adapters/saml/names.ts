/** Names that the standards define. */

export const samlp = "urn:oasis:names:tc:SAML:2.0:protocol"
export const saml = "urn:oasis:names:tc:SAML:2.0:assertion"
export const md = "urn:oasis:names:tc:SAML:2.0:metadata"
export const ds = "http://www.w3.org/2000/09/xmldsig#"
export const excC14n = "http://www.w3.org/2001/10/xml-exc-c14n#"

export const redirectBinding = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect"
export const postBinding = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"
export const bearer = "urn:oasis:names:tc:SAML:2.0:cm:bearer"
export const success = "urn:oasis:names:tc:SAML:2.0:status:Success"

export const nameIdFormats = {
  emailAddress: "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress",
  persistent: "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
  transient: "urn:oasis:names:tc:SAML:2.0:nameid-format:transient",
  unspecified: "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified"
} as const
