/** A request and its response, as recorded from a server. */
export interface Example {
  readonly request: {
    readonly method: string
    readonly path: string
    readonly query?: Readonly<Record<string, unknown>>
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: unknown
  }
  readonly response: {
    readonly status: number
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: unknown
  }
}

/** An example with its calls. */
export interface ExampleWithCalls extends Example {
  /** The call of the Promise client, if it has the operation. */
  readonly typescript?: string
  /** The command, if the operation has one. */
  readonly command?: string
}
