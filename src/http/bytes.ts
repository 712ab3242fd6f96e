import { raceSignal } from "../platform/timeout.ts";

/**
 * Reads a stream to its end. Resolves to `undefined`, and cancels the stream, when it has more than
 * `maxBytes`; rejects with the signal's reason when that aborts.
 */
export async function readBytes(
  stream: ReadableStream<Uint8Array>,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Not awaited: a peer that hangs may also block the cancellation.
  const stop = () => void reader.cancel().catch(() => {});
  try {
    for (;;) {
      const { done, value } = await raceSignal(reader.read(), signal);
      if (done) break;
      size += value.byteLength;
      if (size > maxBytes) {
        stop();
        return undefined;
      }
      chunks.push(value);
    }
  } catch (error) {
    stop();
    throw error;
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}
