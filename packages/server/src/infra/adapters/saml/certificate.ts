import { X509Certificate } from "node:crypto"
import * as Effect from "effect/Effect"
import { type SamlCertificate, SamlMetadataInvalid } from "../../ports/sso.ts"

const lengthMax = 16_384
const pem = /^-----BEGIN CERTIFICATE-----([A-Za-z\d+/=\s]+)-----END CERTIFICATE-----$/
const base64 = /^[A-Za-z\d+/]+={0,2}$/
const modulusBits = { min: 2048, max: 8192 }

const invalid = (message: string) => new SamlMetadataInvalid({ message })

const parse = (encoded: string) => {
  try {
    return new X509Certificate(Buffer.from(encoded, "base64"))
  } catch {
    return undefined
  }
}

/**
 * A certificate in PEM format or as plain base64. Only its key is checked, because the certificate is trusted by
 * configuration.
 */
export const readCertificate = (text: string): Effect.Effect<SamlCertificate, SamlMetadataInvalid> =>
  Effect.suspend(() => {
    if (text.length > lengthMax) return Effect.fail(invalid("The certificate is too long."))
    const trimmed = text.trim()
    const encoded = (pem.exec(trimmed)?.[1] ?? trimmed).replace(/\s+/g, "")
    const certificate = base64.test(encoded) ? parse(encoded) : undefined
    if (certificate === undefined)
      return Effect.fail(invalid("The certificate must be a valid X.509 certificate, as PEM or its base64."))
    const key = certificate.publicKey
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
    if (key.asymmetricKeyType !== "rsa") return Effect.fail(invalid("The certificate's key must be an RSA key."))
    if (bits < modulusBits.min || bits > modulusBits.max) {
      return Effect.fail(
        invalid(`The certificate's key has ${bits} bits; it must have ${modulusBits.min} to ${modulusBits.max}.`)
      )
    }
    return Effect.succeed({
      pem: certificate.toString(),
      sha256: certificate.fingerprint256.replaceAll(":", "").toLowerCase(),
      subject: certificate.subject.split("\n").join(", "),
      notBefore: certificate.validFromDate,
      notAfter: certificate.validToDate
    })
  })
