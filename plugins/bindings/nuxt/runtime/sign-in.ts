import { computed, type ComputedRef, ref } from "vue";
import { base, basePath } from "#build/keyhook.mjs";
import { navigateTo, useAsyncData, useNuxtApp, useRoute } from "#imports";
import type { PageData, SignInFailure, SignInResult } from "../../../../src/client.ts";
import { useAuth } from "./composables.ts";
import { findEventAuth } from "./event-auth.ts";

type Block = PageData["blocks"][number];
type FormBlock = Extract<Block, { kind: "form" }>;
type Form = FormBlock["form"];
type Message = NonNullable<PageData["message"]>;

/** Options of `useSignIn`. */
export interface UseSignInOptions {
  /** Where a sign-in leads. Default: `callbackUrl` of the page's query, else the home page. */
  redirectTo?: string;
  /** Language of the texts, as `Accept-Language` states it. Default: that of the browser. */
  language?: string;
}

/** A sign-in method of the page: a form that works without a script, and more conveniently with it. */
export interface SignInMethod extends Pick<
  Form,
  "action" | "color" | "icon" | "logo" | "other" | "script"
> {
  /** Id of its provider. */
  readonly id: string;
  /** Inputs that the visitor fills in; none for a provider that has a button only. */
  readonly fields: NonNullable<Form["fields"]>;
  /** Hidden fields by name, with the CSRF token. */
  readonly hidden: Readonly<Record<string, string>>;
  /** Text of the button. */
  readonly label: string;
  /** Handles the event `submit` of its form: signs in without leaving the page for a failure. Never rejects. */
  readonly submit: (event: Event) => Promise<SignInResult>;
}

/** The sign-in page as data, for a page of the application's own. */
export interface UseSignIn {
  /** Title of the page. */
  readonly title: ComputedRef<string>;
  /** What the visitor is told: why a sign-in failed, or why one is needed. */
  readonly message: ComputedRef<Message | undefined>;
  /** The `code` of the `CredentialsSignin` that a sign-in failed with, for a text of the application's own. */
  readonly code: ComputedRef<string | undefined>;
  readonly methods: ComputedRef<readonly SignInMethod[]>;
  /** Whether a form was sent, and the browser waits for the response. */
  readonly pending: ComputedRef<boolean>;
  /** The page as the server describes it, with texts and dividers; `undefined` while it is not known. */
  readonly page: ComputedRef<PageData | undefined>;
  /** Why the page could not be read. */
  readonly error: ComputedRef<Error | undefined>;
}

interface RenderedApp {
  readonly ssrContext?: { readonly noSSR?: boolean };
  readonly payload: { readonly data: Readonly<Record<string, unknown>> };
}

function listForms(blocks: readonly Block[]): FormBlock[] {
  return blocks.flatMap((block): FormBlock[] => {
    if (block.kind === "form") return [block];
    return "blocks" in block ? listForms(block.blocks) : [];
  });
}

const toText = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

// The server states in the query of its page why a sign-in failed, and what else the page says about it.
function readFailure({ url, error, code }: SignInFailure): [string, unknown][] {
  const query = url === null ? [] : [...new URL(url).searchParams];
  return [...query, ["error", error], ["code", code]];
}

// In the process on the server, by a request in the browser.
async function readPage(
  query: string,
  language: string | undefined,
  send: (path: string, headers: Record<string, string>) => Promise<Response>,
): Promise<PageData> {
  const headers = {
    accept: "application/json",
    ...(language !== undefined && { "accept-language": language }),
  };
  const response = await send(`/signin?${query}`, headers);
  if (!response.ok) throw new Error(`The sign-in page has the status ${response.status}.`);
  return (await response.json()) as PageData;
}

// Files are no fields of a sign-in.
function readFields(event: Event): Record<string, string> {
  const { submitter } = event as SubmitEvent;
  const data = new FormData(event.currentTarget as HTMLFormElement, submitter);
  const texts = [...data].filter(
    (entry): entry is [string, string] => toText(entry[1]) !== undefined,
  );
  return Object.fromEntries(texts);
}

/**
 * Reads the sign-in page for a page of the application's own: methods, texts in the visitor's language, and the CSRF
 * token. On the server it is read in the process; a page that other visitors receive too is completed in the browser.
 * @example
 * const { title, message, methods } = await useSignIn();
 */
