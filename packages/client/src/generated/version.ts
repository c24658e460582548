// Written by `pnpm codegen`; change the contract instead.
/** This package's version. */
export const version = "0.1.0"
