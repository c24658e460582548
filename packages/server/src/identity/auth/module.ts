import { Principals } from "./principals.ts"

export const layer = Principals.layer