export async function useSignIn(options: UseSignInOptions = {}): Promise<UseSignIn> {
  const { language } = options;
  const { query } = useRoute();
  const { ssrContext, payload } = useNuxtApp() as RenderedApp;
  const auth = useAuth();
  const server = findEventAuth(Boolean(ssrContext?.noSSR));

  const isPending = ref(false);
  // Of an attempt in this page; before one, what the query states.
  const failed = ref<SignInFailure | undefined>();
  const notice = ref<Message | undefined>();
  const target = options.redirectTo ?? toText(query.callbackUrl);
  const search = computed(() => {
    const { email, ...rest } = query;
    const stated = failed.value ? readFailure(failed.value) : Object.entries(rest);
    const fields = Object.fromEntries([["email", email], ...stated, ["callbackUrl", target]]);
    const given = Object.entries(fields).filter(
      (field): field is [string, string] => toText(field[1]) !== undefined,
    );
    return new URLSearchParams(given).toString();
  });

  const ask = async (path: string, headers: Record<string, string>): Promise<Response> =>
    server ? server.fetch(path, headers) : fetch(basePath + path, { headers, cache: "no-store" });
  const key = computed(() => `keyhook:signin:${language ?? ""}:${search.value}`);
  const read = useAsyncData(key, async () => readPage(search.value, language, ask), {
    // What the server has not read, the browser reads after hydration, which shows what the server rendered.
    server: import.meta.server ? server !== undefined : key.value in payload.data,
  });

  const attempt = async (
    { provider = "", form }: FormBlock,
    event: Event,
  ): Promise<SignInResult> => {
    const { csrfToken: _, callbackUrl = base, ...fields } = readFields(event);
    const given = { ...fields, redirectTo: callbackUrl, redirect: false };
    if (!form.script) return auth.signIn(provider, given);
    const { action, ...rest } = { ...given, provider } as typeof given & { action?: string };
    return action === "register" ? auth.registerPasskey(rest) : auth.signInWithPasskey(rest);
  };
  let last: Promise<SignInResult> | undefined;
  const send = async (block: FormBlock, event: Event): Promise<SignInResult> => {
    [isPending.value, notice.value] = [true, undefined];
    const attempted = (last = attempt(block, event));
    const result = await attempted;
    // A later one is under way, such as a second press for a passkey, which aborts the first.
    if (!result.ok && attempted !== last) return result;
    const { script } = block.form;
    if (result.ok || (script && result.url)) {
      await navigateTo(result.url as string, { external: true });
    } else if (script) notice.value = { tone: "error", text: script.failure };
    else if (!result.ok) failed.value = result;
    isPending.value = false;
    return result;
  };
  const sent = new Map<string, Promise<SignInResult>>();
  const submit = async (block: FormBlock, event: Event): Promise<SignInResult> => {
    event.preventDefault();
    const { action, script } = block.form;
    // A double click would send two e-mails, and count as two attempts.
    const known = script ? undefined : sent.get(action);
    if (known) return known;
    const result = send(block, event).finally(() => sent.delete(action));
    sent.set(action, result);
    return result;
  };

  // The previous page stays until the one with the message is there.
  const { data, error } = await read;
  let shown: PageData | undefined;
  const page = computed(() => (shown = data.value ?? shown));
  return {
    page,
    title: computed(() => page.value?.heading ?? page.value?.title ?? ""),
    message: computed(() => notice.value ?? page.value?.message),
    code: computed(() => (failed.value ? failed.value.code : toText(query.code))),
    methods: computed(() =>
      listForms(page.value?.blocks ?? []).map((block): SignInMethod => {
        const { action, color, icon, logo, other, script, fields = [], hidden = {} } = block.form;
        const parts = { color, icon, logo, other, script };
        const known = Object.entries(parts).filter(([, part]) => part !== undefined);
        return {
          id: block.provider ?? "",
          action,
          fields,
          hidden: hidden as Record<string, string>,
          label: block.form.submit,
          ...(Object.fromEntries(known) as Partial<typeof parts> as object),
          submit: async (event) => submit(block, event),
        };
      }),
    ),
    pending: computed(() => isPending.value),
    error: computed(() => error.value ?? undefined),
  };
}
