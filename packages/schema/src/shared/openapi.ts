import type * as HttpApi from "effect/http-api/HttpApi"
export const exact = (_api: HttpApi.Top) => (document: Record<string, unknown>): Record<string, unknown> => document
