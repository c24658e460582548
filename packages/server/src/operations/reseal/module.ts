import { reseal } from "./index.ts"

export const workers = [reseal]
