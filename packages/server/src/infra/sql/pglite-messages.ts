/** The messages between this process and the engine's thread. */

/** The first message to the thread: what it opens. */
export interface Start {
  /** The directory of the database; absent: in memory. */
  readonly dataDir?: string
  /** A dump to start from. */
  readonly snapshot?: Uint8Array
  readonly resultBytesMax: number
}

export type Request =
  | { readonly kind: "exec"; readonly id: number; readonly bytes: Uint8Array }
  | { readonly kind: "dump"; readonly id: number }
  | { readonly kind: "close"; readonly id: number }

export type Reply =
  | { readonly kind: "started"; readonly startup: Uint8Array }
  | { readonly kind: "refused"; readonly message: string }
  | { readonly kind: "part"; readonly id: number; readonly bytes: Uint8Array }
  | { readonly kind: "done"; readonly id: number; readonly bytes: Uint8Array }
  | { readonly kind: "failed"; readonly id: number; readonly message: string }

const memberOf = (cause: object, name: "message" | "name" | "errno"): string =>
  name in cause ? String((cause as { readonly [member: string]: unknown })[name]) : ""

/**
 * The engine also throws objects that are not errors, with a message, or a name and a number. Errors of a stream have
 * their message in their cause.
 */
export const messageOf = (cause: unknown): string => {
  if (cause instanceof Error && cause.message !== "") return cause.message
  if (cause instanceof Error) return cause.cause === undefined ? cause.name : messageOf(cause.cause)
  if (typeof cause !== "object" || cause === null) return String(cause)
  return (
    memberOf(cause, "message") || `${memberOf(cause, "name")} ${memberOf(cause, "errno")}`.trim() || "unknown error"
  )
}
