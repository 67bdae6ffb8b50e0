// What a service says of the cluster that it is in.
import assert from 'node:assert/strict';
import test from 'node:test';
import { type ClusterStatus, clusterErrors } from '../../../actors/cluster/contract.ts';
import { healthRoutes } from '../../../http/routes/health.ts';
import { inject } from '../inject.ts';

const status: ClusterStatus = {
  nodes: [
    {
      ...{ id: 'a', name: 'cut1', version: '1.2.3', roles: ['front'], seen_seconds: 0.5 },
      ...{ clock_seconds: 0, behind: 2, draining: false, working: ['root:footage/a.mov'] },
      ...{ home: '/home/one', unreadable_roots: ['stills'] },
    },
  ],
  ...{ changes: 7, queued_jobs: 1, active_jobs: 2, failed_jobs: 3 },
};

test('the machines of a cluster are those that its database knows, and nothing without a cluster', async () => {
  const asked = (cluster: object | null) => inject(healthRoutes, { cluster } as never)('/api/v1/cluster');
  const known = await asked({ status: async () => status });
  assert.deepEqual([known.status, known.body], [200, { cluster: status }]);
  assert.deepEqual((await asked(null)).body, { cluster: null });
  const away = await asked({
    status: async () => {
      throw clusterErrors.DATABASE_AWAY();
    },
  });
  assert.equal(away.status, 503);
  assert.ok(away.headers['retry-after']);
});

test('a node that cannot do all that it is for is not ready, and says why', async () => {
  const troubles = ['it takes no files of the root footage: /mnt/footage is empty: is it mounted?'];
  const answer = await inject(healthRoutes, {
    states: () => [],
    stopping: () => false,
    search: { models: { state: { load_status: 'ready' } }, restoring: false },
    cluster: { standing: () => ({ troubles }) },
  } as never)('/readyz');
  const reasons = [{ name: 'cluster', state: 'failed', reason: troubles[0] }];
  assert.deepEqual([answer.status, answer.body], [503, { ready: false, reasons }]);
});
