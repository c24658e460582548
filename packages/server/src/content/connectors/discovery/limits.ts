/** Part of the cache key of a discovery: raise it when the same tree would yield another result. */
export const parserVersion = "3"

export const pathLengthMax = 1024
export const selectorLengthMax = 255
export const keyLengthMax = 255
export const nameLengthMax = 200

export const manifestBytesMax = 1024 * 1024
/** All manifests of one discovery together. */
export const manifestsBytesMax = 64 * 1024 * 1024
export const manifestBatch = 100

/** A text of a config object; larger files are planned but will not be stored. */
export const textBytesMax = 1024 * 1024

export const candidatesMax = 2000
export const warningsMax = 200
export const candidateWarningsMax = 20
export const componentListMax = 256
export const renamesMax = 1000
export const metadataItemsMax = 32
