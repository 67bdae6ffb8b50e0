import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import test from 'node:test';
import { Type } from 'typebox';
import { fieldsOf } from '../../../http/openapi/docs/fields.ts';
import { html, markdown } from '../../../http/openapi/docs/page.ts';
import { createShapes } from '../../../http/openapi/schema.ts';
import { reply, route } from '../../../http/route.ts';
import { documentRoutes } from '../../../http/routes/document.ts';
import { health } from '../../../http/routes/health.ts';
import { cachePaths } from '../../../http/routes/media.ts';
import { metadataFacets } from '../../../http/routes/search.ts';
import { analyze } from '../../../http/routes/tasks.ts';
import { defaulted, described, named, nullable, oneOf } from '../../../runtime/schema.ts';
import { inject } from '../inject.ts';

const Filter = named('Filter', Type.Object({ facet_id: Type.String(), values: Type.Array(Type.String()) }));
const search = route({
  method: 'POST',
  path: '/api/v1/search/{kind}',
  id: 'find',
  tag: 'Search',
  summary: 'Finds <things>',
  description: 'It is `best` first.\n\n- one\n- two',
  params: Type.Object({ kind: Type.String() }),
  query: Type.Object({
    after: Type.String(),
    limit: defaulted(Type.Integer({ minimum: 1, maximum: 500 }), 120),
  }),
  body: Type.Object({
    query: described(Type.String({ minLength: 1 }), "What is <seen>; it's *shown*."),
    mode: defaulted(oneOf('and', 'or'), 'and'),
    filters: Type.Optional(nullable(Type.Array(Filter))),
  }),
  answers: { 200: Type.Object({ count: Type.Integer() }) },
  handle: () => reply(200, { count: 0 }),
});

const api = [health, search];
const call = inject([...api, ...documentRoutes(api)], {});

test('the document lists every route, itself too, and needs no key', async () => {
  const { status, body } = await call('/openapi.json');
  assert.equal(status, 200);
  const { openapi, info, paths } = body as { openapi: string; info: { version: string }; paths: object };
  assert.equal(openapi, '3.0.3');
  assert.equal(info.version, '1.0');
  assert.deepEqual(Object.keys(paths), ['/api/v1/health', '/api/v1/search/{kind}', '/openapi.json', '/docs']);
});

test('the page shows each operation with its fields, answers and a command to paste', async () => {
  const { status, headers, body } = await call('/docs');
  assert.equal(status, 200);
  assert.equal(headers['content-type'], 'text/html; charset=utf-8');
  const page = body as string;
  for (const id of ['health', 'find', 'openapi', 'docs']) {
    assert.ok(page.includes(`<section class="operation" id="${id}">`), id);
    assert.ok(page.includes(`href="#${id}"`), `${id} is not in the sidebar`);
  }
  assert.ok(page.includes('Finds &lt;things&gt;'));
  assert.ok(page.includes('default <code>120</code>'));
  assert.ok(page.includes('1 to 500'));
  assert.ok(page.includes('&quot;and&quot; | &quot;or&quot;'));
  const command = `curl "$FRAMEHOUND_SERVER/api/v1/search/text?after=text" \\
  -H "X-License-Key: $FRAMEHOUND_LICENSE_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{ "query": "a red car" }'`;
  assert.ok(page.includes(html(command)), 'the command is not on the page');
});

test('a client that has the document or the page is not sent it again', async () => {
  for (const path of ['/openapi.json', '/docs']) {
    const { headers } = await call(path);
    const again = await call(path, undefined, { headers: { 'if-none-match': headers['etag']! } });
    assert.deepEqual(
      [again.status, again.bytes.length, again.headers['etag']],
      [304, 0, headers['etag']],
      path,
    );
  }
});

test('the page can load nothing: no script, no address but its own, and a policy that says so', async () => {
  const { headers, body } = await call('/docs');
  const page = body as string;
  assert.doesNotMatch(page, /<script|<img|<link|<iframe|\son\w+=|style="|@import|url\(/i);
  const addresses = [...page.matchAll(/(?:href|src|action)="([^"]*)"/g)].map(([, address]) => address!);
  assert.ok(addresses.length > 4);
  for (const address of addresses) assert.match(address, /^(#|\/openapi\.json$)/);
  const style = /<style>([\s\S]*)<\/style>/.exec(page)![1]!;
  const hash = createHash('sha256').update(style).digest('base64');
  const policy = headers['content-security-policy']!;
  assert.ok(policy.startsWith(`default-src 'none'; style-src 'sha256-${hash}';`), policy);
});

test('elements of the page are closed in the order in which they were opened', async () => {
  const { body } = await call('/docs');
  const open: string[] = [];
  for (const [, end, name] of (body as string).matchAll(/<(\/?)([a-z][a-z0-9]*)\b[^>]*>/g)) {
    if (name === 'meta' || name === 'br') continue;
    if (end === '') open.push(name!);
    else assert.equal(open.pop(), name);
  }
  assert.deepEqual(open, []);
});

test('fields inside objects and lists are written out with the way to them', () => {
  const { of, components } = createShapes();
  const schema = of(search.body!);
  const rows = fieldsOf(schema, components()).map(({ name, depth, type, required }) => [
    name,
    depth,
    type,
    required,
  ]);
  assert.deepEqual(rows, [
    ['query', 0, 'string', true],
    ['mode', 0, '"and" | "or"', false],
    ['filters', 0, 'Filter[] | null', false],
    ['filters[].facet_id', 1, 'string', true],
    ['filters[].values', 1, 'string[]', true],
  ]);
});

test('Markdown of descriptions becomes HTML, and HTML in it stays text', () => {
  assert.equal(
    markdown('a **b** *c* `d*e*` <i>'),
    '<p>a <strong>b</strong> <em>c</em> <code>d*e*</code> &lt;i&gt;</p>',
  );
  assert.equal(markdown('one:\n- two\n- three'), '<p>one:</p><ul><li>two</li><li>three</li></ul>');
  assert.equal(markdown('x\n\n```sh\na <b>\n\nc\n```'), '<p>x</p>\n<pre>a &lt;b&gt;\n\nc</pre>');
  assert.equal(markdown('2 * 3 * 4'), '<p>2 * 3 * 4</p>');
});

test('the commands to paste name what they are about, also where the field may be left out', async () => {
  const { body } = await inject(documentRoutes([analyze, cachePaths, metadataFacets]), {})('/docs');
  for (const shown of ['visual_media_paths', 'media_path', 'search_all']) {
    assert.match(body as string, new RegExp(`-d &#39;\\{ .*&quot;${shown}&quot;: `), shown);
  }
});
