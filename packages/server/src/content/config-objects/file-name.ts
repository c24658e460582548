/** A file name and its extension, without the dot; a name that only begins with a dot has none. */
export const nameParts = (fileName: string | null) => {
  const dot = fileName?.lastIndexOf(".") ?? -1
  return { fileName, fileExtension: fileName === null || dot <= 0 ? null : fileName.slice(dot + 1) }
}
