import assert from 'node:assert/strict';
import { readdirSync, readFileSync, utimesSync } from 'node:fs';
import { basename, join } from 'node:path';
import test from 'node:test';
import type { Match } from '../../actors/search/contract.ts';
import { opening, saveFindings } from '../../cli/page.ts';
import { fakeHome } from './fake-context.ts';

function matchOf(video_path: string, image: string): Match {
  return {
    frame_idx: '12',
    timestamp: '00:00:12',
    image: Buffer.from(image).toString('base64'),
    scene_start_timestamp: '00:00:10',
    scene_end_timestamp: '00:00:14',
    original_index: 0,
    hash_str: 'h',
    video_path,
  };
}

test('each match has its picture, and a page shows them all; a repeated search replaces them', async (t) => {
  const { home } = fakeHome(t);
  const heading = '"red car", like /a/b.jpg';
  await saveFindings(heading, [], [matchOf('/x/old.mp4', 'old')], home);
  const { pictures, page } = await saveFindings(
    heading,
    [],
    [
      { ...matchOf('/films/one two.mp4', 'first'), other_paths: ['/b&c.mp4'] },
      matchOf('/films/é.mkv', 'second'),
    ],
    home,
  );
  assert.deepEqual(
    pictures.map((path) => basename(path)),
    ['01-one-two-mp4-00-00-12.jpg', '02-é-mkv-00-00-12.jpg'],
  );
  assert.deepEqual(
    pictures.map((path) => readFileSync(path, 'utf8')),
    ['first', 'second'],
  );
  assert.deepEqual(readdirSync(join(home, 'found')), ['red-car-like-a-b-jpg']);
  assert.equal(readdirSync(join(page, '..')).length, 3);
  const html = readFileSync(page, 'utf8');
  assert.match(html, /Content-Security-Policy" content="default-src 'none'; img-src data:;/);
  assert.ok(html.includes(`<img src="data:image/jpeg;base64,${Buffer.from('first').toString('base64')}"`));
  assert.match(html, /href="file:\/\/\/films\/one%20two\.mp4#t=12"/);
  assert.equal(html.match(/<br>also at/g)?.length, 1);
  assert.ok(html.includes('<br>/films/one two.mp4<br>also at /b&amp;c.mp4</figcaption>'));
  assert.match(html, /00:00:12<\/b> scene 00:00:10–00:00:14/);
});

test('names of files and words of a question are text on the page, never markup', async (t) => {
  const { page } = await saveFindings(`<script>"'&`, ['<i>'], [matchOf('/<b>.mp4', '')], fakeHome(t).home);
  const html = readFileSync(page, 'utf8');
  assert.ok(html.includes('<h1>&lt;script&gt;&quot;&#39;&amp;</h1>'));
  assert.ok(html.includes('<p class="note">&lt;i&gt;</p>'));
  assert.ok(!html.includes('<b>.mp4') && html.includes('/&lt;b&gt;.mp4'));
});

test('the latest twenty answers are kept', async (t) => {
  const { home } = fakeHome(t);
  for (let i = 0; i < 23; i++) {
    const { page } = await saveFindings(`question ${i}`, [], [], home);
    utimesSync(join(page, '..'), i, i);
  }
  // The newest is dated by the system, which is later than all of them.
  await saveFindings('last', [], [], home);
  const kept = readdirSync(join(home, 'found'));
  assert.equal(kept.length, 20);
  assert.ok(kept.includes('last') && kept.includes('question-22') && !kept.includes('question-3'));
});

test('a still links to its file and has no scene; what is said of nothing found is on the page', async (t) => {
  const { home } = fakeHome(t);
  const moment = { frame_idx: '0', timestamp: '00:00:00', scene_start_timestamp: '00:00:00' };
  const still = { ...matchOf('/a#1.jpg', 'x'), ...moment, scene_end_timestamp: '00:00:01' };
  const { pictures, page } = await saveFindings('one', [], [still], home);
  assert.equal(basename(pictures[0]!), '01-a-1-jpg.jpg');
  const html = readFileSync(page, 'utf8');
  assert.ok(html.includes('href="file:///a%231.jpg"') && !html.includes('scene'));
  const none = await saveFindings('two', ['Not understood: bottle'], [], home);
  assert.match(readFileSync(none.page, 'utf8'), /class="note">Not understood: bottle<.*Nothing was found/s);
});

test('a page opens whatever its path has in it, also what a shell of Windows would read', () => {
  const [program, handler, address] = opening('C:\\Users\\R&D 50%^\\found\\index.html', 'win32');
  assert.deepEqual([program, handler], ['rundll32', 'url.dll,FileProtocolHandler']);
  assert.match(address!, /^file:\/\/\/C:\/Users\/R&D%2050%25[^ ]+\/found\/index\.html$/);
  assert.equal(opening('\\\\nas\\a b\\index.html', 'win32')[2], 'file://nas/a%20b/index.html');
  assert.equal(opening('http://localhost:6699/?a=1&b=2', 'win32')[2], 'http://localhost:6699/?a=1&b=2');
  assert.deepEqual(opening('/films & more/index.html', 'darwin'), ['open', '/films & more/index.html']);
  assert.deepEqual(opening('/films/index.html', 'linux'), ['xdg-open', '/films/index.html']);
});
