// Documents and timelines for other programs, and what of them has threads to end.

import type { Exporter } from './contract.ts';
import { createExporter } from './exporter.ts';
import type { Sidecars } from './sidecars/contract.ts';
import { createSidecars, type SidecarParts } from './sidecars/sidecars.ts';
import type { SummaryDocuments } from './summary/contract.ts';
import { createSummaryDocuments, type ReadingParts } from './summary/summary-documents.ts';
import type { Timelines } from './timeline/contract.ts';
import { createTimelines } from './timeline/timelines.ts';

interface DocumentExports {
  readonly exporter: Exporter;
  readonly timelines: Timelines;
  readonly sidecars: Sidecars;
  readonly summaryDocuments: SummaryDocuments;
  /** Ends what is being written. */
  close(): Promise<unknown>;
}

export function createDocumentExports(parts: SidecarParts & ReadingParts): DocumentExports {
  const closing = {
    exporter: createExporter(Date.now),
    timelines: createTimelines(parts),
    sidecars: createSidecars(parts),
  };
  return {
    ...closing,
    summaryDocuments: createSummaryDocuments(parts),
    close: () => Promise.all(Object.values(closing).map((one) => one.close())),
  };
}
