// Summaries that are stored: read, searched, written as documents, and removed.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Session } from '../session.ts';

interface Collections {
  readonly collections: readonly { readonly collection_id: string }[];
}
interface Overview {
  readonly summary_ref: string;
  readonly root: { readonly node_id: string; readonly children: readonly { readonly node_id: string }[] };
}

export async function summaries(s: Session): Promise<void> {
  const { places, talk, stripes } = s.media;
  const { body } = await s.inFolder<Collections>('/summaries/collections');
  const { collection_id } = body.collections[0]!;
  await s.inFolder('/summaries/collections', { collection_id, include_members: true });
  await s.inFolder('/summaries/collections', { collection_id: 'no-such-collection' });
  await s.inFolder('/summaries/list', { media_paths: [places, talk, stripes] });
  await s.inFolder('/summaries/list', { media_paths: [places, talk], limit: 1 });
  const { body: overview } = await s.inFolder<Overview>('/summaries/overview', { path: places });
  const { summary_ref, root } = overview;
  await s.inFolder('/summaries/overview', {});
  await s.inFolder('/summaries/overview', { path: stripes });
  await s.inFolder('/summaries/overview', { summary_ref: 's1.damaged' });
  const [leaf] = [...root.children, root];
  await s.inFolder('/summaries/node', { summary_ref, node_id: leaf!.node_id, include_evidence: true });
  await s.inFolder('/summaries/node', { summary_ref, node_id: 'no-such-node' });
  await s.inFolder('/summaries/search', { query: 'night' });
  await s.inFolder('/summaries/search', { query: '"red car"', media_paths: [places], max_results: 1 });
  await s.inFolder('/summaries/search', { query: '…' });
  const nowhere = join(s.out, 'nowhere', 'places.md');
  await s.inFolder('/summaries/export', { path: places, format: 'markdown', output_path: nowhere });
  const folder = join(s.out, 'summaries');
  mkdirSync(folder);
  const endings = { markdown: 'md', txt: 'txt', vtt: 'vtt', json: 'json' };
  for (const [format, ending] of Object.entries(endings)) {
    const output_path = join(folder, `places.${ending}`);
    await s.inFolder('/summaries/export', { path: places, format, output_path });
  }
  s.noteFiles(folder);
  await s.inFolder('/summaries/export', { path: places, format: 'pdf' });
  await s.inFolder('/summaries/delete', { summary_refs: [summary_ref] });
  await s.inFolder('/summaries/delete', { summary_refs: [summary_ref] });
  await s.inFolder('/summaries/delete', { collection_id });
}
