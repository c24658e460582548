export interface ResponseInfo<ResponseHeaders = Headers> {
    readonly status: number;
    readonly headers: ResponseHeaders;
    readonly requestId: string | undefined;
}
export interface CallResult<Data, ResponseHeaders = Headers> {
    readonly data: Data;
    readonly response: ResponseInfo<ResponseHeaders>;
}
export interface Call<Data, ResponseHeaders = Headers> extends Promise<Data> {
    readonly withResponse: () => Promise<CallResult<Data, ResponseHeaders>>;
}
