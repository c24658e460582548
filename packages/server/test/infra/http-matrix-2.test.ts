import { matrix } from "./http-matrix.ts"

await matrix(1, 3, 3_100)
