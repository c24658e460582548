/** A file name and its extension without the dot. A name with a dot only at the start has no extension. */
export const nameParts = (fileName: string | null) => {
  const dot = fileName?.lastIndexOf(".") ?? -1
  return { fileName, fileExtension: fileName === null || dot <= 0 ? null : fileName.slice(dot + 1) }
}
