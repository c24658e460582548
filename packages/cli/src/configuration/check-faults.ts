/** Reports the faults of configuration files. */
import { type Faults, placeText, UnreadableFiles } from "@orgplane/schema/shared/configuration-files/faults"
import { exit } from "../exit-code.ts"
import { Failure } from "../failure.ts"
import { pathText } from "../output/document-path.ts"

/** Fails if there are faults. */
export const checkFaults = ({ count, shown }: Faults): void => {
  const [first] = shown
  if (first === undefined) return
  if (count === 1) {
    const where = first.path.length === 0 ? "" : `${pathText(first.path)} `
    throw new Failure(exit.failure, `${placeText(first.place)}: ${where}${first.message}.`)
  }
  const more = count > shown.length ? ` The first ${shown.length} are:` : ""
  throw new Failure(
    exit.failure,
    `The configuration has ${count} problems.${more}`,
    shown.map(({ message, path, place }) => ({ location: placeText(place), path, message }))
  )
}

/** Runs `read`. If the files cannot be read as a document, the command fails with the reason. */
export const readable = <A>(read: () => A): A => {
  try {
    return read()
  } catch (error) {
    throw error instanceof UnreadableFiles ? new Failure(exit.failure, error.message) : error
  }
}
