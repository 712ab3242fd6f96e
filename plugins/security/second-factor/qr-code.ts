import { AuthError } from "../../../src/errors.ts";

async function loadLibrary(): Promise<typeof import("uqr")> {
  try {
    return await import("uqr");
  } catch (error) {
    throw new AuthError('Setting up a second factor needs the package "uqr". Install it.', {
      cause: error,
    });
  }
}

/** Renders a text as a QR code. Resolves to a `data:` URL. */
export async function renderQrCode(text: string): Promise<string> {
  const { renderSVG } = await loadLibrary();
  const svg = renderSVG(text, { border: 2, pixelSize: 1 });
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
