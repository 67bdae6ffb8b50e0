// Counts requests by route and status, and their duration by route. Every request passes here, so counters are typed
// arrays that become text only when they are scraped.
import type { Route } from '../route.ts';
import type { Family } from './exposition.ts';

/** Upper bounds in seconds: a response from memory takes 0.1 ms, a search 10 ms, a cold model seconds. */
export const LATENCY_BOUNDS = [
  0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
] as const;

const STATUSES = 600;
const BUCKETS = LATENCY_BOUNDS.length + 1;

export interface RequestMeter {
  /** `route` is null when no route matched. `received` and `sent`: bytes of the bodies. */
  count(route: Route | null, status: number, seconds: number, received: number, sent: number): void;
  families(): Family[];
}

export function createRequestMeter(routes: readonly Route[]): RequestMeter {
  // Row 0 is for requests without a route.
  const rows = new Map(routes.map((route, i) => [route, i + 1]));
  const byStatus = new Float64Array((routes.length + 1) * STATUSES);
  const byBucket = new Float64Array((routes.length + 1) * BUCKETS);
  const sums = new Float64Array(routes.length + 1);
  let bytesIn = 0;
  let bytesOut = 0;

  const labels = [null, ...routes].map((route) => ({
    method: route?.method ?? '',
    route: route?.path ?? '(none)',
  }));
  const requests = () =>
    labels.flatMap((own, row) =>
      [...byStatus.subarray(row * STATUSES, (row + 1) * STATUSES)].flatMap((value, status) =>
        value === 0 ? [] : [{ labels: { ...own, status: String(status) }, value }],
      ),
    );
  const latencies = () =>
    labels.flatMap((own, row) => {
      const counts = byBucket.subarray(row * BUCKETS, (row + 1) * BUCKETS);
      const none = counts.every((count) => count === 0);
      return none ? [] : [{ labels: own, bounds: LATENCY_BOUNDS, counts, sum: sums[row]! }];
    });
  return {
    count: (route, status, seconds, received, sent) => {
      const row = route === null ? 0 : (rows.get(route) ?? 0);
      byStatus[row * STATUSES + (status < STATUSES ? status : 0)]!++;
      let bucket = 0;
      // Linear, not binary: nearly every request ends in one of the first buckets.
      while (bucket < LATENCY_BOUNDS.length && seconds > LATENCY_BOUNDS[bucket]!) bucket++;
      byBucket[row * BUCKETS + bucket]!++;
      sums[row]! += seconds;
      bytesIn += received;
      bytesOut += sent;
    },
    families: () => [
      {
        type: 'counter',
        name: 'framehound_http_requests_total',
        help: 'HTTP responses, by route and status.',
        samples: requests(),
      },
      {
        type: 'histogram',
        name: 'framehound_http_request_duration_seconds',
        help: 'Seconds from the head of a request to its response, by route.',
        series: latencies(),
      },
      {
        type: 'counter',
        name: 'framehound_http_body_bytes_total',
        help: 'Bytes of request and response bodies.',
        samples: [
          { labels: { direction: 'received' }, value: bytesIn },
          { labels: { direction: 'sent' }, value: bytesOut },
        ],
      },
    ],
  };
}
