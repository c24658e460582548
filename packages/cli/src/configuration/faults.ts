/** Faults in configuration files, each with its location. */
import { exit } from "../exit-code.ts"
import { Failure } from "../failure.ts"
import { pathText } from "../output/document-path.ts"

export interface Place {
  readonly file: string
  readonly line: number
  readonly column: number
}

export type Path = ReadonlyArray<string | number>

/** `org.yaml:12:9` */
export const placeText = ({ column, file, line }: Place): string => `${file}:${line}:${column}`

const shownMax = 20

/** Collects faults, so that one run reports them all. */
export class Faults {
  readonly #details: Array<{ readonly location: string; readonly path: Path; readonly message: string }> = []
  #count = 0

  add(place: Place, path: Path, message: string): void {
    this.#count += 1
    if (this.#details.length < shownMax) this.#details.push({ location: placeText(place), path, message })
  }

  /** Fails if there are faults. */
  check(): void {
    const [first] = this.#details
    if (first === undefined) return
    if (this.#count === 1) {
      const where = first.path.length === 0 ? "" : `${pathText(first.path)} `
      throw new Failure(exit.failure, `${first.location}: ${where}${first.message}.`)
    }
    const shown = this.#count > shownMax ? ` The first ${shownMax} are:` : ""
    throw new Failure(exit.failure, `The configuration has ${this.#count} problems.${shown}`, this.#details)
  }
}
