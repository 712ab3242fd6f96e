import { forbidSharedCaching, isCachingHeader, isForOneVisitor } from "../../src/_kit.ts";

/** A Node response, or a framework's own, by what its headers are written with. */
export interface HeaderWriter {
  readonly headersSent: boolean;
  getHeader(name: string): string | number | readonly string[] | undefined;
  setHeader(name: string, value: string): void;
  appendHeader(name: string, value: string): void;
  removeHeader(name: string): void;
  /** Calls the listener after each header that is set. Default: those that `setHeader` sets. */
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
 * Headers that are those of a Node response. What is set after they were sent is dropped, but for cookies: a sign-in would
 * seem to have worked. Reads of a session forgo theirs. Once they keep it out of shared caches, nothing that the application
 * sets later changes that, nor what its middleware sets while they are sent.
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
