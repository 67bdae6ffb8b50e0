import assert from 'node:assert/strict';
import { copyFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import sharp from 'sharp';
import { readXml, XmlError } from '../../../../actors/decoder/probe/xml.ts';
import { readXmp, xmpOf } from '../../../../actors/decoder/probe/xmp.ts';
import { draws, sharedPath, skipWithout } from '../../../shared.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { askProbe } from '../ask-decoder.ts';

const head =
  '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
  '<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"' +
  ' xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/"' +
  ' xmlns:mwg-rs="http://www.metadataworkinggroup.com/schemas/regions/"' +
  ' xmlns:stArea="http://ns.adobe.com/xmp/sType/Area#">';
const tail = '</rdf:Description></rdf:RDF></x:xmpmeta>';
const packet = (body: string) => Buffer.from(`${head}${body}${tail}`);
const bag = (...words: string[]) =>
  `<rdf:Bag>${words.map((word) => `<rdf:li>${word}</rdf:li>`).join('')}</rdf:Bag>`;
const area = 'stArea:x="0.5" stArea:y="0.4" stArea:w="0.1" stArea:h="0.2" stArea:unit="normalized"';

test('keywords and people are read from the forms in which programs write them', () => {
  // The same as a structure in attributes, as an element of its own, and as parseType.
  const regions =
    `<mwg-rs:Regions rdf:parseType="Resource"><mwg-rs:RegionList><rdf:Bag>` +
    `<rdf:li><rdf:Description mwg-rs:Name="Ann" mwg-rs:Type="Face"><mwg-rs:Area ${area}/></rdf:Description></rdf:li>` +
    `<rdf:li rdf:parseType="Resource"><mwg-rs:Area ${area}/><mwg-rs:Name>Bob</mwg-rs:Name><mwg-rs:Type>Face</mwg-rs:Type></rdf:li>` +
    `<rdf:li mwg-rs:Name="Rex" mwg-rs:Type="Pet"/><rdf:li mwg-rs:Name="Cem"/>` +
    `</rdf:Bag></mwg-rs:RegionList></mwg-rs:Regions>`;
  const read = readXmp(
    packet(
      `<dc:subject>${bag('harbour', 'Straße &amp; Platz', 'harbour', ' ')}</dc:subject>` +
        `<Iptc4xmpExt:PersonInImage>${bag('Ann', 'Dora')}</Iptc4xmpExt:PersonInImage>${regions}`,
    ),
  );
  assert.deepEqual(read, { keywords: ['harbour', 'Straße & Platz'], people: ['Ann', 'Dora', 'Bob', 'Cem'] });
});

test('UTF-16, byte order marks, packet headers and padding are read', () => {
  const text = `\ufeff<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>${head}<dc:subject>${bag('Süd')}</dc:subject>${tail}\n   \n<?xpacket end="w"?>`;
  const expected = { keywords: ['Süd'], people: [] };
  assert.deepEqual(readXmp(Buffer.from(text)), expected);
  assert.deepEqual(readXmp(Buffer.from(text, 'utf16le')), expected);
  assert.deepEqual(readXmp(Buffer.from(text, 'utf16le').swap16()), expected);
});

test('what framehound wrote itself is not taken for the words of a person', () => {
  const own = Buffer.from(
    packet(`<dc:subject>${bag('car')}</dc:subject>`)
      .toString()
      .replace('xmlns:x=', 'x:xmptk="framehound" xmlns:x='),
  );
  assert.deepEqual(readXmp(own), { keywords: [], people: [] });
});

test('damaged XMP is a warning that names the file, and nothing more', async (t) => {
  const folder = temporaryFolder(t);
  const film = join(folder, 'film.mp4');
  const rows = [
    ['<x', /^film\.mp4\.xmp is not well-formed/],
    ['<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', /^film\.mp4\.xmp declares a document type/],
    ['<a/>', /^film\.mp4\.xmp holds no XMP/],
    [Buffer.from([0x3c, 0xff, 0x3e]), /^film\.mp4\.xmp is not valid UTF-8/],
    [packet(`<dc:subject>${bag('x'.repeat(300))}</dc:subject>`), /more than 256 characters/],
    [
      packet(`<dc:subject>${bag(...Array.from({ length: 1001 }, (_, i) => `w${i}`))}</dc:subject>`),
      /more than 1000/,
    ],
    [Buffer.alloc(4 * 2 ** 20 + 1, 0x20), /^film\.mp4\.xmp is larger than 4 MiB/],
  ] as const;
  for (const [content, reason] of rows) {
    writeFileSync(`${film}.xmp`, content);
    const read = (await xmpOf(film, {}))?.xmp;
    assert.deepEqual(
      [read?.keywords, read?.people, read?.sidecars.map(({ name }) => name)],
      [[], [], ['film.mp4.xmp']],
    );
    assert.match(read?.warning ?? '', reason);
  }
});

test('both names that programs give the file count, and our own beside it hides none', async (t) => {
  const folder = temporaryFolder(t);
  const film = join(folder, 'film.mp4');
  assert.equal(await xmpOf(film, {}), undefined);
  const short = packet(`<dc:subject>${bag('short', 'both')}</dc:subject>`);
  writeFileSync(join(folder, 'film.xmp'), short);
  assert.deepEqual((await xmpOf(film, {}))?.xmp.keywords, ['short', 'both']);
  writeFileSync(`${film}.xmp`, packet(`<dc:subject>${bag('both', 'long')}</dc:subject>`));
  const embedded = packet(`<dc:subject>${bag('embedded')}</dc:subject>`);
  assert.deepEqual((await xmpOf(film, { xmp: embedded }))?.xmp.keywords, [
    'embedded',
    'both',
    'long',
    'short',
  ]);
  const own = short.toString().replace('xmlns:x=', 'x:xmptk="framehound" xmlns:x=');
  writeFileSync(`${film}.xmp`, own);
  utimesSync(`${film}.xmp`, 100, 100);
  const read = (await xmpOf(film, {}))?.xmp;
  assert.deepEqual(read?.keywords, ['short', 'both']);
  assert.deepEqual(read?.sidecars[0], { name: 'film.mp4.xmp', size_bytes: own.length, mtime_ms: 100_000 });
  assert.equal(read?.sidecars[1]?.name, 'film.xmp');
});

test('a sidecar of capitals counts, once, and one for another extension says nothing', async (t) => {
  const folder = temporaryFolder(t);
  const [film, still] = [join(folder, 'LIVE.MP4'), join(folder, 'LIVE.JPG')];
  const forStills =
    'photoshop:SidecarForExtension="jpg" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"';
  const text = packet(`<dc:subject>${bag('sea')}</dc:subject>`).toString();
  writeFileSync(
    join(folder, 'LIVE.XMP'),
    text.replace('<rdf:Description ', `<rdf:Description ${forStills} `),
  );
  assert.deepEqual((await xmpOf(still, {}))?.xmp.keywords, ['sea']);
  const ofFilm = (await xmpOf(film, {}))?.xmp;
  // It is still known, so that a change of it is noticed.
  assert.deepEqual([ofFilm?.keywords, ofFilm?.sidecars.map(({ name }) => name)], [[], ['LIVE.XMP']]);
});

test('a date beside the file corrects that of the camera, and one inside stands in for it', async (t) => {
  const path = join(temporaryFolder(t), 'scan.jpg');
  const picture = sharp({ create: { width: 32, height: 16, channels: 3, background: '#226688' } });
  const dated = (date: string) =>
    packet(`<x:CreateDate xmlns:x="http://ns.adobe.com/xap/1.0/">${date}</x:CreateDate>`);
  const exif = (tag: string) => ({ IFD2: { [tag]: '2015:03:04 05:06:07' } });
  const taken = async () => (await askProbe(path)).creation_date;
  await picture.jpeg().withXmp(dated('1998-05-06').toString()).toFile(path);
  assert.equal(await taken(), '1998-05-06');
  await picture.jpeg().withExif(exif('DateTimeDigitized')).toFile(path);
  assert.equal(await taken(), '2015-03-04T05:06:07');
  writeFileSync(`${path}.xmp`, dated('1972-01-02T03:04:05'));
  assert.equal(await taken(), '1972-01-02T03:04:05');
});

test('XMP inside a JPEG is read, and EXIF says how its pixels are stored', async (t) => {
  const path = join(temporaryFolder(t), 'still.jpg');
  const picture = sharp({ create: { width: 32, height: 16, channels: 3, background: '#226688' } });
  const xmp = packet(`<dc:subject>${bag('lighthouse')}</dc:subject>`).toString();
  await picture.jpeg().withXmp(xmp).withMetadata({ orientation: 6 }).toFile(path);
  const { width, height, orientation, xmp: read } = await askProbe(path);
  assert.deepEqual([width, height, orientation], [16, 32, 6]);
  assert.deepEqual([read?.keywords, read?.sidecars], [['lighthouse'], []]);
});

test('recorded films take keywords from the file beside them', {
  skip: skipWithout('media/faces/signers/book.mkv'),
}, async (t) => {
  const path = join(temporaryFolder(t), 'book.mkv');
  copyFileSync(sharedPath('media/faces/signers/book.mkv'), path);
  assert.equal((await askProbe(path)).xmp, undefined);
  writeFileSync(path.replace('.mkv', '.xmp'), packet(`<dc:subject>${bag('sign language')}</dc:subject>`));
  const { kind, xmp } = await askProbe(path);
  assert.deepEqual([kind, xmp?.keywords, xmp?.sidecars[0]?.name], ['video', ['sign language'], 'book.xmp']);
});

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
