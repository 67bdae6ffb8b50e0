import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkText, leadOf } from '../../../../actors/exporter/summary/wording.ts';
import type { OverviewAnswer, SummaryNodeEntry } from '../../../../actors/summarizer/stored/contract.ts';

const node = (text: string, parent_id: string | null = null) => ({ text, parent_id }) as SummaryNodeEntry;
const short = (short_summary: string) => ({ short_summary }) as OverviewAnswer;

test('a short summary stands before the whole unless it begins alike', () => {
  const own = short('A video of 40 s. A bridge.');
  assert.equal(leadOf(own, node('A video of 40 s. A bridge (00:12). Nobody speaks.')), '');
  assert.equal(leadOf(own, node('Ada walks over a bridge.')), 'A video of 40 s. A bridge.');
  assert.equal(leadOf(own, node('Ada walks over a bridge.', '0')), '');
  assert.equal(leadOf(own, undefined), '');
});

test('what to check is two sentences, whether a full stop was given or not', () => {
  const hint = (limitation: string) => ({
    limitation,
    affected_range: [0, 1] as [number, number],
    evidence_ids: [],
    suggested_follow_up: 'Listen.',
  });
  assert.equal(checkText(hint('Nobody knows who speaks.')), 'To check: Nobody knows who speaks. Listen.');
  assert.equal(checkText(hint('Dark')), 'To check: Dark. Listen.');
  assert.equal(checkText(hint('Is it “over?”')), 'To check: Is it “over?” Listen.');
});
