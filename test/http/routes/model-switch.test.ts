import assert from 'node:assert/strict';
import test from 'node:test';
import type { Search } from '../../../actors/search/contract.ts';
import { loadModel } from '../../../http/routes/models.ts';
import type { Service } from '../../../http/service.ts';
import { inject } from '../inject.ts';

test('the model is not switched under a task that runs or is about to start', async () => {
  const loads: string[] = [];
  const state = { model_key: 'first', is_loading: false };
  const models = {
    state,
    current: (key: string) => key,
    load: async (key: string) => ({ ...state, model_key: loads.push(key) && key }),
  };
  const row = { key: 'second', kind: 'visual' };
  const service = {
    search: { models } as unknown as Search,
    models: { system: 'linux', list: async () => ({ models: [{ row, downloaded: true }], problems: [] }) },
  };
  const load = (tasks: { busy: boolean; running: string | null }) =>
    inject([loadModel], { ...service, tasks } as unknown as Service)(loadModel.path, { model_key: 'second' });
  for (const running of ['a-task', null]) {
    const { status, headers, body } = await load({ busy: true, running });
    assert.equal(status, 409);
    assert.ok(headers['retry-after']);
    assert.equal((body as { loaded_model: unknown }).loaded_model, 'first');
  }
  assert.deepEqual(loads, []);
  assert.equal((await load({ busy: false, running: null })).status, 200);
  assert.deepEqual(loads, ['second']);
});
