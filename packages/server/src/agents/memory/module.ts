import { embedding } from "./embedding.ts"

export const workers = [embedding]
