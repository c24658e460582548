import type { Call, CallResult } from "./call.js";
export interface Page<Item> {
    readonly items: ReadonlyArray<Item>;
    readonly nextCursor: string | null;
}
export interface List<Item> extends Call<Page<Item>>, AsyncIterable<Item> {
    readonly pages: () => AsyncGenerator<Page<Item>, void, undefined>;
    readonly take: (count: number) => Promise<ReadonlyArray<Item>>;
    readonly toArray: (options: {
        readonly limit: number;
    }) => Promise<ReadonlyArray<Item>>;
}
type Load = (cursor: string | undefined) => Promise<CallResult<Page<unknown>>>;
export declare const makeList: (load: Load, start: string | undefined) => List<unknown>;
export {};
