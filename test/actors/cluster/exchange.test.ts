// Results in the shared folder: what is sealed is there, also where a share goes away while it is written.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { clusterErrors } from '../../../actors/cluster/contract.ts';
import { ClusterExchange } from '../../../actors/cluster/exchange.ts';
import { type Manifest, manifestFile } from '../../../actors/library/transfer/contract.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

const place = 'results/aa/job-0';
const never = new AbortController().signal;
const names = ['first', 'second'];
const manifest = { files: names.map((path) => ({ path, bytes: path.length })), missing: [] };

/** `between`: called before each file and the manifest, with its number. */
function sharing(t: TestContext, between: (file: number, shared: string) => void) {
  const shared = join(temporaryFolder(t), 'shared');
  mkdirSync(shared);
  const exchange = new ClusterExchange({
    ...{ shared, home: '', roots: '' },
    exportLibrary: async ({ folder }) => {
      for (const [at, name] of [...names, manifestFile].entries()) {
        between(at, shared);
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, name), name);
      }
      return manifest as unknown as Manifest;
    },
    takeLibrary: async () => manifest as unknown as Manifest,
    mergeLibrary: async () => {},
  });
  exchange.expect('a library', true);
  return { shared, exchange };
}

/** As a share that is not mounted: an empty folder. */
function unmount(shared: string): void {
  renameSync(shared, `${shared}-away`);
  mkdirSync(shared);
}

function mountAgain(shared: string): void {
  renameSync(shared, `${shared}-below`);
  renameSync(`${shared}-away`, shared);
}

const isAway = (error: unknown) => clusterErrors.SHARED_FOLDER.is(error);

test('what is written while the share goes away is not sealed, and is not left below it', async (t) => {
  for (const first of [0, 1, 2]) {
    const { shared, exchange } = sharing(t, (file, folder) => {
      if (file === first) unmount(folder);
    });
    await assert.rejects(exchange.seal(place, '', never), isAway);
    assert.equal(existsSync(join(shared, place)), false);
  }
});

test('what is partly elsewhere, because the share was away meanwhile, is not sealed', async (t) => {
  for (const [away, back] of [
    [0, 1],
    [1, 2],
    [0, 2],
  ]) {
    const { exchange } = sharing(t, (file, folder) => {
      if (file === away) unmount(folder);
      if (file === back) mountAgain(folder);
    });
    await assert.rejects(exchange.seal(place, '', never), isAway);
  }
});

test('what is whole is sealed', async (t) => {
  const { exchange } = sharing(t, () => {});
  const sealed = await exchange.seal(place, '', never);
  assert.equal(sealed.place, place);
  await exchange.expectSealed(sealed);
});
