import type { Call } from "./call.ts"
import type { ClientOptions } from "./client-options.ts"
import { type Operations, routes } from "./generated/operations.ts"
import { makeTransport, operationWith, type RawOptions, sendWithFetch } from "./transport.ts"

/** Every operation of the API, by group. */
export interface OrgplaneClient extends Operations {
  /**
   * Sends any request with the client's credential, retries and errors, for endpoints without an operation.
   * `path` starts with a slash and is appended to `baseUrl`. The response body is not unwrapped.
   */
  request<Data = unknown>(method: string, path: string, options?: RawOptions): Call<Data>
  /**
   * Returns a copy of the client with other options, such as the token of another user. `token` and `apiKey` replace each
   * other, and `token: null` removes both. The original client is not changed.
   *
   * ```ts
   * const grace = client.withOptions({ token: graceToken })
   * ```
   */
  withOptions(options: ClientOptions): OrgplaneClient
}

const merged = (options: ClientOptions, changes: ClientOptions): ClientOptions => {
  const { apiKey, token, ...others } = options
  const hasCredential = changes.token !== undefined || changes.apiKey !== undefined
  return { ...others, ...(hasCredential ? {} : { apiKey, token }), ...changes }
}

/** Adds a member that is made when it is first read: servers create a client for each request of their users. */
const addLazily = (target: object, name: string, make: () => object): void => {
  const put = (value: object) => {
    Object.defineProperty(target, name, { value, configurable: true, enumerable: true, writable: true })
    return value
  }
  // A test may replace a member.
  Object.defineProperty(target, name, { get: () => put(make()), set: put, configurable: true, enumerable: true })
}

/** Creates a client from its options, without the environment variables. */
export const clientOf = (options: ClientOptions): OrgplaneClient => {
  const { request, run } = makeTransport(options, sendWithFetch(options.fetch))
  const operation = operationWith(run)
  const client = { request, withOptions: (changes: ClientOptions) => clientOf(merged(options, changes)) }
  for (const [group, operations] of Object.entries(routes)) {
    addLazily(client, group, () =>
      Object.fromEntries(
        Object.entries(operations).map(([name, route]) => [name, operation(`${group}.${name}`, route)])
      )
    )
  }
  return client as OrgplaneClient
}
