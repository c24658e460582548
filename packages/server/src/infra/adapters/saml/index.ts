import * as Layer from "effect/Layer"
import { SamlProviders } from "../../ports/sso.ts"
import { readCertificate } from "./certificate.ts"
import { metadata, read } from "./metadata.ts"
import { begin } from "./request.ts"
import { finish } from "./response.ts"

/** SAML without network access. */
export const layerSaml = Layer.succeed(SamlProviders, { metadata, read, readCertificate, begin, finish })
