// The declaration of the work on proxies: one film or sound, made playable for browsers. It is a job without
// files, with the path of the film as its name.
import { type Static, Type } from 'typebox';
import { described, field, nullable } from '../../../../runtime/schema.ts';
import { ContentHash } from '../../../index/store/contract.ts';
import { stageKind } from '../kind.ts';

const Count = Type.Integer({ minimum: 0 });

export const ProxyParameters = Type.Object({
  hash_str: field('Content hash of the file.', Type.String({ minLength: 1 })),
  media_path: field('Absolute path of the file.', Type.String({ minLength: 1 })),
  max_side: described(Count, 'Longest side of its pictures in pixels.'),
});
export type ProxyParameters = Static<typeof ProxyParameters>;

export const ProxyFacts = Type.Object({
  hash_str: ContentHash,
  size_bytes: field('Size of the proxy in bytes.', Count),
  frames: described(Count, 'Number of pictures, the same as in the film; 0 for sound.'),
  width: described(Count, 'Size in pixels before rotation; 0 for sound.'),
  height: field('Size in pixels before rotation; 0 for sound.', Count),
});

export const proxyKind = stageKind({
  type: 'proxy',
  needs: [],
  place: 'export',
  // A request for analysis asks for none.
  body: {},
  complaints: () => [],
  media: () => [],
  resolved: {
    proxy_request: Type.Optional(
      described(ProxyParameters, 'Path of the film or sound that the proxy is made from.'),
    ),
  },
  resolve: () => ({}),
  nothing: {},
  shows: ['proxy_request'],
  jobsOf: ({ proxy_request }) => (proxy_request ? [{ name: proxy_request.media_path, items: [] }] : []),
  unit: null,
  facts: {
    proxy: field('The proxy that was made; null in other results.', nullable(ProxyFacts)),
  },
  noFacts: { proxy: null },
  notApplicable: null,
  labels: {
    jobs: ['proxy', 'proxies'],
    result: ({ proxy }) => (proxy ? `${proxy.frames} pictures` : ''),
  },
  metrics: {
    done: null,
    results: [
      {
        name: 'framehound_proxies_total',
        help: 'Proxies made for browsers.',
        count: ({ proxy }) => (proxy ? 1 : 0),
      },
    ],
  },
});
