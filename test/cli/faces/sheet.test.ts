import assert from 'node:assert/strict';
import test from 'node:test';
import { type Card, faceSheet } from '../../../cli/faces/show.ts';
import { clusterJob } from './fake-people.ts';

const card: Card = { cluster_id: 'c1', name: 'Anna', size: 40, pictures: ['QQ==', 'Qg=='], entry_ids: [] };

test('a page has every picture in it, and asks nobody for anything', () => {
  const page = faceSheet(clusterJob(), [card], []);
  assert.match(page, /src="data:image\/jpeg;base64,QQ=="/);
  assert.match(page, /<bdi>Anna<\/bdi> <code>c1<\/code> <span class="size">40 faces, 2 shown</);
  assert.doesNotMatch(page, /https?:|<script|url\(|<link/);
  assert.match(page, /Content-Security-Policy" content="default-src 'none'; img-src data:;/);
  assert.match(page, /prefers-color-scheme:dark.*@media print/s);
});

test('names, ids and pictures are text on the page, never markup', () => {
  const evil = '<script>alert(1)</script>"\'&';
  const cards = [{ ...card, cluster_id: evil, name: evil, pictures: ['"><script>'], entry_ids: [evil] }];
  const page = faceSheet(clusterJob({ name: evil, model_key: evil }), cards, [evil]);
  assert.doesNotMatch(page, /<script/i);
  assert.ok(page.includes('<bdi>&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;</bdi>'));
  assert.ok(page.includes('base64,&quot;&gt;&lt;script&gt;"'));
});

test('faces in no cluster, clusters without a name and without pictures say so', () => {
  const page = faceSheet(
    clusterJob(),
    [
      { ...card, name: '', pictures: [] },
      { ...card, cluster_id: null, name: '', size: 4 },
    ],
    [],
  );
  assert.match(page, /class="unnamed"><bdi>No name<\/bdi> <code>c1/);
  assert.match(page, /no picture stored/);
  assert.match(page, /<bdi>In no cluster<\/bdi> <span class="size">4 faces/);
  assert.match(faceSheet(clusterJob(), [], []), /There are no clusters to show/);
});

test('the id of a face stands below it, where ids are asked for', () => {
  const page = faceSheet(clusterJob(), [{ ...card, entry_ids: ['e1', 'e2'] }], []);
  assert.match(page, /QQ==" alt="Anna, 1"><figcaption><code>e1<\/code>.*Qg==.*<code>e2</s);
});
