// Timelines as an independent reader sees them: OpenTimelineIO, where python3 has it.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { arrange } from '../../../../actors/exporter/timeline/arrange.ts';
import { edl } from '../../../../actors/exporter/timeline/edl.ts';
import { pathUrl, type Timeline } from '../../../../actors/exporter/timeline/model.ts';
import { otio } from '../../../../actors/exporter/timeline/otio.ts';
import { xmeml } from '../../../../actors/exporter/timeline/xmeml.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { cut } from './cut.ts';
import { film, item, known, rates, request } from './sources.ts';

const reader = fileURLToPath(new URL('./read_back.py', import.meta.url));
const folder = temporaryFolder();

/** The reason why it cannot be read back; false where it can. */
function skipWithout(adapter: string): string | false {
  const ask = `import opentimelineio as o, sys; sys.exit('${adapter}' not in o.adapters.available_adapter_names())`;
  const found = spawnSync('python3', ['-c', ask], { stdio: 'ignore' }).status === 0;
  return found ? false : `needs OpenTimelineIO with its adapter ${adapter} in python3, which is not here`;
}

interface ReadClip {
  readonly kind: string;
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly url: string | null;
}

function read(name: string, text: string, { rate }: Timeline): ReadClip[] {
  const path = join(folder, name);
  writeFileSync(path, text);
  const said = execFileSync('python3', [reader, path, String(rate.num / rate.den)], { encoding: 'utf8' });
  const lines = said.trim().split('\n');
  return lines.map((line) => JSON.parse(line) as ReadClip);
}

/** As the model has them, in seconds. */
function placed({ video, audio, rate }: Timeline) {
  const seconds = (frame: number) => (frame * rate.den) / rate.num;
  return [...video, ...audio].flatMap(({ clips }) =>
    clips.map(({ name, start, end }) => ({ name, start: seconds(start), end: seconds(end) })),
  );
}

function assertSame(found: readonly ReadClip[], timeline: Timeline): void {
  const expected = placed(timeline);
  assert.deepEqual(
    found.map(({ name }) => name),
    expected.map(({ name }) => name),
  );
  for (const [i, { start, end, name }] of expected.entries()) {
    assert.ok(Math.abs(found[i]!.start - start) < 1e-6, `${name} starts at ${found[i]!.start}, not ${start}`);
    assert.ok(Math.abs(found[i]!.end - end) < 1e-6, `${name} ends at ${found[i]!.end}, not ${end}`);
  }
}

test('XMEML is read back frame by frame', { skip: skipWithout('fcp_xml') }, () => {
  const { timeline } = cut();
  const found = read('cut.xml', xmeml(timeline), timeline);
  assertSame(found, timeline);
  assert.equal(found[0]!.url, pathUrl(timeline.sources[0]!.path, 'localhost'));
});

test('OpenTimelineIO reads back its own form', { skip: skipWithout('otio_json') }, () => {
  const { timeline } = cut();
  assertSame(read('cut.otio', otio(timeline), timeline), timeline);
});

test('an EDL is read back, with drop-frame and without', { skip: skipWithout('cmx_3600') }, () => {
  for (const dropFrame of [true, false]) {
    const timecode = { frame: 107_892, rate: rates['29.97'], dropFrame };
    const facts = known(film('/a.mov', { rate: rates['29.97'], timecode }));
    const { timeline } = arrange(request([item('/a.mov', 1, 2), item('/a.mov', 58.5, 63)]), facts);
    assertSame(read('cut.edl', edl(timeline), timeline), timeline);
  }
});
