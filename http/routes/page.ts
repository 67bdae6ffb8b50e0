// The web page: its document at `/`, and its files. They hold nothing private; what they show is asked for
// with a key.

import { createHash } from 'node:crypto';
import { Type } from 'typebox';
import { described } from '../../runtime/schema.ts';
import { entry, importMap, openPageFiles, type PageFiles } from '../page/files.ts';
import { contentOfText } from '../request/content.ts';
import { Bytes, ErrorBody, type Route, reply, route } from '../route.ts';

const tag = 'Page';
let opened: PageFiles | undefined;
const files = () => {
  opened ??= openPageFiles();
  return opened;
};

export const page = route({
  method: 'GET',
  path: '/',
  id: 'page',
  tag,
  summary: 'Get the web page',
  description: 'For browsers. The page loads its files from `/page/` only, so it works offline.',
  access: 'open',
  form: { bytes: 'text/html' },
  answers: { 200: Bytes },
  handle: async () => {
    const textOf = async (name: string) => {
      const content = await files().content(name);
      return content && Buffer.from(content.bytes!).toString();
    };
    const preloaded = await needed(entry, textOf, importMap.imports);
    const document = pageDocument(files().names, preloaded);
    return reply(200, contentOfText(document, 'text/html; charset=utf-8'), {
      ...guarded,
      'Content-Security-Policy': pagePolicy,
      'Cross-Origin-Opener-Policy': 'same-origin',
    });
  },
});

export const pageFile = route({
  method: 'GET',
  path: '/page/{+file}',
  id: 'pageFile',
  tag,
  summary: 'Get a file of the web page',
  description: 'Modules, styles, and the packages they need. Returns 404 for all other names.',
  access: 'open',
  params: Type.Object({ file: described(Type.String(), 'Name of the file, which may contain slashes.') }),
  form: { bytes: '*/*' },
  answers: { 200: Bytes, 404: ErrorBody },
  handle: async ({ params }) => {
    const content = await files().content(params.file);
    if (content) return reply(200, content, guarded);
    return reply(404, { error: 'Unknown path', message: `The page has no file ${params.file}` });
  },
});

const guarded = {
  // Another version of the service may have other files at the same address.
  'Cache-Control': 'no-cache',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
};

export const pageRoutes: readonly Route[] = [page, pageFile];

// The document of the web page: where its styles and modules lie, and the policy it holds to. No code and no
// style stand in it but the table of packages, which the policy names by its hash.

const table = JSON.stringify(importMap);
const tableHash = createHash('sha256').update(table).digest('base64');

/** Code and style come from this service alone, nothing is sent elsewhere, and no text becomes code. */
const pagePolicy = [
  `default-src 'none'`,
  `script-src 'self' 'sha256-${tableHash}'`,
  `style-src 'self'`,
  `img-src 'self' blob: data:`,
  `media-src 'self' blob:`,
  `connect-src 'self'`,
  `worker-src 'self'`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
  `require-trusted-types-for 'script'`,
  // The worker, which is loaded by its address.
  `trusted-types framehound-worker`,
].join('; ');

/**
 * `names`: the files of the page. Modules that are needed at once are named, so that none waits for another.
 */
function pageDocument(names: readonly string[], preloaded: readonly string[]): string {
  const styles = names.filter((name) => name.endsWith('.css')).sort(inOrder);
  const links = [
    ...styles.map((name) => `<link rel="stylesheet" href="/page/${name}">`),
    ...preloaded.map((name) => `<link rel="modulepreload" href="/page/${name}">`),
  ];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark light">
<meta name="referrer" content="no-referrer">
<title>framehound</title>
<link rel="icon" href="/page/page/app/icon.svg">
<script type="importmap">${table}</script>
${links.join('\n')}
<script type="module" src="/page/${entry}"></script>
</head>
<body><div id="page"></div><noscript>This page needs JavaScript. The interface for programs is at /docs.</noscript></body></html>
`;
}

/** Orders files of the whole page before those of a view. */
function inOrder(a: string, b: string): number {
  const rank = (name: string) => (name.includes('/style/') ? 0 : 1);
  return rank(a) - rank(b) || (a < b ? -1 : 1);
}

// Imports of a module of the page, read off its text when it is served.

/** Imports as written: `./store.ts`, `preact`. Without dynamic ones, unless `all`. */
export function importsOf(text: string, { all = false } = {}): string[] {
  const fixed = text.matchAll(
    /(?:^|[\n;])\s*(?:import\s*(?:[\w*{][^;'"]*?from\s*)?|export\s*[{*][^;'"]*?from\s*)(['"])([^'"\n]+)\1/g,
  );
  const late = all ? text.matchAll(/\bimport\(\s*(['"])([^'"\n]+)\1\s*\)/g) : [];
  return [...fixed, ...late].map(([, , specifier]) => specifier!);
}

/** The file that a module means by what it imports; null for a package that there is none of. */
export function importedFile(
  name: string,
  specifier: string,
  packages: Readonly<Record<string, string>>,
): string | null {
  const address = /^[./]/.test(specifier)
    ? new URL(specifier, `http://page/page/${name}`).pathname
    : packages[specifier];
  return address?.replace(/^\/page\//, '') ?? null;
}

/** A module and all that it needs before it runs, packages included, in the order in which they are met. */
async function needed(
  first: string,
  textOf: (name: string) => Promise<string | null>,
  packages: Readonly<Record<string, string>>,
): Promise<string[]> {
  const modules: string[] = [];
  const open = [first];
  for (let name = open.shift(); name !== undefined; name = open.shift()) {
    const text = modules.includes(name) ? null : await textOf(name);
    if (text === null) continue;
    modules.push(name);
    const imported = importsOf(text).map((specifier) => importedFile(name!, specifier, packages));
    open.push(...imported.filter((file) => file !== null));
  }
  return modules;
}
