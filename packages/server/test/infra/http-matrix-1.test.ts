import { matrix } from "./http-matrix.ts"

await matrix(0, 3, 1_700)
