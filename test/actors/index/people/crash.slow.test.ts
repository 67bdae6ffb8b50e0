import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { nodeCommand } from '../../../node-command.ts';
import { sampled } from '../../../shared.ts';
import { folder, indexActor } from '../handlers.ts';
import { cluster, modelKey, people, storeFaces } from './faces.ts';

const [node, ...flags] = nodeCommand;
const program = fileURLToPath(new URL('faces-process.ts', import.meta.url));
const facesEach = 5;

test('a process that is killed at any write leaves what it had committed, and the next one goes on', async (t) => {
  for (const at of sampled([1, 3, 5, 7, 8, 9, 10, 14, 17], 3)) {
    const cache_dir = folder(t);
    const { stdout } = spawnSync(node, [...flags, program, cache_dir, String(at)], { encoding: 'utf8' });
    const said = [...stdout.matchAll(/(stored|clustered) (\S+)/g)];
    const hashes = said.filter(([, what]) => what === 'stored').map(([, , hash]) => hash!);
    const entries = Number(said.findLast(([, what]) => what === 'clustered')?.[2] ?? 0);
    const index = await indexActor(t);
    const { faces } = await index.call('faces_stored', {
      cache_dir,
      model_key: modelKey,
      hashes: [...hashes, (10 + hashes.length).toString(16)],
    });
    assert.deepEqual(faces, [...hashes.map(() => facesEach), null], `killed at ${at}`);
    const { job } = await index.call('cluster_job', { cache_dir, cluster_job_name: 'job' });
    assert.equal(job?.total_entries ?? 0, entries);
    await storeFaces(index, cache_dir, 'ff', [[1], [2]]);
    const { report } = await cluster(index, cache_dir, [...hashes, 'ff']);
    assert.equal(report.faces, hashes.length * facesEach + 2);
    const shown = await people(index, cache_dir);
    const all = [...shown.clusters, shown.noise].flatMap((one) => one.shown);
    assert.equal(new Set(all).size, report.faces);
    const columns = readdirSync(join(cache_dir, 'people')).filter((name) => name.endsWith('.columns'));
    assert.equal(columns.length, 1);
    await index.close();
  }
});
