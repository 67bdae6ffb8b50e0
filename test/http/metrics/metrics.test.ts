import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import type { TaskEvent, WorkOutcome } from '../../../actors/analysis/contract.ts';
import type { ModelState } from '../../../actors/models/contract.ts';
import { type MetricFamily, renderFamilies, single } from '../../../http/metrics/exposition.ts';
import { createTaskMeter } from '../../../http/metrics/meters.ts';
import {
  createMetrics,
  createRequestMeter,
  LATENCY_BOUNDS,
  type MetricsSources,
} from '../../../http/metrics/metrics.ts';
import { health, healthRoutes, notReadyReasons, readyz } from '../../../http/routes/health.ts';
import type { Service } from '../../../http/service.ts';
import type { ChildState } from '../../../runtime/child.ts';
import { createSlotPool } from '../../../runtime/slots.ts';
import { progress } from '../../events/task-events.ts';
import { manualClock } from '../../runtime/manual-clock.ts';
import { fakeWatchFolders } from '../fake-watch-folders.ts';
import { inject } from '../inject.ts';
import { readExposition } from './exposition.ts';

const ready: ModelState = {
  model_key: 'starter-visual-3',
  is_loading: false,
  requested_model_key: 'starter-visual-3',
  load_status: 'ready',
  fallback_from: null,
  error: null,
  device: 'cpu',
  device_reason: null,
};

const actor = (name: string, phase: ChildState['phase'] = 'ready', reason = ''): ChildState => ({
  name,
  phase,
  reason,
  restarts: 2,
  waiting: 3,
  running: 1,
});

function sourcesWith(changes: Partial<MetricsSources> = {}): MetricsSources {
  return {
    routes: healthRoutes,
    states: () => [actor('index'), actor('decoder-0', 'down')],
    slots: createSlotPool(4, 1),
    models: { state: ready, loads: { ready: 1, failed: 1, seconds: 2 } },
    watchFolders: fakeWatchFolders(),
    clips: { counts: { encoded: new Map([['h264_nvenc', 8]]), failed: new Map([['h264_nvenc', 9]]) } },
    clock: manualClock(),
    inFlight: () => 5,
    eventClients: () => 6,
    engineRestarts: 7,
    version: '0.1.0',
    ...changes,
  };
}

test('the exposition text is valid for any labels and numbers', () => {
  const value = fc.oneof(fc.nat(), fc.double({ noNaN: true }));
  const label = fc.stringMatching(/^[a-z]\w{0,5}$/).filter((name) => name !== 'le');
  const sample = fc.record({ labels: fc.dictionary(label, fc.string({ unit: 'grapheme' })), value });
  const gauge = fc.record({
    type: fc.constant('gauge' as const),
    name: fc.constant('a_thing'),
    help: fc.string({ minLength: 1 }),
    samples: fc.uniqueArray(sample, { selector: ({ labels }) => JSON.stringify(labels) }),
  });
  fc.assert(
    fc.property(gauge, (family) => {
      const read = readExposition(renderFamilies([family, single('counter', 'b_total', 'B.', 1)]));
      const values = family.samples.map(({ value: own }) => own);
      // -0 is written as 0.
      assert.deepEqual([...read.get('a_thing')!.samples.values()].map(String), values.map(String));
    }),
  );
});

test('labels are escaped so that no value ends a label, a line or a family', () => {
  const family: MetricFamily = {
    type: 'gauge',
    name: 'x',
    help: 'two\nlines \\',
    samples: [{ labels: { path: 'a"b\\c\nd' }, value: 1 }],
  };
  assert.equal(
    renderFamilies([family]),
    '# HELP x two\\nlines \\\\\n# TYPE x gauge\nx{path="a\\"b\\\\c\\nd"} 1\n',
  );
});

test('a histogram is cumulative and every observation is in the first bucket whose bound it does not exceed', () => {
  const seconds = fc.oneof(
    fc.constantFrom(...LATENCY_BOUNDS, 0, 31, 1e6),
    fc.double({ min: 0, max: 60, noNaN: true }),
  );
  fc.assert(
    fc.property(fc.array(seconds, { minLength: 1, maxLength: 50 }), (all) => {
      const meter = createRequestMeter([health]);
      for (const one of all) meter.count(health, 200, one, 0, 0);
      const { samples } = readExposition(renderFamilies(meter.families())).get(
        'framehound_http_request_duration_seconds',
      )!;
      const at = (suffix: string, le = '') =>
        samples.get(
          `framehound_http_request_duration_seconds_${suffix}{method="GET",route="/api/v1/health"${le}}`,
        );
      for (const bound of LATENCY_BOUNDS) {
        assert.equal(at('bucket', `,le="${bound}"`), all.filter((one) => one <= bound).length);
      }
      assert.equal(at('count'), all.length);
      assert.ok(Math.abs(at('sum')! - all.reduce((a, b) => a + b)) <= 1e-6 * (1 + at('sum')!));
    }),
    { numRuns: 50 },
  );
});

