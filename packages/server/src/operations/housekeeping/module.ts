import { housekeeping } from "./housekeeping.ts"

export const workers = [housekeeping]
