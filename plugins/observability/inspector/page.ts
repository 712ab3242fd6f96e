import type { Block, Item, Page } from "../../../src/kernel.ts";
import { formatMs, summarize, toEntryBlock } from "./entry-blocks.ts";
import { NAME } from "./name.ts";
import type { BrowserCookie, InspectorReport, TapTiming } from "./report.ts";
import { SIGN_IN_AS } from "./sign-in-as.ts";

const STAGES: Readonly<Record<number, string>> = {
  [-100]: "first",
  [-10]: "early",
  0: "normal",
  10: "late",
  100: "last",
};

function section(heading: string, items: readonly Item[], text?: string): Block {
  const name = heading.toLowerCase().replaceAll(" ", "-");
  const blocks: Block[] = items.length
    ? [{ kind: "list", items }]
    : [{ kind: "text", text: "None." }];
  return { kind: "section", name, heading, blocks, ...(text !== undefined && { text }) };
}

// For example `durable, scope: host`. Values that are not set are left out.
function formatFields(fields: object): string {
  return Object.entries(fields)
    .filter(([, value]) => value !== false && value !== undefined)
    .map(([name, value]) => (value === true ? name : `${name}: ${String(value)}`))
    .join(", ");
}

const list = (label: string, names: readonly string[]) =>
  names.length ? `${label} ${names.join(", ")}` : "";

const join = (...parts: readonly string[]) => parts.filter(Boolean).join(" · ");

function toItems(fields: object): Item[] {
  return Object.entries(fields).map(([title, value]) => ({ title, text: String(value) }));
}

function decisionItems({ decisions }: InspectorReport): Item[] {
  const { session, ...others } = decisions;
  return toItems({ ...others, session: formatFields(session) });
}

function formatTap({ name, plugin, stage, runs, last, mean }: TapTiming, at: number): string {
  const times = runs ? `, last ${formatMs(last)}, mean ${formatMs(mean)} of ${runs}` : "";
  return `${at + 1}. ${name} (${plugin}, ${STAGES[stage] ?? stage}${times})`;
}

function hookItems({ inspection, taps }: InspectorReport): Item[] {
  return Object.entries(inspection.hooks).map(([name, { kind, plugin, interceptors }]) => ({
    title: name,
    badge: kind,
    text:
      join(
        (taps[name] ?? []).map(formatTap).join(", "),
        list(
          "intercepted by",
          interceptors.filter((one) => one !== NAME),
        ),
        list("added by", plugin === undefined ? [] : [plugin]),
      ) || "no taps",
  }));
}

function cookieItem({ key, name, attributes, sent }: BrowserCookie): Item {
  const found = sent.map((one) => `${one.name} (${one.size} characters)`);
  return {
    title: name,
    badge: key,
    text: join(formatFields(attributes), list("sent:", found) || "not sent"),
  };
}

function storeItems({ inspection }: InspectorReport): Item[] {
  const { backend, namespaces } = inspection.store;
  const own = backend && {
    title: backend.name,
    text: formatFields({ ...backend.guarantees, atomic: backend.atomic }),
  };
  return [
    ...(own ? [own] : []),
    ...namespaces.map(({ namespace, plugin, requirements }) => ({
      title: namespace,
      text: join(`plugin ${plugin}`, list("requires", formatFields(requirements).split(", "))),
    })),
  ];
}

function cacheItems({ inspection }: InspectorReport): Item[] {
  return inspection.caches.map(({ name, max, ttl, maxWeight }) => ({
    title: name,
    text: join(
      `at most ${max} entries`,
      maxWeight === undefined ? "" : `of ${maxWeight} characters in all`,
      ttl === undefined ? "" : `for ${formatMs(ttl)}`,
    ),
  }));
}

function requestSection({ requests }: InspectorReport, id: string | undefined): Block {
  const heading = id === undefined ? "Requests" : `Request ${id}`;
  const blocks: Block[] = requests.flatMap((entry): Block[] =>
    id === undefined
      ? [{ kind: "more", text: summarize(entry), blocks: [toEntryBlock(entry)] }]
      : [{ kind: "text", text: summarize(entry) }, toEntryBlock(entry)],
  );
  const none: Block = { kind: "text", text: "There are none: the server may have restarted." };
  return { kind: "section", name: "requests", heading, blocks: blocks.length ? blocks : [none] };
}

