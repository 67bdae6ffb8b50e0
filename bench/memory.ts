// Whether memory stays flat: the same films are analysed again and again for some minutes; resident memory after the first
// minute is compared with the end. FRAMEHOUND_BENCH_MINUTES sets how long (10 when left out).

import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AnalysisEvent, WorkResult } from '../actors/analysis/contract.ts';
import { startEngine } from '../main.ts';
import { resolveConfig } from '../runtime/config.ts';
import { createLog } from '../runtime/log.ts';
import { formatLine } from '../runtime/process/log-line.ts';
import { settings } from '../settings.ts';
import { footage, kinds } from './footage.ts';
import { median, type Question } from './row.ts';
import { sized } from './size.ts';

const minutes = Number(process.env['FRAMEHOUND_BENCH_MINUTES'] ?? sized(10, 0.05));

export const memory: Question = async (say) => {
  const film = await footage(kinds.h264Gop12, say);
  const home = mkdtempSync(join(tmpdir(), 'framehound-memory-'));
  const log = createLog('bench', (line) => process.stderr.write(formatLine(line)), { level: 'warn' });
  const { values } = resolveConfig(settings, {
    flags: {},
    env: {},
    file: { home, hardware_decoding: 'off' },
  });
  const engine = await startEngine(values, availableParallelism(), log);
  const samples: { minute: number; megabytes: number }[] = [];
  const start = performance.now();
  const minute = () => (performance.now() - start) / 60_000;
  let rounds = 0;
  try {
    say(`${minutes} minutes of ingesting in a loop`);
    while (minute() < minutes) {
      const request = {
        cache_dir: join(home, 'cache'),
        paths: [film.path],
        speech: [],
        face_jobs: [],
        summary_jobs: [],
        model_key: values.model,
        decode: 'exact' as const,
        force: true,
      };
      const signal = new AbortController().signal;
      const results: WorkResult[] = [];
      const onEvent = (event: AnalysisEvent) => {
        if (event.type === 'result') results.push(event.result);
      };
      await engine.analysis.run({ task_id: 'bench', request, earlier: null }, { signal, onEvent });
      if (results[0]?.outcome !== 'analyzed')
        throw new Error(`${results[0]?.path}: ${results[0]?.error?.message}`);
      rounds++;
      samples.push({ minute: minute(), megabytes: process.memoryUsage.rss() / 1e6 });
    }
  } finally {
    await engine.stop();
    rmSync(home, { recursive: true, force: true });
  }
  const part = (from: number, to: number) =>
    median(samples.filter(({ minute }) => minute >= from && minute < to).map(({ megabytes }) => megabytes));
  const early = part(Math.min(1, minutes * 0.1), Math.min(2, minutes * 0.25));
  const late = part(minutes * 0.85, minutes + 1);
  return [
    {
      question: 'memory',
      name: `growth over ${minutes} minutes, ${rounds} films`,
      value: (late / early - 1) * 100,
      unit: '%',
      against: { name: 'MB after the first minute', value: early },
      ratio: null,
      goal: { of: 'value', at: 'most', than: 5 },
    },
  ];
};
