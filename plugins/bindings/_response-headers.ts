import { forbidSharedCaching, isCachingHeader, isForOneVisitor } from "../../src/_kit.ts";

/** The methods that write headers, of a Node response or a framework's own. */
export interface HeaderWriter {
  readonly headersSent: boolean;
  getHeader(name: string): string | number | readonly string[] | undefined;
  setHeader(name: string, value: string): void;
  appendHeader(name: string, value: string): void;
  removeHeader(name: string): void;
  /** Calls the listener after each header that is set. Default: headers that `setHeader` sets. */
  watch?(listener: (name: string) => void): void;
}

/** Marks a response that stays out of shared caches. */
const KEPT: unique symbol = Symbol("kept");

function watchHeaders(res: HeaderWriter, listener: (name: string) => void): void {
  const set = res.setHeader;
  res.setHeader = function setHeader(this: HeaderWriter, name, value) {
    const result = set.call(this, name, value);
    listener(name);
    return result;
  };
}

/**
 * Headers that write to a Node response. After its headers were sent, further headers are dropped, but setting a cookie
 * throws: otherwise a sign-in would seem to have worked. Session reads set no cookies then. Once these headers keep the
 * response out of shared caches, no header that the application or its middleware sets changes that, even while the
 * headers are being sent.
 */
export class ResponseHeaders extends Headers {
  readonly #res: HeaderWriter;
  constructor(res: HeaderWriter) {
    super();
    this.#res = res;
  }
  override append(name: string, value: string): void {
    if (this.#res.headersSent) {
      throw new Error(
        "A cookie was set after the headers of the response were sent. Await signIn, signOut and update before you respond.",
      );
    }
    this.#res.appendHeader(name, value);
  }
  override set(name: string, value: string): void {
    if (this.#res.headersSent) return;
    this.#res.setHeader(name, value);
    if (name === "cache-control" && isForOneVisitor(value)) this.#keep();
  }
  #keep(): void {
    const res: HeaderWriter & { [KEPT]?: true } = this.#res;
    if (res[KEPT]) return;
    Object.defineProperty(res, KEPT, { value: true });
    const keep = (name: string) => {
      if (isCachingHeader(name)) forbidSharedCaching(this);
    };
    if (res.watch) res.watch(keep);
    else watchHeaders(res, keep);
  }

  override delete(name: string): void {
    if (!this.#res.headersSent) this.#res.removeHeader(name);
  }
  override get(name: string): string | null {
    const value = this.#res.getHeader(name);
    return value === undefined ? null : [value].flat().join(", ");
  }
  override getSetCookie(): string[] {
    return [this.#res.getHeader("set-cookie") ?? []].flat().map(String);
  }
}
