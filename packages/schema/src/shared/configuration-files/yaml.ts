/** The parts of the package `yaml` that reading a configuration file needs. The caller loads the package. */

interface Node {
  readonly range?: readonly [number, number, number] | null | undefined
}

export interface YamlAlias extends Node {
  readonly source: string
}
export interface YamlScalar extends Node {
  readonly value: unknown
  readonly anchor?: string | undefined
}
export interface YamlMap extends Node {
  readonly items: ReadonlyArray<{ readonly key: unknown; readonly value: unknown }>
  readonly anchor?: string | undefined
}
export interface YamlSequence extends Node {
  readonly items: ReadonlyArray<unknown>
  readonly anchor?: string | undefined
}

interface YamlFault {
  readonly code: string
  readonly message: string
  readonly pos: readonly [number, number]
}

/** Finds the line and the column of an offset. The parser adds the lines. */
export interface YamlLines {
  lineStarts: Array<number>
  addNewLine: (offset: number) => number
  linePos: (offset: number) => { line: number; col: number }
}

interface ParseOptions {
  readonly lineCounter: YamlLines
  readonly prettyErrors: false
  readonly schema: "core"
  readonly merge: false
  readonly uniqueKeys: false
}

export interface YamlLibrary {
  readonly LineCounter: new () => YamlLines
  readonly parseDocument: (
    text: string,
    options: ParseOptions
  ) => {
    readonly contents: unknown
    readonly errors: ReadonlyArray<YamlFault>
    readonly warnings: ReadonlyArray<YamlFault>
  }
  readonly isAlias: (node: unknown) => node is YamlAlias
  readonly isMap: (node: unknown) => node is YamlMap
  readonly isNode: (node: unknown) => node is Node
  readonly isScalar: (node: unknown) => node is YamlScalar
  readonly isSeq: (node: unknown) => node is YamlSequence
}
