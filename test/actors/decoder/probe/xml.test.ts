import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readXml, XmlError } from '../../../../actors/decoder/probe/xml.ts';
import { draws } from '../../../shared.ts';

test('names are read with their namespaces, and references as characters', () => {
  const text = `<?xml version="1.0"?><!-- a --><a:one xmlns:a="urn:a/" xmlns="urn:b/" a:x="1 &lt; 2" y='&#x41;'>
    <two>&amp;<![CDATA[<&]]>&#66;</two><three xmlns:a="urn:c/" a:z=""/></a:one>`;
  const root = readXml(text);
  assert.equal(root.name, 'urn:a/one');
  assert.deepEqual(Object.fromEntries(root.attributes), { 'urn:a/x': '1 < 2', y: 'A' });
  const [two, three] = root.elements;
  assert.deepEqual([two?.name, two?.text], ['urn:b/two', '&<&B']);
  assert.deepEqual([three?.name, [...three!.attributes.keys()]], ['urn:b/three', ['urn:c/z']]);
});

test('what is not well-formed is refused with the reason', () => {
  const rows = [
    ['<a><b></a>', /unexpected close tag/],
    ['<a>', /unclosed tag: a/],
    ['<a/><b/>', /documents may contain only one root/],
    ['<a/>text', /text data outside of root node/],
    ['', /document must contain a root element/],
    ['<a b=1/>', /unquoted attribute value/],
    ['<a b="1" b="2"/>', /duplicate attribute: b/],
    ['<a>&nbsp;</a>', /undefined entity/],
    ['<a>&#0;</a>', /malformed character entity/],
    ['<a>&#xD800;</a>', /malformed character entity/],
    ['<p:a/>', /unbound namespace prefix: "p"/],
    ['<a b="1', /unexpected end/],
    ['<!-- open', /must contain a root element/],
  ] as const;
  for (const [text, reason] of rows)
    assert.throws(
      () => readXml(text),
      (error: Error) => error instanceof XmlError && reason.test(error.message),
      text,
    );
});

test('entities cannot be declared, so nothing expands', () => {
  const levels = Array.from({ length: 9 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join(
    '',
  );
  const laughs = `<!DOCTYPE a [<!ENTITY l0 "ha">${levels}]><a>&l9;</a>`;
  assert.throws(() => readXml(laughs), /declares a document type/);
  const outside = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>';
  assert.throws(() => readXml(outside), /declares a document type/);
});

test('depth, elements and attributes are bounded', () => {
  assert.throws(() => readXml('<a>'.repeat(100_000)), /more than 64 levels/);
  assert.throws(() => readXml(`<a>${'<b/>'.repeat(60_000)}</a>`), /more than 50000 elements/);
  const attributes = Array.from({ length: 20_000 }, (_, i) => `b${i}="1"`).join(' ');
  assert.throws(() => readXml(`<a ${attributes}/>`), /more than 2000 attributes/);
});

test('arbitrary texts are read or refused, and nothing else is thrown', () => {
  const piece = fc.constantFrom(
    '<a>',
    '</a>',
    '<a b="',
    '"',
    '&amp;',
    '&',
    '<!--',
    '-->',
    '<?x',
    '?>',
    'x',
    ' ',
    '<![CDATA[',
    ']]>',
    '/',
    '>',
    '=',
    'xmlns:p="u"',
    '<p:a ',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 40 }), (pieces) => {
      try {
        readXml(pieces.join(''));
      } catch (error) {
        assert.ok(error instanceof XmlError, String(error));
      }
    }),
    { numRuns: draws(2000) },
  );
});
