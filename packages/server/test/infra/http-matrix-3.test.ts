import { matrix } from "./http-matrix.ts"

await matrix(2, 3, 4_200)
