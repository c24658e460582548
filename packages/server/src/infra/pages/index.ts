import * as Errors from "@orgplane/schema/shared/errors"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import type { Page, PageQuery } from "@orgplane/schema/shared/page"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { equalBytes } from "../crypto/digest.ts"
import { KeyRing } from "../crypto/key-ring.ts"

/** Rows of a page unless a request has a `limit`. */
export const limitDefault = 50
const macBytes = 16

/** The scope of a cursor. A cursor is invalid for another operation, organization or filter. */
export interface PageScope {
  readonly operation: string
  readonly organizationId: Id<"org"> | null
  /** The filters and every other parameter that selects rows. */
  readonly filters: unknown
}

/** A list of rows of the caller's organization. */
interface List<Row, Wire, E, R> {
  /** As in `PageScope`. */
  readonly filters?: unknown
  /** As in `read`. */
  readonly rows: (after: string | null, limit: number) => Effect.Effect<ReadonlyArray<Row>, E, R>
  readonly toWire: (row: Row) => Wire
  readonly fits?: (row: Row) => boolean
}

interface ListBy<Row, Wire, E, R> extends List<Row, Wire, E, R> {
  readonly idOf: (row: Row) => string
}

const badCursor = () => Errors.InvalidRequest.at(["query", "cursor"], "is not a cursor of this list")

/** Pages of lists that are ordered by ID, newest first. */
export class Pages extends Context.Service<Pages>()("@orgplane/server/pages/Pages", {
  make: Effect.gen(function* () {
    const keys = yield* KeyRing

    /** What a cursor's signature covers: its position, and the list that it belongs to. */
    const signedText = ({ filters, operation, organizationId }: PageScope, position: string) =>
      `${position}\n${JSON.stringify([operation, organizationId, filters])}`

    const encode = (scope: PageScope, position: string): string => {
      const mac = keys.sign("cursor", signedText(scope, position)).subarray(0, macBytes)
      return Buffer.concat([mac, Buffer.from(position)]).toString("base64url")
    }

    const decode = (scope: PageScope, cursor: string): Effect.Effect<string, Errors.InvalidRequest> =>
      Effect.suspend(() => {
        const bytes = Buffer.from(cursor, "base64url")
        // Base64 has unused bits, so only the canonical encoding is accepted.
        if (bytes.toString("base64url") !== cursor) return Effect.fail(badCursor())
        const position = bytes.subarray(macBytes).toString("utf8")
        const mac = bytes.subarray(0, macBytes)
        const isOurs = keys
          .signatures("cursor", signedText(scope, position))
          .some((signature) => equalBytes(signature.subarray(0, macBytes), mac))
        return isOurs ? Effect.succeed(position) : Effect.fail(badCursor())
      })

    /**
     * Reads one page. `rows` receives the ID to continue after and the number of rows to read, which is one more than
     * the page size, to detect whether there is a next page. A page ends early before a row that no longer `fits`; the
     * first row always does.
     */
    const read = <Row, Wire, E, R>(
      scope: PageScope,
      query: PageQuery,
      rows: (after: string | null, limit: number) => Effect.Effect<ReadonlyArray<Row>, E, R>,
      idOf: (row: Row) => string,
      toWire: (row: Row) => Wire,
      fits: (row: Row) => boolean = () => true
    ): Effect.Effect<Page<Wire>, E | Errors.InvalidRequest, R> =>
      Effect.gen(function* () {
        const limit = query.limit ?? limitDefault
        const after = query.cursor === undefined ? null : yield* decode(scope, query.cursor)
        const batch = yield* rows(after, limit + 1)
        const full = batch.slice(1, limit).findIndex((row) => !fits(row))
        const page = batch.slice(0, full === -1 ? limit : full + 1)
        const last = batch.length > page.length ? page.at(-1) : undefined
        return {
          items: page.map(toWire),
          nextCursor: last === undefined ? null : encode(scope, idOf(last))
        }
      })

    /** A page of a list that the caller's operation returns, sorted by the result of `idOf`. */
    const listBy = <Row, Wire, E, R>(
      { organizationId, request: { operation } }: Member,
      query: PageQuery,
      { filters = null, fits, idOf, rows, toWire }: ListBy<Row, Wire, E, R>
    ) => read({ operation, organizationId, filters }, query, rows, idOf, toWire, fits)

    /** Like `listBy`, for rows with an `id`. */
    const list = <Row extends { readonly id: string }, Wire, E, R>(
      caller: Member,
      query: PageQuery,
      options: List<Row, Wire, E, R>
    ) => listBy(caller, query, { ...options, idOf: (row) => row.id })

    return { encode, decode, read, list, listBy } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
