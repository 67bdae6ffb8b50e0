// Pages that commands write for a browser: their frame, showing one, and the page of a search.
import { spawn } from 'node:child_process';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Match } from '../actors/search/contract.ts';
import { makeFolder } from '../runtime/files/folder.ts';
import { rename, rm } from '../runtime/files/names.ts';
import { asStarted } from '../runtime/files/permissions.ts';
import type { Context } from './context.ts';
import { addressOf, copiesText, isStill, momentText } from './found.ts';

// The frame: light or dark as the browser is, light on paper; no network, no script.

/** `body`: HTML. The page is one file, and is refused everything that does not lie in it. */
export function pageOf(heading: string, body: string, style = ''): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="Content-Security-Policy" content="${onlyItself}"><title>${html(heading)}</title>
<style>${frame}${style}</style>
<h1>${html(heading)}</h1>${body}</html>
`;
}

export function noteHtml(note: string): string {
  return `<p class="note">${html(note)}</p>`;
}

/** Text as HTML, also inside an attribute. */
export function html(text: string): string {
  return text.replace(/[&<>"']/g, (c) => entities[c]!);
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const onlyItself = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";

const light =
  '--page:#fff;--text:#1f2328;--strong:#000;--quiet:#59616b;--box:#f0f2f5;--link:#0b57d0;--mark:#9a6700';
const dark =
  '--page:#16181c;--text:#e8e8e8;--strong:#fff;--quiet:#b4b8c0;--box:#22252b;--link:#9cc4ff;--mark:#d9a441';

const frame = `:root{color-scheme:light dark;${light}}@media screen and (prefers-color-scheme:dark){:root{${dark}}}
body{font:14px/1.4 system-ui,sans-serif;margin:24px;background:var(--page);color:var(--text)}h1{font-size:20px;overflow-wrap:anywhere}
a{color:var(--link)}b{color:var(--strong)}
.note{margin:0 0 6px;padding:6px 10px;border-left:3px solid var(--mark);background:var(--box);overflow-wrap:anywhere}
@media print{body{margin:0}h1{margin-top:0}}
`;

// Shows a page in the browser of the person.

/** Whether a browser can show something here. `env`: the environment of the process. */
export function hasDisplay(
  env: Readonly<Record<string, string | undefined>>,
  platform: string = process.platform,
): boolean {
  if (platform === 'darwin' || platform === 'win32') return true;
  return Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);
}

/** The command that shows a page, a file or an address. */
export function opening(page: string, platform: string = process.platform): readonly [string, ...string[]] {
  if (platform === 'darwin') return ['open', page];
  if (platform !== 'win32') return ['xdg-open', page];
  // Not by a shell, to which `&` and `%` in a path mean something; and by an address, which has no spaces.
  const address = /^https?:/.test(page) ? page : pathToFileURL(page, { windows: true }).href;
  return ['rundll32', 'url.dll,FileProtocolHandler', address];
}

export function openPage(page: string, { screen }: Context): void {
  const [program, ...args] = opening(page);
  const child = asStarted(() => spawn(program, args, { stdio: 'ignore', detached: true }));
  child.on('error', () => screen.write(`No program was found to open ${page}\n`));
  child.unref();
}

// Saves the pictures of an answer and a page that shows them side by side, for a browser.

/** Answers kept; older ones are removed. */
const KEPT = 20;

export interface Findings {
  /** Absolute path of each match's picture, in order. */
  readonly pictures: readonly string[];
  readonly page: string;
}

/**
 * `found/<query>/01-<file>-<time>.jpg` and `index.html` in the home folder; a repeated search replaces its
 * folder. `notes`: what a person should know about the answer.
 */
export async function saveFindings(
  heading: string,
  notes: readonly string[],
  matches: readonly Match[],
  home: string,
): Promise<Findings> {
  const names = matches.map((match, i) => {
    const time = isStill(match) ? '' : `-${match.timestamp.replaceAll(':', '-')}`;
    return `${String(i + 1).padStart(2, '0')}-${fileName(basename(match.video_path), 60)}${time}.jpg`;
  });
  const pictures = matches.map(({ image }, i) => [names[i]!, Buffer.from(image ?? '', 'base64')] as const);
  const files = [...pictures, ['index.html', page(heading, notes, matches)] as const];
  const folder = await saveFolder(home, fileName(heading, 60), files);
  return { pictures: names.map((name) => join(folder, name)), page: join(folder, 'index.html') };
}

/**
 * Writes a folder of `found/` in the home folder, takes the place of the one before, and removes old ones.
 */
async function saveFolder(
  home: string,
  name: string,
  files: readonly (readonly [string, string | Uint8Array])[],
): Promise<string> {
  const all = join(home, 'found');
  const folder = join(all, name);
  const part = `${folder}.${process.pid}.part`;
  await rm(part, { recursive: true, force: true });
  makeFolder(part);
  await Promise.all(files.map(([file, content]) => writeFile(join(part, file), content)));
  await rm(folder, { recursive: true, force: true });
  await rename(part, folder);
  await forgetOldFindings(home);
  return folder;
}

/** A person finds the newest in `found/`. */
export async function forgetOldFindings(home: string): Promise<void> {
  const all = join(home, 'found');
  const entries = await readdir(all, { withFileTypes: true });
  const answers = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(all, name));
  const dated = await Promise.all(answers.map(async (path) => ({ path, time: (await stat(path)).mtimeMs })));
  dated.sort((a, b) => b.time - a.time);
  for (const { path } of dated.slice(KEPT)) await rm(path, { recursive: true, force: true });
}

/** Letters, digits and dashes of any text. */
export function fileName(text: string, length: number): string {
  const name = text.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-+|-+$/g, '');
  return [...name].slice(0, length).join('') || 'search';
}

function page(heading: string, notes: readonly string[], matches: readonly Match[]): string {
  const found = matches.length > 0 ? '' : '<p>Nothing was found.</p>';
  const figures = matches.map((match, i) => figure(match, i + 1));
  const body = `${notes.map(noteHtml).join('\n')}${found}<main>${figures.join('\n')}</main>`;
  return pageOf(heading, body, style);
}

function figure(match: Match, place: number): string {
  const { moment, scene } = momentText(match);
  const file = html(match.video_path);
  // A picture that was not stored has nothing to show; the link works all the same.
  const image = match.image
    ? `<img src="data:image/jpeg;base64,${html(match.image)}" alt="${file}, ${moment}">`
    : '<span class="lost">no picture stored</span>';
  return `<figure><a href="${html(addressOf(match))}">${image}</a>
<figcaption><b>${place}. ${moment}</b> ${scene}<br>${[file, html(copiesText(match.other_paths))].filter(Boolean).join('<br>')}</figcaption></figure>`;
}

const style = `main{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(280px,100%),1fr));gap:16px}
figure{margin:0;break-inside:avoid}img{width:100%;border-radius:6px;display:block}figcaption{padding:6px 2px;color:var(--quiet);overflow-wrap:anywhere}
.lost{display:grid;place-items:center;aspect-ratio:16/9;border-radius:6px;background:var(--box)}`;
