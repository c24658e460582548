import { access } from "node:fs/promises"

/** Whether the file or directory exists. Follows links; false if this user cannot search a parent directory. */
export const pathExists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false
  )
