import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { readXml, type XmlElement } from '../../../../actors/decoder/probe/xml.ts';
import { readXmp } from '../../../../actors/decoder/probe/xmp.ts';
import { isOurs } from '../../../../actors/exporter/sidecars/sidecars.ts';
import { storedBox, writeSidecar } from '../../../../actors/exporter/sidecars/write.ts';
import { assertGolden } from '../../../golden.ts';
import { filmFacts, stillFacts } from './facts.ts';

const xmpOf = (facts = stillFacts()) => writeSidecar({ format: 'xmp', facts });

/** As if another program had written it. */
const byAnother = (text: string) => Buffer.from(text.replace('x:xmptk="framehound"', 'x:xmptk="XMP Core"'));

test('the sidecars of a still and of a film are the documents that were read and found right', () => {
  assertGolden('sidecars', {
    'still.json': writeSidecar({ format: 'json', facts: stillFacts() }),
    'still.xmp': xmpOf(),
    'film.json': writeSidecar({ format: 'json', facts: filmFacts() }),
    'film.xmp': xmpOf(filmFacts()),
  });
});

test('keywords and people are read back as they were written', () => {
  assert.deepEqual(readXmp(byAnother(xmpOf())), {
    keywords: ['harbour', 'Straße & Platz', 'boat'],
    people: ['Ann <O’Hara>', 'Bob'],
  });
  assert.deepEqual(readXmp(byAnother(xmpOf(filmFacts()))), { keywords: ['boat'], people: ['Ann', 'Bob'] });
  assert.deepEqual(readXmp(Buffer.from(xmpOf())), { keywords: [], people: [] });
});

test('names and texts of any kind make XML that can be read', () => {
  const odd = 'a\u0000b\u0007 <x> & "y" \uffff \ud800 ]]> &lt; \u2028 z';
  const facts = {
    ...filmFacts(),
    keywords: [odd],
    people: [
      { name: odd, ranges: [[0, 1] as const], faces: [{ time_seconds: 0, box: [0, 0, 1, 1] as const }] },
    ],
    transcript: [{ ...filmFacts().transcript![0]!, text: odd, speaker_name: odd }],
  };
  const { keywords, people } = readXmp(byAnother(xmpOf(facts)));
  assert.deepEqual([keywords.length, people.length], [1, 1]);
  assert.match(keywords[0]!, /^a b <x> & "y" .* \]\]> &lt; z$/);
});

test('a sidecar without anything to say has no empty lists', () => {
  const facts = stillFacts({ keywords: [], people: [], people_in_xmp: [] });
  assert.doesNotMatch(xmpOf(facts), /rdf:Bag|mwg-rs:Regions/);
});

test('a still of which nobody knows how it is turned names people without regions', () => {
  const text = xmpOf(stillFacts({ orientation: null }));
  assert.doesNotMatch(text, /mwg-rs:Regions/);
  assert.deepEqual(readXmp(byAnother(text)).people, ['Ann <O’Hara>', 'Bob']);
});

test('our own files are known by their beginning, and no others', () => {
  for (const format of ['json', 'xmp'] as const) {
    assert.ok(isOurs(writeSidecar({ format, facts: stillFacts() }).slice(0, 1024)), format);
  }
  for (const text of [
    '',
    '{"written_by":"other"}',
    '{"a":1,"written_by":"framehound"}',
    String(byAnother(xmpOf())),
  ])
    assert.equal(isOurs(text.slice(0, 1024)), false, text.slice(0, 40));
});

test('a region lies over the same pixels of the stored picture as the face does of the shown one', async () => {
  const [width, height] = [40, 20];
  // A white patch that no turn and no mirror brings back to its place.
  const patch = { left: 4, top: 2, width: 8, height: 3 };
  const drawn = await sharp({ create: { width, height, channels: 3, background: '#000000' } })
    .composite([
      {
        input: { create: { width: patch.width, height: patch.height, channels: 3, background: '#ffffff' } },
        left: patch.left,
        top: patch.top,
      },
    ])
    .png()
    .toBuffer();
  const stored = [patch.left / width, patch.top / height, patch.width / width, patch.height / height];
  for (let orientation = 1; orientation <= 8; orientation++) {
    const turned = await sharp(drawn).withMetadata({ orientation }).png().toBuffer();
    const { data, info } = await sharp(turned).autoOrient().raw().toBuffer({ resolveWithObject: true });
    const lit = Array.from({ length: info.width * info.height }, (_, at) => at).filter(
      (at) => data[at * info.channels]! > 128,
    );
    const [xs, ys] = [lit.map((at) => at % info.width), lit.map((at) => Math.floor(at / info.width))];
    const [left, top] = [Math.min(...xs), Math.min(...ys)];
    const shown = [
      left / info.width,
      top / info.height,
      (Math.max(...xs) + 1 - left) / info.width,
      (Math.max(...ys) + 1 - top) / info.height,
    ] as const;
    const box = storedBox(shown, orientation);
    for (const [i, value] of box.entries())
      assert.ok(Math.abs(value - stored[i]!) < 1e-9, `${orientation}: ${box} is not ${stored}`);
  }
});

test('the size that regions apply to is that of the stored pixels', () => {
  const sizeOf = (orientation: number) => {
    const all: XmlElement[] = [readXml(xmpOf(stillFacts({ orientation })))];
    for (const element of all) all.push(...element.elements);
    const found = all.find(({ name }) => name.endsWith('AppliedToDimensions'))!;
    return ['w', 'h'].map((side) =>
      found.attributes.get(`http://ns.adobe.com/xap/1.0/sType/Dimensions#${side}`),
    );
  };
  assert.deepEqual(sizeOf(1), ['3000', '4000']);
  assert.deepEqual(sizeOf(3), ['3000', '4000']);
  assert.deepEqual(sizeOf(6), ['4000', '3000']);
});
