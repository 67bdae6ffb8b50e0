// The files of the web page, by name: its modules and styles, what it shares with the client, and packages.
// Nothing else can be had. Modules are TypeScript in a checkout and lose their types here; in a built package
// they have none.
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { extname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorTable } from '../../runtime/errors.ts';
import { contentOfText } from '../request/content.ts';
import type { Content } from '../route.ts';

/** Suffix of modules, here and in the page: that of this one. */
const moduleSuffix = extname(fileURLToPath(import.meta.url));
const http = fileURLToPath(new URL('../', import.meta.url));
/**
 * Where the page itself lies; names of files are paths from `http`, so that relative imports hold in a
 * browser.
 */
const APP = 'page/app';
export const entry = `${APP}/main${moduleSuffix}`;
const worker = `${APP}/worker${moduleSuffix}`;
const shared = ['client/addresses', 'client/request'].map((name) => name + moduleSuffix);

/** Packages by the name they are imported by: the file that is served. */
const packages: Readonly<Record<string, () => string>> = {
  preact: () => import.meta.resolve('preact'),
  'preact/hooks': () => import.meta.resolve('preact/hooks'),
  htm: () => import.meta.resolve('htm'),
  'htm/preact': () => import.meta.resolve('htm/preact'),
  // The main file is not a module.
  comlink: () => new URL('dist/esm/comlink.min.mjs', import.meta.resolve('comlink/package.json')).href,
  // The file for browsers, in one piece, has no name among the exports.
  'socket.io-client': () =>
    new URL('dist/socket.io.esm.min.js', import.meta.resolve('socket.io-client/package.json')).href,
};
const packageFile = (name: string) => `packages/${name.replace('/', '-')}.js`;

/** Import map: the name of each package and its address. */
export const importMap = {
  imports: Object.fromEntries(Object.keys(packages).map((name) => [name, `/page/${packageFile(name)}`])),
};

const types: Readonly<Record<string, string>> = {
  '.ts': 'text/javascript; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export const pageErrors = errorTable({
  PAGE_FILE_GONE: { meaning: 'A file of the page cannot be read', status: 503, retryable: false },
});

export interface PageFiles {
  /** Names of all files, sorted. */
  readonly names: readonly string[];
  /**
   * Null for what is none of them. Read anew each time, so that a change is seen without a new start; one
   * that cannot be read any more is as it was. Throws PAGE_FILE_GONE.
   */
  content(name: string): Promise<Content | null>;
}

/**
 * Looks into the folder once; the program may be replaced while the service runs. `read`: that of the system.
 */
export function openPageFiles(read = (path: string) => readFile(path, 'utf8')): PageFiles {
  const places = placesOfFiles();
  const moduleCache = new Map<string, { readonly digest: string; readonly content: Content }>();
  return {
    names: [...places.keys()].sort(),
    content: async (name) => {
      const place = places.get(name);
      if (place === undefined) return null;
      const cached = moduleCache.get(name);
      let source: string;
      try {
        source = await read(place);
      } catch (error) {
        if (cached) return cached.content;
        throw gone(name, error);
      }
      const digest = createHash('sha256').update(source).digest('base64');
      if (cached?.digest === digest) return cached.content;
      const content = contentOfText(served(name, source), types[extname(name)]!);
      moduleCache.set(name, { digest, content });
      return content;
    },
  };
}

function gone(name: string, error: unknown): Error {
  const message = `${name} cannot be read: the program was replaced or removed while the service was running; restart the service`;
  return pageErrors.PAGE_FILE_GONE(message, {}, error);
}

/** Paths of files by name. */
function placesOfFiles(): Map<string, string> {
  try {
    const paths = [...ownFiles(), ...shared].map((name): [string, string] => [name, join(http, name)]);
    const foreign = Object.entries(packages).map(([name, resolved]): [string, string] => {
      return [packageFile(name), fileURLToPath(resolved())];
    });
    return new Map([...paths, ...foreign]);
  } catch (error) {
    throw gone(APP, error);
  }
}

function ownFiles(): string[] {
  return readdirSync(join(http, APP), { recursive: true, encoding: 'utf8' })
    .map((name) => `${APP}/${name.split(sep).join('/')}`)
    .filter((name) => [moduleSuffix, '.css', '.svg'].includes(extname(name)));
}

/** Without types, and without the comments and the space that they leave: a person reads the source. */
function served(name: string, source: string): string {
  const text = name.endsWith('.ts') ? compact(stripTypeScriptTypes(source)) : source;
  // A worker has no table of packages.
  return name === worker
    ? text.replace(
        /\bfrom (['"])(\w+)\1/g,
        (_, quote, name) => `from ${quote}${importMap.imports[name]}${quote}`,
      )
    : text;
}

// A module of the page as it is sent: comments are for who reads the source.

/**
 * Without empty lines, lines that are a comment alone, and space at ends of lines, which taking types out
 * leaves.
 */
export function compact(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '' && !/^\s*(\/\/|\/\*\*|\*\/|\* |\*$)/.test(line))
    .join('\n');
}
