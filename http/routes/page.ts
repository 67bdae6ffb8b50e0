// The web page: its document at `/`, and its files. They hold nothing private; what they show is asked for
// with a key.
import { Type } from 'typebox';
import { described } from '../../runtime/schema.ts';
import { needed, pageDocument, pagePolicy } from '../page/document.ts';
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
      return content && Buffer.from(content.held!).toString();
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
