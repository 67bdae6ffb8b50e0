import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import test from 'node:test';
import { entry, importMap, openPageFiles, pageErrors } from '../../../http/page/files.ts';
import { importedFile, importsOf, pageRoutes } from '../../../http/routes/page.ts';
import { inject } from '../inject.ts';

const call = inject(pageRoutes, {});
const open = { headers: { 'x-license-key': '' } };
const { names } = openPageFiles();
const modules = names.filter((name) => name.endsWith('.ts') || name.endsWith('.js'));
const textOf = async (name: string) => (await call(`/page/${name}`, undefined, open)).bytes.toString();

test('the document needs no key, is not kept, and its policy allows its table of packages alone', async () => {
  const { status, headers, bytes } = await call('/', undefined, open);
  assert.equal(status, 200);
  assert.equal(headers['content-type'], 'text/html; charset=utf-8');
  assert.equal(headers['cache-control'], 'no-cache');
  assert.equal(headers['x-content-type-options'], 'nosniff');
  const policy = headers['content-security-policy']!;
  assert.match(policy, /^default-src 'none'; script-src 'self' 'sha256-[\w+/=]+'; style-src 'self';/);
  assert.match(policy, /require-trusted-types-for 'script'; trusted-types framehound-worker$/);
  assert.doesNotMatch(policy, /unsafe|https?:/);
  const html = bytes.toString();
  const [, table = ''] = /<script type="importmap">(.*?)<\/script>/.exec(html) ?? [];
  assert.ok(policy.includes(`'sha256-${createHash('sha256').update(table).digest('base64')}'`));
  assert.doesNotMatch(html.replace(table, ''), /<script(?![^>]*\bsrc=)[^>]*>[^<]|<style| style=| on\w+=/);
});

test('every address in the document is that of a file', async () => {
  const html = (await call('/', undefined, open)).bytes.toString();
  const addresses = [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, address]) => address!);
  assert.ok(addresses.some((address) => address.endsWith(entry)));
  for (const address of addresses) assert.equal((await call(address, undefined, open)).status, 200, address);
});

test('modules are sent without their types, as scripts; styles as styles', async () => {
  const { headers, bytes } = await call(`/page/${entry}`, undefined, open);
  assert.equal(headers['content-type'], 'text/javascript; charset=utf-8');
  assert.match(bytes.toString(), /^import \{ html/);
  assert.doesNotMatch(await textOf('page/app/store.ts'), /interface|readonly|: State\b/);
  const style = await call('/page/page/app/style/1-tokens.css', undefined, open);
  assert.equal(style.headers['content-type'], 'text/css; charset=utf-8');
});

test('every module is a program that parses, and runs no text as code', async () => {
  assert.ok(modules.length > 40);
  for (const name of modules) {
    const text = await textOf(name);
    // Imported by its text, it fails where its first import is looked up, which comes after parsing.
    await assert.rejects(
      import(`data:text/javascript,${encodeURIComponent(`import 'nowhere:';${text}`)}`),
      (error: Error) => !(error instanceof SyntaxError),
      name,
    );
    if (!name.startsWith('packages/')) assert.doesNotMatch(text, /\beval\(|\bFunction\(|innerHTML/, name);
  }
});

test('whatever a module imports, now or later, is a file of the page', async () => {
  let seen = 0;
  for (const name of modules) {
    for (const specifier of importsOf(await textOf(name), { all: true })) {
      const file = importedFile(name, specifier, importMap.imports);
      assert.ok(file !== null && names.includes(file), `${name} imports ${specifier}`);
      seen++;
    }
  }
  assert.ok(seen > 100);
});

test('there is no other file: none beside them, above them, or by another spelling', async () => {
  const others = [
    'x.ts',
    'page/files.ts',
    'page/README.md',
    'page/app/../files.ts',
    '../package.json',
    '..%2f..%2fpackage.json',
    '%2e%2e/%2e%2e/package.json',
    'page%5Capp%5Cmain.ts',
    'page/app/main.ts%00',
    'page/app/',
    '/page/app/main.ts',
    'file:///etc/passwd',
    'client/client.ts',
    'routes/page.ts',
    '__proto__',
  ];
  for (const name of others) assert.equal((await call(`/page/${name}`, undefined, open)).status, 404, name);
  for (const name of names)
    assert.match(name, /^(page\/app|packages)\/|^client\/(addresses|request)\.[jt]s$/);
});

test('what the browser has is not sent again', async () => {
  const { headers } = await call(`/page/${entry}`, undefined, open);
  const etag = headers['etag']!;
  const again = await call(`/page/${entry}`, undefined, {
    headers: { ...open.headers, 'if-none-match': etag },
  });
  assert.deepEqual([again.status, again.bytes.length], [304, 0]);
});

test('a browser that takes it gets less', async () => {
  const plain = await call('/page/packages/socket.io-client.js', undefined, open);
  const small = await call('/page/packages/socket.io-client.js', undefined, {
    headers: { ...open.headers, 'accept-encoding': 'br' },
  });
  assert.equal(small.headers['content-encoding'], 'br');
  assert.ok(small.bytes.length < plain.bytes.length / 2);
});

test('a file that is gone, since the program was replaced, is as it was; one that was never read says so', async () => {
  let gone = false;
  const files = openPageFiles((path) =>
    gone ? Promise.reject(new Error('ENOENT')) : readFile(path, 'utf8'),
  );
  const before = await files.content(entry);
  gone = true;
  assert.ok(before);
  assert.equal(await files.content(entry), before);
  const other = files.names.find((name) => name !== entry)!;
  await assert.rejects(files.content(other), (error) => {
    assert.ok(pageErrors.PAGE_FILE_GONE.is(error));
    assert.match(
      error.message,
      new RegExp(`^${other} cannot be read: the program was replaced .* restart the service$`),
    );
    return true;
  });
});
