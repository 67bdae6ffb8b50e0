// What the interfaces of the client cost a program that imports them to type-check, against an empty program.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { declarationsText } from '../http/client/declarations.ts';
import { alternate, type Question } from './row.ts';

const tsc = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));

const program = `import type { Methods } from './methods.d.ts';

declare const client: Methods<object>;
const cache_dir = '/analysis';
const { task_id } = await client.analyze({ cache_dir, visual_media_paths: ['/film.mp4'] });
for (;;) {
  const { state } = await client.getTask({ task_id, limit: 1 });
  if (state !== 'running') break;
}
await client.loadAnalysisData({ cache_dir });
const { matches } = await client.searchText({ query: 'red car at night', cache_dir });
for (const { video_path, timestamp } of matches) {
  const requests = [{ media_path: video_path, time_seconds: 1 }];
  const { thumbnails } = await client.thumbnails({ cache_dir, requests });
  const [first] = thumbnails;
  if (first?.thumbnail) void timestamp.slice(0, 8);
}
const { tasks } = await client.listTasks({ limit: 5 });
export const states = tasks.map(({ state }) => state);
`;

export const clientTypes: Question = async (_say, folder) => {
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'methods.d.ts'), await declarationsText());
  const withClient = project(folder, 'client', program);
  const bare = project(folder, 'empty', 'export {};\n');
  const times = await alternate(7, { client: () => checked(withClient), empty: () => checked(bare) });
  return [
    {
      question: 'client-types',
      name: 'type-check of a program of 20 lines',
      value: times.client,
      unit: 'ms',
      against: { name: 'an empty program', value: times.empty },
      ratio: times.empty / times.client,
      goal: { of: 'ratio', at: 'least', than: 0.5 },
    },
  ];
};

/** Path of its settings. */
function project(folder: string, name: string, text: string): string {
  writeFileSync(join(folder, `${name}.ts`), text);
  const lib = ['es2022', 'dom'];
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: 'nodenext',
    target: 'es2022',
    lib,
    types: [],
  };
  const file = join(folder, `tsconfig.${name}.json`);
  writeFileSync(file, JSON.stringify({ compilerOptions, files: [`${name}.ts`] }));
  return file;
}

/** Milliseconds. */
function checked(settings: string): number {
  const began = performance.now();
  const { status, stdout } = spawnSync(process.execPath, [tsc, '--project', settings], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stdout);
  return performance.now() - began;
}
