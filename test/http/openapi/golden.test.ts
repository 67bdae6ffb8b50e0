import test from 'node:test';
import { routes } from '../../../http/routes.ts';
import { assertGolden, goldenJson } from '../../golden.ts';
import { inject } from '../inject.ts';

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly tags: readonly string[] }>>>>;
  readonly components: { readonly schemas: object };
  readonly 'x-events': object;
}

test('/openapi.json is as it was', async () => {
  const { body } = await inject(routes, {})('/openapi.json');
  const { paths, components, 'x-events': events, ...head } = body as Document;
  const { schemas, ...shared } = components;
  const tagOf = ([, methods]: [string, Document['paths'][string]]) => Object.values(methods)[0]!.tags[0]!;
  const byTag = Map.groupBy(Object.entries(paths), tagOf);
  const operations = [...byTag].map(([tag, some]) => [
    `paths-${tag.toLowerCase().replaceAll(' ', '-')}.json`,
    goldenJson(Object.fromEntries(some)),
  ]);
  assertGolden('openapi', {
    'document.json': goldenJson({ ...head, components: shared }),
    'events.json': goldenJson(events),
    'schemas.json': goldenJson(schemas),
    ...Object.fromEntries(operations),
  });
});
