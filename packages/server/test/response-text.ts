/** The body; of a live stream, which has no end, the first part. */
export const textOf = async (response: Response): Promise<string> => {
  if (response.headers.get("content-type") !== "text/event-stream") return response.text()
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const { value } = await reader.read()
  await reader.cancel()
  return new TextDecoder().decode(value)
}
