// The documentation of the API: the OpenAPI document for programs, and the page for people.
import { Type } from 'typebox';
import { field } from '../../runtime/schema.ts';
import { docsPage, pagePolicy } from '../openapi/docs/page.ts';
import { type OpenApi, openApi } from '../openapi/document.ts';
import { contentOfText, etagOf, heldHeaders, isNamed } from '../request/content.ts';
import { Bytes, type Content, NoBody, type Route, reply, route } from '../route.ts';

/** Documents these routes and itself. Document and page are built at the first request and kept. */
export function documentRoutes(others: readonly Route[]): readonly Route[] {
  let cachedDocument: OpenApi | undefined;
  let documentTag: string | undefined;
  let page: Content | undefined;
  const document = () => {
    cachedDocument ??= openApi([...others, ...ownRoutes]);
    return cachedDocument;
  };
  const openapi = route({
    headers: ['if-none-match'],
    method: 'GET',
    path: '/openapi.json',
    id: 'openapi',
    tag: 'Documentation',
    summary: 'Get the OpenAPI document of the API',
    description: 'OpenAPI 3.0.3, version 1.0 of the API.',
    access: 'open',
    answers: {
      200: Type.Object({
        openapi: field('`3.0.3`.', Type.String()),
        info: field('Title and version of the API.', Type.Unsafe<OpenApi['info']>({ type: 'object' })),
        paths: field('Operations by path.', Type.Unsafe<OpenApi['paths']>({ type: 'object' })),
      }),
      304: NoBody,
    },
    handle: ({ headers }) => {
      documentTag ??= etagOf(JSON.stringify(document()));
      const described = { ...Object.fromEntries(heldHeaders(documentTag)), ...cached };
      const isKnown = isNamed(headers['if-none-match']!, documentTag);
      return isKnown ? reply(304, undefined, described) : reply(200, document(), described);
    },
  });
  const docs = route({
    method: 'GET',
    path: '/docs',
    id: 'docs',
    tag: 'Documentation',
    summary: 'Show the API documentation',
    description: 'A single HTML page without scripts. It loads nothing else, so it works offline.',
    access: 'open',
    form: { bytes: 'text/html' },
    answers: { 200: Bytes },
    handle: () => {
      page ??= contentOfText(docsPage(document()), 'text/html; charset=utf-8');
      return reply(200, page, { ...cached, ...guarded });
    },
  });
  const ownRoutes: readonly Route[] = [openapi, docs];
  return ownRoutes;
}

/** Another version of the service may answer differently on the same address. */
const cached = { 'Cache-Control': 'no-cache' };

const guarded = {
  'Content-Security-Policy': pagePolicy,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};
