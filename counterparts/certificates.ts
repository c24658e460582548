/**
 * A certificate authority for one test, and a host certificate that it issued: X.509 encoded by hand, so that only
 * Node.js is needed.
 */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto"

const der = (tag: number, ...parts: ReadonlyArray<Uint8Array>): Buffer => {
  const body = Buffer.concat(parts)
  const [high, low] = [body.length >> 8, body.length & 0xff]
  // The shortest form of the length is the only valid one.
  const length = body.length < 128 ? [low] : high === 0 ? [0x81, low] : [0x82, high, low]
  return Buffer.concat([Buffer.from([tag, ...length]), body])
}
const sequence = (...parts: ReadonlyArray<Uint8Array>) => der(0x30, ...parts)
const oid = (hex: string) => der(0x06, Buffer.from(hex, "hex"))
const utcTime = (at: Date) =>
  der(0x17, Buffer.from(`${at.toISOString().replace(/[-:T]/g, "").slice(2, 14)}Z`, "latin1"))
const isTrue = der(0x01, Buffer.from([0xff]))
const nameOf = (commonName: string) =>
  sequence(der(0x31, sequence(oid("550403"), der(0x0c, Buffer.from(commonName, "utf8")))))
const ecdsaWithSha256 = sequence(oid("2a8648ce3d040302"))

const extension = (id: string, value: Uint8Array, isCritical = false) =>
  sequence(oid(id), ...(isCritical ? [isTrue] : []), der(0x04, value))
const basicConstraints = (isAuthority: boolean) => extension("551d13", sequence(...(isAuthority ? [isTrue] : [])), true)
const alternativeName = (host: string) => extension("551d11", sequence(der(0x82, Buffer.from(host, "latin1"))))

const certificateOf = (
  issuer: string,
  subject: string,
  subjectKey: KeyObject,
  issuerKey: KeyObject,
  extensions: ReadonlyArray<Uint8Array>
): string => {
  const toSign = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    nameOf(issuer),
    sequence(utcTime(new Date("2020-01-01T00:00:00Z")), utcTime(new Date("2049-01-01T00:00:00Z"))),
    nameOf(subject),
    subjectKey.export({ format: "der", type: "spki" }),
    der(0xa3, sequence(...extensions))
  )
  const signature = sign("sha256", toSign, issuerKey)
  const encoded = sequence(toSign, ecdsaWithSha256, der(0x03, Buffer.from([0]), signature)).toString("base64")
  return `-----BEGIN CERTIFICATE-----\n${encoded.replace(/.{64}(?=.)/g, "$&\n")}\n-----END CERTIFICATE-----\n`
}

/** PEM of the authority, the host's certificate and its key. */
export const makeCertificates = (host: string) => {
  const authority = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const server = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const issuer = "Authority of a test"
  return {
    ca: certificateOf(issuer, issuer, authority.publicKey, authority.privateKey, [basicConstraints(true)]),
    cert: certificateOf(issuer, host, server.publicKey, authority.privateKey, [
      basicConstraints(false),
      alternativeName(host)
    ]),
    key: server.privateKey.export({ format: "pem", type: "pkcs8" }).toString()
  }
}
