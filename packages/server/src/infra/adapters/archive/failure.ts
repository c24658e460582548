import { RemoteFailed } from "../../ports/remote-content.ts"

export const failed = (code: RemoteFailed["code"], message: string): RemoteFailed => new RemoteFailed({ code, message })

export const tooLarge = (limit: string): RemoteFailed => failed("too_large", `it exceeds a size limit: ${limit}`)

export const damaged = (): RemoteFailed => failed("damaged", "the archive is damaged")
