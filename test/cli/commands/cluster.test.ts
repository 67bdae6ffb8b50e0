import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import type { Installation } from '../../../actors/installation.ts';
import { cluster } from '../../../cli/commands/cluster.ts';
import { fakeHome } from '../fake-context.ts';

const set = 'postgres://db/settings';
const given = 'postgres://db/given';

/** Which database a command opens, and what it does there. */
async function asked(t: TestContext, args: readonly string[], env: Record<string, string>) {
  const done: string[] = [];
  const counts = { changes: 0, queued_jobs: 0, active_jobs: 0, failed_jobs: 0 };
  const admin = {
    status: async () => ({ nodes: [], ...counts }),
    drain: async (node: string, draining: boolean) => void done.push(`drain ${node} ${draining}`),
    remove: async (node: string) => void done.push(`remove ${node}`),
    close: async () => void done.push('closed'),
  };
  const open = async (url: string) => {
    done.push(url);
    return admin;
  };
  const installation = async () => ({ cluster: open }) as unknown as Installation;
  await cluster(args, fakeHome(t, env).context({ installation }));
  return done;
}

test('the cluster is that of the command line, else that of the settings', async (t) => {
  const env = { FRAMEHOUND_CLUSTER: set };
  assert.deepEqual(await asked(t, ['status'], env), [set, 'closed']);
  assert.deepEqual(await asked(t, ['--cluster', given], env), [given, 'closed']);
  assert.deepEqual(await asked(t, ['drain', 'n1', '--cluster', given], {}), [
    given,
    'drain n1 true',
    'closed',
  ]);
  assert.deepEqual(await asked(t, ['remove', 'n1', '--cluster', given], {}), [given, 'remove n1', 'closed']);
  await assert.rejects(asked(t, ['status'], {}), /no cluster is named: .* or use --cluster/);
  await assert.rejects(asked(t, ['status', '--cluster', 'db'], {}), /begins with postgres/);
});
