import assert from 'node:assert/strict';
import test from 'node:test';
import { arrange } from '../../../../actors/exporter/timeline/arrange.ts';
import { fcpxml } from '../../../../actors/exporter/timeline/fcpxml.ts';
import { pathUrl } from '../../../../actors/exporter/timeline/model.ts';
import { xmeml } from '../../../../actors/exporter/timeline/xmeml.ts';
import { cut } from './cut.ts';
import { matchesGolden } from './golden.ts';
import { film, item, known, rates, request } from './sources.ts';

test('a cut is the XMEML that was read by hand', () => {
  matchesGolden('cut.xml', xmeml(cut().timeline));
});

test('a file is described once and referred to after that, in the order of the document', () => {
  const text = xmeml(cut().timeline);
  assert.equal(text.match(/<pathurl>/g)!.length, 5);
  const files = [...text.matchAll(/<file id="([^"]+)"(\/?)>/g)].map(([, id, closed]) => [id, closed === '/']);
  const seen = new Set<string>();
  for (const [id, isReference] of files as [string, boolean][]) {
    assert.equal(isReference, seen.has(id), id);
    seen.add(id);
  }
});

test('a picture is without its sound, and every rate says whether it is NTSC', () => {
  const facts = known(film('/a', { rate: rates['23.976'] }));
  const text = xmeml(arrange(request([item('/a', 0, 1)]), facts).timeline);
  assert.doesNotMatch(text, /<link>|<mediatype>audio/);
  assert.match(text, /<channelcount>2</);
  assert.deepEqual(
    new Set(text.match(/<timebase>.*\n.*<ntsc>\w+/g)!.map((one) => one.replace(/\s+/g, ''))),
    new Set(['<timebase>24</timebase><ntsc>TRUE']),
  );
});

test('what looks like a reference in a name is the name', () => {
  const facts = known(film('/a'));
  const name = 'R&B; &amp; &#0; &lt; ]]>';
  const { timeline } = arrange(request([item('/a', 0, 1, { name })], { sequence_name: name }), facts);
  const written = 'R&amp;B; &amp;amp; &amp;#0; &amp;lt; ]]&gt;';
  assert.equal(xmeml(timeline).split(`<name>${written}</name>`).length, 3);
  assert.equal(fcpxml(timeline).split(` name="${written}"`).length, 4);
});

test('addresses are percent-encoded: spaces, letters of any script, drives and shares of Windows', () => {
  const urls: readonly (readonly [string, string])[] = [
    ['/a b/ü#1?.mov', 'file://localhost/a%20b/%C3%BC%231%3F.mov'],
    ["/100%/it's (1)!.mov", 'file://localhost/100%25/it%27s%20%281%29%21.mov'],
    ['/日本/a&b.mov', 'file://localhost/%E6%97%A5%E6%9C%AC/a%26b.mov'],
    ['C:\\My Films\\a.mov', 'file://localhost/C%3A/My%20Films/a.mov'],
    ['\\\\nas\\films\\a b.mov', 'file://nas/films/a%20b.mov'],
    ['\\\\?\\D:\\long\\a.mov', 'file://localhost/D%3A/long/a.mov'],
    ['\\\\?\\UNC\\nas\\films\\a.mov', 'file://nas/films/a.mov'],
    ['/back\\slash.mov', 'file://localhost/back%5Cslash.mov'],
  ];
  for (const [path, url] of urls) assert.equal(pathUrl(path, 'localhost'), url);
  assert.equal(pathUrl('/a b', ''), 'file:///a%20b');
  for (const [path, url] of urls.filter(([path]) => path.startsWith('/')))
    assert.equal(decodeURIComponent(url.slice('file://localhost'.length)), path);
});
