import { joinBytes } from "../platform/join-bytes.ts";
import { raceSignal } from "../platform/timeout.ts";

/**
 * Reads a stream to its end. Resolves to `undefined`, and cancels the stream, if it has more than `maxBytes`. Rejects
 * with the signal's reason when the signal aborts.
 */
export async function readBytes(
  stream: ReadableStream<Uint8Array>,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const reader = stream.getReader();
  // Not awaited, because a hanging peer may also block the cancellation.
  const stop = () => void reader.cancel().catch(() => {});
  try {
    const chunks = await raceSignal(readChunks(reader, maxBytes), signal);
    if (!chunks) stop();
    return chunks && joinBytes(chunks);
  } catch (error) {
    stop();
    throw error;
  }
}

async function readChunks(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array[] | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return chunks;
    size += value.byteLength;
    if (size > maxBytes) return undefined;
    chunks.push(value);
  }
}
