/** Part of the cache key of a discovery. Increase it when the same tree would produce a different result. */
export const parserVersion = "3"

export const pathLengthMax = 1024
export const selectorLengthMax = 255
export const keyLengthMax = 255
export const nameLengthMax = 200

export const manifestBytesMax = 1024 * 1024
/** All manifests of one discovery in total. */
export const manifestsBytesMax = 64 * 1024 * 1024
export const manifestBatch = 100

/** Maximum text of a config object. Larger files are planned but not stored. */
export const textBytesMax = 1024 * 1024

export const candidatesMax = 2000
export const warningsMax = 200
export const candidateWarningsMax = 20
export const componentListMax = 256
export const renamesMax = 1000
export const metadataItemsMax = 32