test('requests are counted by route and status, those without a route too', () => {
  const meter = createRequestMeter(healthRoutes);
  for (const status of [200, 200, 503, 499]) meter.count(readyz, status, 0.01, 10, 100);
  meter.count(null, 404, 0.001, 1, 2);
  const read = readExposition(renderFamilies(meter.families()));
  assert.deepEqual(Object.fromEntries(read.get('framehound_http_requests_total')!.samples), {
    'framehound_http_requests_total{method="",route="(none)",status="404"}': 1,
    'framehound_http_requests_total{method="GET",route="/readyz",status="200"}': 2,
    'framehound_http_requests_total{method="GET",route="/readyz",status="499"}': 1,
    'framehound_http_requests_total{method="GET",route="/readyz",status="503"}': 1,
  });
  assert.deepEqual([...read.get('framehound_http_body_bytes_total')!.samples.values()], [41, 402]);
});

test('frames and files are counted from task events, and a counter never goes down', () => {
  const meter = createTaskMeter();
  const frames = (done: number): TaskEvent => progress(0, { amounts: { video: { done, all: 100 } } });
  const result = (outcome: WorkOutcome): TaskEvent => ({
    type: 'result',
    result: {
      path: '/a',
      type: 'video',
      hash_str: null,
      outcome,
      reason: outcome === 'not_applicable' ? 'no_picture' : null,
      facts: { frames: 9, missing_frames: 1 },
      duration_seconds: 9,
      error: null,
    },
  });
  const read = () => readExposition(renderFamilies(meter.families()));
  const value = (key: string) => read().get(key.replace(/\{.*/, ''))!.samples.get(key);

  meter.listener('a', { type: 'start', files: 2, types: ['video'] });
  assert.equal(value('framehound_tasks_running'), 1);
  const seen = [10, 30, 5, 20, 31].map((count) => {
    meter.listener('a', frames(count));
    return value('framehound_frames_total');
  });
  assert.deepEqual(seen, [10, 30, 30, 30, 31]);
  meter.listener('a', result('analyzed'));
  meter.listener('a', result('failed'));
  meter.listener('a', { type: 'end', state: 'completed', error: null });
  // Resumed: its frames are counted from nothing again.
  meter.listener('a', { type: 'start', files: 2, types: ['video'] });
  meter.listener('a', frames(4));
  assert.deepEqual(
    [
      value('framehound_frames_total'),
      value('framehound_files_total{outcome="analyzed"}'),
      value('framehound_files_total{outcome="failed"}'),
      value('framehound_files_total{outcome="stored"}'),
      value('framehound_missing_frames_total'),
      value('framehound_tasks_total{state="completed"}'),
      value('framehound_tasks_running'),
      value('framehound_audio_seconds_total'),
    ],
    [35, 1, 1, 0, 2, 1, 1, 0],
  );
});

test('the metrics show actors, slots, model, clients, restarts and the process', async () => {
  const slots = createSlotPool(4, 1);
  const holder = slots.holder();
  const held = await slots.acquire(holder);
  const metrics = createMetrics(sourcesWith({ slots }));
  const families = readExposition(await metrics.render());
  const all = new Map([...families.values()].flatMap(({ samples }) => [...samples]));
  const expected: Record<string, number> = {
    'framehound_actor_phase{actor="index",phase="ready"}': 1,
    'framehound_actor_phase{actor="index",phase="down"}': 0,
    'framehound_actor_phase{actor="decoder-0",phase="down"}': 1,
    'framehound_actor_queue_depth{actor="index"}': 3,
    'framehound_actor_turns{actor="index"}': 1,
    'framehound_actor_restarts_total{actor="index"}': 2,
    'framehound_slots{state="free"}': 3,
    'framehound_slots{state="used"}': 1,
    framehound_slots_waiting: 0,
    'framehound_model_status{kind="visual",status="ready"}': 1,
    'framehound_model_status{kind="visual",status="loading"}': 0,
    'framehound_model_info{kind="visual",model_key="starter-visual-3",device="cpu"}': 1,
    'framehound_model_loads_total{kind="visual",result="ready"}': 1,
    'framehound_model_loads_total{kind="visual",result="failed"}': 1,
    framehound_model_load_seconds_total: 2,
    framehound_http_requests_in_flight: 5,
    'framehound_clips_encoded_total{encoder="libx264"}': 0,
    'framehound_clips_encoded_total{encoder="h264_nvenc"}': 8,
    'framehound_clip_encoder_failures_total{encoder="h264_nvenc"}': 9,
    framehound_event_clients: 6,
    framehound_engine_restarts_total: 7,
    [`framehound_build_info{version="0.1.0",node="${process.versions.node}"}`]: 1,
  };
  for (const [key, value] of Object.entries(expected)) assert.equal(all.get(key), value, key);
  assert.ok(all.get('process_cpu_seconds_total')! > 0);
  assert.ok(all.get('process_resident_memory_bytes')! > 1e7);
  assert.ok(Math.abs(all.get('process_start_time_seconds')! + process.uptime() - Date.now() / 1_000) < 1);
  assert.ok(all.get('framehound_event_loop_delay_seconds{stat="max"}')! >= 0);
  slots.release(held, holder);
  metrics.close();
});

test('an actor that is not ready, a model that loads or failed and a stop are reasons not to be ready', () => {
  const down = actor('decoder-0', 'down', '6 crashes within 60 s');
  const loading: ModelState = { ...ready, model_key: null, load_status: 'loading', is_loading: true };
  const failed: ModelState = { ...ready, model_key: null, load_status: 'failed', error: 'no memory' };
  const unasked: ModelState = {
    ...ready,
    model_key: null,
    requested_model_key: null,
    load_status: 'unavailable',
  };
  const table: [ChildState[], ModelState, boolean, object[]][] = [
    [[actor('index')], ready, false, []],
    [[actor('index')], unasked, false, []],
    [[actor('index'), actor('faces', 'idle')], ready, false, []],
    [
      [actor('index'), down],
      ready,
      false,
      [{ name: 'decoder-0', state: 'down', reason: '6 crashes within 60 s' }],
    ],
    [
      [],
      loading,
      false,
      [{ name: 'visual model', state: 'loading', reason: 'model "starter-visual-3" is loading' }],
    ],
    [[], failed, false, [{ name: 'visual model', state: 'failed', reason: 'no memory' }]],
    [[], ready, true, [{ name: 'service', state: 'stopping', reason: 'the service is stopping' }]],
  ];
  for (const [states, visual, stopping, expected] of table)
    assert.deepEqual(notReadyReasons(states, visual, stopping), expected);
  for (const phase of ['starting', 'stopping', 'stuck'] as const)
    assert.equal(notReadyReasons([actor('a', phase)], ready, false).length, 1);
});

test('livez always answers, readyz gives its reasons, metrics is exposition text, and none needs a key', async () => {
  const metrics = createMetrics(sourcesWith());
  let phase: ChildState['phase'] = 'down';
  let stopping = false;
  const call = inject(
    healthRoutes,
    {
      states: () => [actor('index', phase, 'gone')],
      search: { models: { state: ready } } as Service['search'],
      stopping: () => stopping,
      metrics,
    },
    {
      license: () => ({ ok: false, status: 401, body: { error: 'none', message: 'none' } }),
      observe: metrics.request,
    },
  );
  const down = await call('/readyz');
  assert.deepEqual(
    [down.status, down.body, down.headers['retry-after']],
    [503, { ready: false, reasons: [{ name: 'index', state: 'down', reason: 'gone' }] }, '1'],
  );
  phase = 'ready';
  assert.deepEqual((await call('/readyz')).body, { ready: true, reasons: [] });
  call.app.stopAdmitting();
  stopping = true;
  assert.equal((await call('/readyz')).status, 503);
  assert.deepEqual((await call('/livez')).body, { status: 'ok' });
  const text = await call('/metrics');
  assert.deepEqual(
    [text.status, text.headers['content-type']],
    [200, 'text/plain; version=0.0.4; charset=utf-8'],
  );
  const requests = readExposition(String(text.body)).get('framehound_http_requests_total')!.samples;
  assert.equal(requests.get('framehound_http_requests_total{method="GET",route="/readyz",status="503"}'), 2);
  assert.equal(requests.get('framehound_http_requests_total{method="GET",route="/livez",status="200"}'), 1);
  metrics.close();
});
