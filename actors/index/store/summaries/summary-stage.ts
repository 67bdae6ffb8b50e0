// A summary that is being written: what its record says, and what it is for.
import type { OpenStage } from '../open-work.ts';
import type { OpenSummaryRow } from '../records.ts';

export class SummaryStage implements OpenStage {
  readonly hash: string;
  /**
   * Model and name, as errors and messages tell of it: two summaries of a content may be written at the same
   * time.
   */
  readonly modelKey: string;
  readonly summaryModel: string;
  readonly replaces: boolean;
  row: OpenSummaryRow;

  constructor(row: OpenSummaryRow, summaryModel: string, replaces: boolean) {
    this.hash = row.hash_str;
    this.modelKey = `${summaryModel} (${row.name})`;
    this.summaryModel = summaryModel;
    this.replaces = replaces;
    this.row = row;
  }
}
