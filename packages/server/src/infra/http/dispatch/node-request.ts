import * as NodeHttpIncomingMessage from "@effect/platform-node/NodeHttpIncomingMessage"
import * as Effect from "effect/Effect"
import * as Cookies from "effect/http/Cookies"
import * as Headers from "effect/http/Headers"
import { HttpServerError, RequestParseError } from "effect/http/HttpServerError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import { redactUrl } from "effect/http/UrlParams"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Buffer } from "node:buffer"
import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import { NodeBody } from "./node-body.ts"

/** The text of a body, without a byte order mark. */
const textOf = (bytes: Buffer): string => {
  const text = bytes.toString("utf8")
  return text.charCodeAt(0) === 0xfe_ff ? text.slice(1) : text
}

/** Node copies each chunk into its own buffer, so a single chunk is returned without another copy. */
const arrayBufferOf = ({ buffer, byteLength, byteOffset }: Buffer): ArrayBuffer =>
  buffer instanceof ArrayBuffer && byteOffset === 0 && byteLength === buffer.byteLength
    ? buffer
    : new Uint8Array(new Uint8Array(buffer, byteOffset, byteLength)).buffer

type Modifications = Parameters<HttpServerRequest.HttpServerRequest["modify"]>[0]

/** Reading the address of a socket costs more than most other steps of a request. */
const addresses = new WeakMap<Socket, Option.Option<string>>()

/**
 * A request of `node:http` for a prepared endpoint. The framework's class is not exported. These endpoints neither read
 * forms nor upgrade connections, so that both fail.
 */
export class NodeRequest
  extends NodeHttpIncomingMessage.NodeHttpIncomingMessage<HttpServerError>
  implements HttpServerRequest.HttpServerRequest
{
  readonly [HttpServerRequest.TypeId] = HttpServerRequest.TypeId
  readonly url: string
  readonly method: string
  readonly protocol: "http" | "https" | undefined
  readonly #headers: Headers.Headers
  readonly #peerAddress: Option.Option<string> | undefined
  #body: NodeBody | undefined
  /** The request that this one was made from, which has the body. */
  #original: NodeRequest | undefined
  // The server sends the response first, and then discards the rest of the body.
  protected override readonly destroyOnOverflow = false
  protected override readonly closeOnDone = false

  constructor(source: IncomingMessage, url: string, modifications?: Modifications) {
    super(source, (cause) => this.#failure("Parse", cause), modifications?.remoteAddress)
    this.url = url
    this.method = source.method ?? "GET"
    this.protocol = modifications?.protocol
    this.#headers = modifications?.headers ?? Headers.fromInput(source.headers)
    this.#peerAddress = modifications?.peerAddress
  }

  #failure(reason: NonNullable<RequestParseError["reason"]>, cause: unknown): HttpServerError {
    return new HttpServerError({ reason: new RequestParseError({ request: this, reason, cause }) })
  }

  override get remoteAddress(): Option.Option<string> {
    if (this.remoteAddressOverride !== undefined) return super.remoteAddress
    const { socket } = this.source
    const cached = addresses.get(socket)
    if (cached !== undefined) return cached
    const address = super.remoteAddress
    // A socket that is already closed has no address.
    if (Option.isSome(address)) addresses.set(socket, address)
    return address
  }

  override get headers(): Headers.Headers {
    return this.#headers
  }
  get originalUrl(): string {
    return `http://${this.#headers["host"] ?? "localhost"}${this.source.url ?? "/"}`
  }
  get cookies() {
    return Cookies.parseHeader(this.#headers["cookie"] ?? "")
  }
  get peerAddress(): Option.Option<string> {
    return this.#peerAddress ?? this.remoteAddress
  }

  /** The body, which is collected when it is read for the first time. */
  #bytes(): Effect.Effect<Buffer, HttpServerError> {
    return Effect.withFiber((fiber) => {
      const bytesMax = fiber.getRef(HttpIncomingMessage.MaxBodySize)
      const owner = this.#original ?? this
      owner.#body ??= new NodeBody(this.source, bytesMax === undefined ? Number.POSITIVE_INFINITY : Number(bytesMax))
      return Effect.mapError(owner.#body.bytes, ({ cause, isTooLarge }) =>
        this.#failure(isTooLarge ? "BodyTooLarge" : "Parse", cause)
      )
    })
  }
  override get text(): Effect.Effect<string, HttpServerError> {
    return Effect.map(this.#bytes(), textOf)
  }
  override get arrayBuffer(): Effect.Effect<ArrayBuffer, HttpServerError> {
    return Effect.map(this.#bytes(), arrayBufferOf)
  }

  modify(options: Modifications): NodeRequest {
    const { remoteAddressOverride } = this
    const modified = new NodeRequest(this.source, options.url ?? this.url, {
      headers: this.#headers,
      ...(remoteAddressOverride === undefined ? {} : { remoteAddress: remoteAddressOverride }),
      ...(this.#peerAddress === undefined ? {} : { peerAddress: this.#peerAddress }),
      ...(this.protocol === undefined ? {} : { protocol: this.protocol }),
      ...options
    })
    modified.#original = this.#original ?? this
    return modified
  }

  get upgrade(): Effect.Effect<never, HttpServerError> {
    return Effect.fail(this.#failure("Parse", new Error("The connection cannot be upgraded.")))
  }
  upgradeWith(): Effect.Effect<never, HttpServerError> {
    return this.upgrade
  }
  get multipart(): Effect.Effect<never> {
    return Effect.die(new Error("A prepared endpoint does not read forms."))
  }
  get multipartStream(): Stream.Stream<never> {
    return Stream.die(new Error("A prepared endpoint does not read forms."))
  }

  toJSON(): unknown {
    return HttpIncomingMessage.inspect(this, {
      _id: "HttpServerRequest",
      method: this.method,
      url: redactUrl(this.url)
    })
  }
}
