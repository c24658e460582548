/** Status and headers of a response. */
export interface ResponseInfo {
  readonly status: number
  /** `etag`, `ratelimit`, … */
  readonly headers: Headers
  /** Identifies the request in the server's logs and audit log. */
  readonly requestId: string | undefined
}

/** The data of a call with status and headers of its response. */
export interface CallResult<Data> {
  readonly data: Data
  readonly response: ResponseInfo
}

/** A pending call: a promise of the data. `withResponse` returns the data with status and headers. */
export interface Call<Data> extends Promise<Data> {
  withResponse(): Promise<CallResult<Data>>
}
