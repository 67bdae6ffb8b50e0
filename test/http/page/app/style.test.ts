// What nobody sees any more is found: rules of style for classes that no module names, and texts that none
// says.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';

const app = join(import.meta.dirname, '../../../../http/page/app');
const read = (pattern: string) =>
  globSync(pattern, { cwd: app }).map((path) => ({ path, text: readFileSync(join(app, path), 'utf8') }));
const modules = read('**/*.ts').filter(({ path }) => !path.startsWith('words'));
const source = modules.map(({ text }) => text).join('\n');
/** Every word that can be a class or a key, as modules write them. */
const named = new Set(source.match(/[\w-]+/g));

test('each class that has a style stands in a module', () => {
  // The frame puts them together.
  const views = new Set(read('views/*/view.ts').map(({ path }) => `view-${path.split(/[\\/]/)[1]}`));
  for (const { path, text } of read('**/*.css')) {
    const rules = text.replace(/\/\*[\s\S]*?\*\//g, '').matchAll(/([^{}]+)\{/g);
    const classes = [...rules].flatMap(([, selector]) => selector!.match(/\.-?[a-z][\w-]*/gi) ?? []);
    assert.ok(classes.length > 0 || path.includes('1-tokens') || path.includes('2-base'), path);
    const unused = classes.map((one) => one.slice(1)).filter((one) => !named.has(one) && !views.has(one));
    assert.deepEqual(unused, [], path);
  }
});

/** Said by a name that the service gives. */
const tablesOfNames = ['facetWords', 'optionWords', 'thingWords', 'uses'];
const keysOfNames = ['exact', 'strong', 'flag', 'environment', 'sightHow', 'speechHow', 'visualHow'];

test('each text is said by a module', async () => {
  for (const { path } of read('words/*.ts')) {
    const tables = (await import(join(app, path))) as Record<string, Record<string, unknown>>;
    for (const [name, table] of Object.entries(tables)) {
      if (tablesOfNames.includes(name)) continue;
      const isSaid = (key: string) => new RegExp(`[.'"]${key}\\b`).test(source) || keysOfNames.includes(key);
      assert.deepEqual(
        Object.keys(table).filter((key) => !isSaid(key)),
        [],
        `${path} ${name}`,
      );
    }
  }
});
