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
  /**
   * Target after the sign-in. Default: `callbackUrl` of the page's query, else the target of this browser's last
   * attempt, which a cookie keeps, else the home page.
   */
  redirectTo?: string;
  /** Language of the texts, in the form of `Accept-Language`. Default: the browser's. */
  language?: string;
}

/** A sign-in method of the page: a form that works without a script, and more conveniently with one. */
export interface SignInMethod extends Pick<
  Form,
  "action" | "color" | "icon" | "logo" | "other" | "script"
> {
  /** Id of its provider. */
  readonly id: string;
  /** Inputs that the visitor fills in. Empty for a provider that has only a button. */
  readonly fields: NonNullable<Form["fields"]>;
  /** Hidden fields by name, including the CSRF token. */
  readonly hidden: Readonly<Record<string, string>>;
  /** Text of the button. */
  readonly label: string;
  /** Handles the event `submit` of the form. Signs in, and stays on the page if that fails. Never rejects. */
  readonly submit: (event: Event) => Promise<SignInResult>;
}

/** The sign-in page as data, for the application's own page. */
export interface UseSignIn {
  /** Title of the page. */
  readonly title: ComputedRef<string>;
  /** The message for the visitor: why a sign-in failed, or why one is needed. */
  readonly message: ComputedRef<Message | undefined>;
  /** The `code` of the `CredentialsSignin` with which a sign-in failed, for the application's own message. */
  readonly code: ComputedRef<string | undefined>;
  readonly methods: ComputedRef<readonly SignInMethod[]>;
  /** Whether a form was sent and the browser waits for the response. */
  readonly pending: ComputedRef<boolean>;
  /** The page as the server describes it, with texts and dividers. `undefined` while it is unknown. */
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

// The server says in the query of its page why a sign-in failed, with further details for the page.
function readFailure({ url, error, code }: SignInFailure): [string, unknown][] {
  const query = url === null ? [] : [...new URL(url).searchParams];
  return [...query, ["error", error], ["code", code]];
}

// In process on the server, by a request in the browser.
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

// A sign-in does not accept files.
function readFields(event: Event): Record<string, string> {
  const { submitter } = event as SubmitEvent;
  const data = new FormData(event.currentTarget as HTMLFormElement, submitter);
  const texts = [...data].filter(
    (entry): entry is [string, string] => toText(entry[1]) !== undefined,
  );
  return Object.fromEntries(texts);
}

/**
 * Reads the sign-in page for the application's own page: methods, texts in the visitor's language, and the CSRF token.
 * On the server it is read in process. A page that other visitors receive too is completed in the browser.
 * @example const { title, message, methods } = await useSignIn();
 */
export async function useSignIn(options: UseSignInOptions = {}): Promise<UseSignIn> {
  const { language } = options;
  const { query } = useRoute();
  const { ssrContext, payload } = useNuxtApp() as RenderedApp;
  const auth = useAuth();
  const server = findEventAuth(Boolean(ssrContext?.noSSR));

  const isPending = ref(false);
  // The failure of an attempt on this page, or of the query before the first attempt.
  const failed = ref<SignInFailure | undefined>();
  const notice = ref<Message | undefined>();
  const target = options.redirectTo ?? toText(query.callbackUrl);
  const search = computed(() => {
    const { email, ...rest } = query;
    const details = failed.value ? readFailure(failed.value) : Object.entries(rest);
    const fields = Object.fromEntries([["email", email], ...details, ["callbackUrl", target]]);
    const given = Object.entries(fields).filter(
      (field): field is [string, string] => toText(field[1]) !== undefined,
    );
    return new URLSearchParams(given).toString();
  });

  const ask = async (path: string, headers: Record<string, string>): Promise<Response> =>
    server ? server.fetch(path, headers) : fetch(basePath + path, { headers, cache: "no-store" });
  const key = computed(() => `keyhook:signin:${language ?? ""}:${search.value}`);
  const read = useAsyncData(key, async () => readPage(search.value, language, ask), {
    // The browser reads what the server has not read after hydration, because hydration must match what the server
    // rendered.
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
    // A later attempt is in progress, such as a second press for a passkey, which aborts the first.
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

  // The previous page stays until the page with the message is available.
  const { data, error } = await read;
  let shown: PageData | undefined;
  const page = computed(() => (shown = data.value ?? shown));
  // After a failed attempt, the page with its message may be out of reach too, for example without a network.
  const unread = computed((): Message | undefined => {
    const text = toText(page.value?.data?.failure);
    return failed.value && error.value && text ? { tone: "error", text } : undefined;
  });
  return {
    page,
    title: computed(() => page.value?.heading ?? page.value?.title ?? ""),
    message: computed(() => notice.value ?? unread.value ?? page.value?.message),
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
