/** Faults in configuration files, each with its location. */

export interface Place {
  readonly file: string
  readonly line: number
  readonly column: number
}

export type Path = ReadonlyArray<string | number>

export interface Fault {
  readonly place: Place
  readonly path: Path
  readonly message: string
}

/** `org.yaml:12:9` */
export const placeText = ({ column, file, line }: Place): string => `${file}:${line}:${column}`

const shownMax = 20

/** Collects faults, so that one run reports them all. */
export class Faults {
  readonly #shown: Array<Fault> = []
  #count = 0

  add(place: Place, path: Path, message: string): void {
    this.#count += 1
    if (this.#shown.length < shownMax) this.#shown.push({ place, path, message })
  }

  get count(): number {
    return this.#count
  }

  /** The first faults. */
  get shown(): ReadonlyArray<Fault> {
    return this.#shown
  }
}

/** Files that cannot be read as a document at all, such as those that are too large. The message has the location. */
export class UnreadableFiles extends Error {}