const WITHOUT_ADDRESS: Block = {
  kind: "section",
  name: "sign-in-as",
  heading: "Sign in as",
  text: "Not available: the server does not pass the client's address, so this may be any machine. Pass it: auth.handle(request, { ip }).",
  blocks: [],
};

function signInSection({ users, decisions }: InspectorReport, base: string): Block[] {
  if (!decisions.hasClientAddress && decisions.csrfProtection) return [WITHOUT_ADDRESS];
  if (!users) return [];
  const action = base + SIGN_IN_AS;
  const items = users.map(({ key, name, email }) => ({
    title: name,
    ...(email !== undefined && { text: email }),
    form: { action, hidden: { chosen: key }, submit: `Sign in as ${name}`, short: "Sign in" },
  }));
  const field = { name: "typed", label: "Name or e-mail address", attributes: { required: true } };
  return [
    {
      kind: "section",
      name: "sign-in-as",
      heading: "Sign in as",
      text: "Creates a real session through the hooks of every sign-in, for the stored user with the address or a new one.",
      blocks: [
        ...(items.length ? [{ kind: "list" as const, items }] : []),
        { kind: "form", form: { action, fields: [field], submit: "Sign in", look: "plain" } },
      ],
    },
  ];
}

function outboxSection({ outbox }: InspectorReport): Block[] {
  if (!outbox) return [];
  const blocks: Block[] = outbox.map(({ at, to, subject, text, url }) => ({
    kind: "more",
    text: `${at.slice(11, 19)} UTC ${to}: ${subject}`,
    blocks: [
      { kind: "link", text: "Follow the link", href: url, button: true, newTab: true },
      { kind: "code", text },
    ],
  }));
  const none: Block = { kind: "text", text: "No e-mail was sent." };
  const heading = "Outbox";
  return [{ kind: "section", name: "outbox", heading, blocks: blocks.length ? blocks : [none] }];
}

function registeredSections(report: InspectorReport): Block[] {
  const { plugins, events, routes, providers, services, wraps, adapter } = report.inspection;
  return [
    section(
      "Plugins",
      plugins.map(({ name, provides, requires, plugins: brought }) => ({
        title: name,
        text: join(list("provides", provides), list("requires", requires), list("brings", brought)),
      })),
    ),
    section("Hooks", hookItems(report)),
    section(
      "Events",
      Object.entries(events).map(([title, names]) => ({ title, text: names.join(", ") })),
    ),
    section(
      "Routes",
      routes.map(({ method, path, plugin, csrf, auth }) => ({
        title: `${method} ${path}`,
        text: join(
          plugin,
          csrf === "-" ? "" : `CSRF token: ${csrf}`,
          auth ? "needs a session" : "",
        ),
      })),
    ),
    section(
      "Providers",
      providers.map(({ id, name, type }) => ({ title: id, text: name, badge: type })),
    ),
    section("Store", storeItems(report)),
    section("Adapter", adapter ? [{ title: "Methods", text: adapter.methods.join(", ") }] : []),
    section(
      "Services",
      services.map(({ name, plugin }) => ({ title: name, text: plugin })),
    ),
    section("Caches", cacheItems(report)),
    section(
      "Wraps",
      Object.entries(wraps).map(([title, names]) => ({ title, text: names.join(", ") })),
    ),
  ];
}

/** Describes the report as a page. With an id, the requested entry is expanded. */
export function buildPage(report: InspectorReport, base: string, id?: string): Page {
  const { state, cookies, others } = report.browser;
  return {
    name: "inspector",
    title: "Inspector",
    // The developer tools of a framework show the page in a frame of the application.
    policy: { "frame-ancestors": "'self'" },
    blocks: [
      ...(id === undefined ? [...signInSection(report, base), ...outboxSection(report)] : []),
      requestSection(report, id),
      section(
        "This browser",
        state.map((title) => ({ title })),
      ),
      section("Cookies", cookies.map(cookieItem), list("Other cookies that were sent:", others)),
      section("Decisions", decisionItems(report)),
      ...registeredSections(report),
      { kind: "link", text: "As JSON", href: `${base}/inspector?format=json` },
      {
        kind: "link",
        text: id === undefined ? "Read again" : "All requests",
        href: `${base}/inspector`,
      },
    ],
  };
}
