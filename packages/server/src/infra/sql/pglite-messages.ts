/** The messages between this process and the engine's thread. */

export interface EngineData {
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
