// Loading what is stored, and every search over it.
import type { Session } from '../session.ts';

export async function loading(s: Session): Promise<void> {
  const { places, gone } = s.media;
  await s.inFolder('/analysis-data/load');
  await s.inFolder('/analysis-data/load-for-media', { media_paths: [places, gone] });
  await s.inFolder('/analysis-data/load-transcriptions');
  const elsewhere = { cache_dir: `${s.service.home.folder}/elsewhere` };
  await s.ask('/analysis-data/load-for-media', { ...elsewhere, media_paths: [places] });
  await s.ask('/analysis-data/load', {});
  await s.ask('/search/text', { ...elsewhere, query: 'a red car' });
}

export async function visualSearches(s: Session): Promise<void> {
  const { places, people, flowers, stripes, gone } = s.media;
  const query = 'a red car at night';
  await s.inFolder('/search/text', { query, max_results: 3 });
  await s.inFolder('/search/text', { query, max_results: 1, explain: true });
  await s.inFolder('/search/text', { query: 'forest', max_per_media: 1, search_all: true, max_results: 2 });
  await s.inFolder('/search/text', { query: 'sunset', media_paths: [places] });
  await s.inFolder('/search/text', {
    query: 'red',
    media_paths: [places],
    segments_to_frame_indices: { [places]: [4, 8] },
  });
  await s.inFolder('/search/text', { query: 'red', segments_to_frame_indices: { [gone]: [0, 1] } });
  await s.inFolder('/search/text', { query: 'red', segments_to_frame_indices: { [places]: [8, 4] } });
  await s.inFolder('/search/text', { query: 'stripes', exclude: ['red'], max_results: 2 });
  const stills = { filters: [{ facet_id: 'file.extension', values: ['png'] }] };
  await s.inFolder('/search/text', { query: 'red', metadata_filter_request: stills });
  const unknown = { filters: [{ facet_id: 'file.nothing', values: ['png'] }] };
  await s.inFolder('/search/text', { query: 'red', metadata_filter_request: unknown });
  await s.inFolder('/search/text', { query: 'flummox' });
  await s.inFolder('/search/text', { query: '' });
  await s.inFolder('/search/text', { query, max_results: 0 });
  await s.inFolder('/search/image', { image_path: flowers, max_results: 2 });
  await s.inFolder('/search/image', {
    image_path: stripes,
    query: 'a car',
    text_weight: 0.5,
    max_results: 2,
  });
  await s.inFolder('/search/image', { image_path: gone });
  await s.inFolder('/search/image', { image_path: flowers, exclude: ['red'] });
  await s.inFolder('/search/frame', { media_path: places, time_seconds: 9, max_results: 2 });
  await s.inFolder('/search/frame', { media_path: places, time_seconds: 99 });
  await s.inFolder('/search/frame', {
    media_path: people,
    time_seconds: 0,
    people_filter: [{ person_name: 'Ann' }],
  });
  await s.inFolder('/search/text', { query: 'dark', people_filter: [{ person_name: 'Anne' }] });
  await s.inFolder('/search/relevance', { media_path: places, query: 'forest' });
  await s.inFolder('/search/relevance', { media_path: gone, query: 'forest' });
  await s.inFolder('/search/takes', { media_path: places, start_seconds: 4, end_seconds: 9 });
  await s.inFolder('/search/takes', { media_path: gone });
  await s.inFolder('/search/takes', { start_seconds: 4 });
}

export async function otherSearches(s: Session): Promise<void> {
  const { places, talk, flowers } = s.media;
  await s.inFolder('/search/moments', { query: 'red car', limit: 3 });
  await s.inFolder('/search/moments', { query: 'red car', kinds: ['said'], limit: 1 });
  await s.inFolder('/search/moments', { query: 'Ann' });
  await s.inFolder('/search/moments', { image_path: flowers, kinds: ['seen'], limit: 1 });
  await s.inFolder('/search/moments', {});
  const stills = { filters: [{ facet_id: 'file.extension', values: ['png'] }] };
  await s.inFolder('/search/moments', { metadata_filter_request: stills, limit: 3 });
  await s.inFolder('/search/moments', { people_filter: [{ person_name: 'Ann' }], limit: 3 });
  await s.inFolder('/search/moments', {
    segments_to_frame_indices: {
      [places]: [
        [8, 9],
        [2, 5],
      ],
    },
  });
  await s.inFolder('/search/transcript', { query: 'RED car' });
  await s.inFolder('/search/transcript', { query: 'the', max_results: 1 });
  await s.inFolder('/search/transcript', { query: 'a', search_all: false, media_paths: [talk] });
  await s.inFolder('/search/transcript', { query: 'e', speaker_name: 'Ben' });
  await s.inFolder('/search/transcript', { query: 'e', segments_to_time_ranges: { [places]: [[0, 4]] } });
  await s.inFolder('/search/transcript', { query: 'e', segments_to_time_ranges: { [places]: [4, 4] } });
  await s.inFolder('/search/transcript', { query: 'zebra' });
  await s.inFolder('/search/transcript', {});
  await s.inFolder('/search/written', { query: 'exit' });
  await s.inFolder('/search/written', { query: ' ' });
}

export async function facets(s: Session): Promise<void> {
  const { places, gone } = s.media;
  const keep = (answer: Facets) => withoutFoldersAbove(answer, s.service.home.folder);
  await s.inFolder('/metadata/facets', { search_all: true }, { keep });
  const filters = [{ facet_id: 'file.extension', operator: 'is_not', values: ['png'] }];
  await s.inFolder('/metadata/facets', { media_paths: [places, gone], filters, expected_count: 3 }, { keep });
  await s.inFolder('/metadata/facets', { media_type: 'speech', search_all: true }, { keep });
  const odd = [{ facet_id: 'file.extension', operator: 'like', values: ['png'] }];
  await s.inFolder('/metadata/facets', { filters: odd });
}

interface Facets {
  readonly facets: readonly {
    readonly options: readonly { readonly value: string; readonly meta: { readonly depth?: number } }[];
  }[];
}

type Option = Facets['facets'][number]['options'][number];

function withoutDepth({ meta, ...option }: Option) {
  const { depth: _, ...rest } = meta;
  return { ...option, meta: rest };
}

/** Where a machine has its temporary folder means nothing, nor how deep it lies. */
function withoutFoldersAbove({ facets, ...answer }: Facets, folder: string) {
  const isAbove = (value: string) => value.startsWith('/') && !value.startsWith(`${folder}/`);
  const shown = facets.map(({ options, ...facet }) => ({
    ...facet,
    options: options.filter(({ value }) => !isAbove(value)).map(withoutDepth),
  }));
  return { ...answer, facets: shown };
}
