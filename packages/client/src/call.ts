/** Status and headers of a response. */
export interface ResponseInfo<ResponseHeaders = Headers> {
  readonly status: number
  /** `etag`, `ratelimit`, … */
  readonly headers: ResponseHeaders
  /** Identifies the request in the server's logs and audit log. */
  readonly requestId: string | undefined
}

/** The data of a call with status and headers of its response. */
export interface CallResult<Data, ResponseHeaders = Headers> {
  readonly data: Data
  readonly response: ResponseInfo<ResponseHeaders>
}

/** A pending call: a promise of the data. `withResponse` returns the data with status and headers. */
export interface Call<Data, ResponseHeaders = Headers> extends Promise<Data> {
  withResponse(): Promise<CallResult<Data, ResponseHeaders>>
}
