// Faults that somebody could make by mistake, and the tests that notice each. `text` stands once in its file; seed.ts puts
// `fault` in its place and runs the tests.

export interface Fault {
  /** What is wrong then. */
  readonly name: string;
  readonly file: string;
  readonly text: string;
  readonly fault: string;
  readonly tests: readonly string[];
}

export const faults: readonly Fault[] = [
  {
    name: 'work that can wait goes before a question',
    file: 'runtime/mailbox.ts',
    text: 'lanes.now.size > 0 ? lanes.now : lanes.later',
    fault: 'lanes.later.size > 0 ? lanes.later : lanes.now',
    tests: ['test/runtime/mailbox.test.ts'],
  },
  {
    name: 'an actor is given up one crash too early',
    file: 'runtime/restart.ts',
    text: 'recent > policy.most',
    fault: 'recent >= policy.most',
    tests: ['test/runtime/restart.test.ts'],
  },
  {
    name: 'the user name and password of an address are written to the log',
    file: 'runtime/redact.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: source text.
    text: '    .replace(userInfo, `$1${REDACTED}@`)',
    fault: '    .replace(userInfo, `$1`)',
    tests: ['test/runtime/redact.test.ts'],
  },
  {
    name: 'the grid is a second late',
    file: 'actors/decoder/grid.ts',
    text: '(this.#offset + second) * den',
    fault: '(this.#offset + second + 1) * den',
    tests: ['test/actors/decoder/grid.test.ts'],
  },
  {
    name: 'drop-frame timecode drops numbers in every tenth minute too',
    file: 'actors/decoder/timecode.ts',
    text: 'dropped * (9 * tens + minutes)',
    fault: 'dropped * (10 * tens + minutes)',
    tests: ['test/actors/decoder/timecode.test.ts'],
  },
  {
    name: 'vectors are not brought to length 1',
    file: 'actors/embedder/vectors.ts',
    text: '1 / Math.sqrt(sum)',
    fault: '1 / sum',
    tests: ['test/actors/embedder/vectors.test.ts'],
  },
  {
    name: 'a long text loses its end token',
    file: 'actors/embedder/tokens.ts',
    text: '[...body.slice(0, max_length - 1), end_id]',
    fault: '[...body, end_id].slice(0, max_length)',
    tests: ['test/actors/embedder/tokens.test.ts'],
  },
  {
    name: 'a quiet moment ends a phrase',
    file: 'actors/transcriber/voice/segmenter.ts',
    text: 'if (probability < off) this.#silence ??= at;',
    fault: 'if (probability < (on + off) / 2) this.#silence ??= at;',
    tests: ['test/actors/transcriber/voice/segmenter.test.ts'],
  },
  {
    name: 'speakers are numbered by cluster and not by appearance',
    file: 'actors/diarizer/turns.ts',
    text: 'names.set(label, speakerName(names.size))',
    fault: 'names.set(label, speakerName(label))',
    tests: ['test/actors/diarizer/turns.test.ts'],
  },
  {
    name: 'a face that touches another is dropped',
    file: 'actors/faces/detection/candidates.ts',
    text: 'both / (a.width * a.height + b.width * b.height - both)',
    fault: 'both / Math.min(a.width * a.height, b.width * b.height)',
    tests: ['test/actors/faces/detection/candidates.test.ts'],
  },
  {
    name: 'a face at the edge of the picture counts as whole',
    file: 'actors/faces/quality/cut.ts',
    text: 'box.left + box.width > picture.width - near',
    fault: 'box.left + box.width > picture.width + near',
    tests: ['test/actors/faces/quality/cut.test.ts'],
  },
  {
    name: 'scenes of two films that begin at the same second are one',
    file: 'actors/index/visual/rank.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: source text.
    text: '`${one.hash}/${one.scene[0]}`',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: source text.
    fault: '`${one.scene[0]}`',
    tests: ['test/actors/index/visual/search.slow.test.ts'],
  },
  {
    name: 'a filter that leaves values out leaves them in',
    file: 'actors/index/facets/filter.ts',
    text: 'own === null || !has(own)',
    fault: 'own === null || has(own)',
    tests: ['test/actors/index/facets/filter.test.ts'],
  },
  {
    name: 'vectors are not flushed before their records say that they are there',
    file: 'actors/index/store/writer.ts',
    text: '      tail.packs.flush();\n',
    fault: '',
    tests: ['test/actors/index/store/commit.test.ts'],
  },
  {
    name: 'a folder stays locked by a writer whose clock was ahead',
    file: 'actors/index/store/lease.ts',
    text: 'Math.abs(now - lease.renewed_ms) < expiresAfterMs',
    fault: 'now - lease.renewed_ms < expiresAfterMs',
    tests: ['test/actors/index/store/lease.test.ts'],
  },
  {
    name: 'a moment counts by the worst hit of a list',
    file: 'actors/search/moments/fuse.ts',
    text: 'if (!best.has(list)) best.set(list, rank)',
    fault: 'best.set(list, rank)',
    tests: ['test/actors/search/moments/fuse.test.ts'],
  },
  {
    name: 'a page of a transcript says that it is the last one',
    file: 'actors/search/transcripts/transcript-page.ts',
    text: 'page.length < segments.length',
    fault: 'page.length < Math.min(most, segments.length)',
    tests: ['test/actors/search/transcripts/transcript-page.test.ts'],
  },
  {
    name: 'the list of warnings of a summary has no limit',
    file: 'actors/summaries/quality.ts',
    text: '[...damaged, ...quality.warnings]\n    .slice(0, mostEntries)',
    fault: '[...damaged, ...quality.warnings]',
    tests: ['test/actors/summaries/assembly.test.ts'],
  },
  {
    name: 'a shot that comes back for a moment is another one',
    file: 'actors/summarizer/outline/shots.ts',
    text: 'if (back === null) cuts.push(i);\n    else i = back;',
    fault: 'if (back !== null) i = back;\n    cuts.push(i);',
    tests: ['test/actors/summarizer/outline/shots.test.ts'],
  },
  {
    name: 'a file is taken while it is still being written',
    file: 'actors/watcher/file-state.ts',
    text: 'before !== fileState.unsettled || !apart',
    fault: 'before !== fileState.unsettled || (!apart && empty)',
    tests: ['test/actors/watcher/file-state.test.ts'],
  },
  {
    name: 'the folder that is left out is looked at when it lies deep',
    file: 'actors/watcher/exclusions.ts',
    text: 'names.some(isNamed)',
    fault: 'isNamed(names[0]!)',
    tests: ['test/actors/watcher/exclusions.slow.test.ts'],
  },
  {
    name: 'a folder whose work failed is worked on again a minute too early',
    file: 'actors/watch-folders/schedule.ts',
    text: '(folder.retryAt ?? now) > now',
    fault: '(folder.retryAt ?? now) > now + RETRY_MOST_MS',
    tests: ['test/actors/watch-folders/schedule.test.ts'],
  },
  {
    name: 'footage on a drive that is away counts as deleted',
    file: 'actors/library/absence.ts',
    text: '(await isMounted(volume)) ? ',
    fault: '(await isMounted(volume)) || true ? ',
    tests: ['test/actors/library/library.slow.test.ts'],
  },
  {
    name: 'a list that somebody else changed is written over',
    file: 'actors/lists/lists.ts',
    text: 'before.version !== version',
    fault: 'before.version < version',
    tests: ['test/actors/lists/lists.slow.test.ts'],
  },
  {
    name: 'frames of a timeline are rounded down',
    file: 'actors/exporter/timeline/rate.ts',
    text: '(2n * part + whole) / (2n * whole)',
    fault: 'part / whole',
    tests: ['test/actors/exporter/timeline/arrange.test.ts'],
  },
  {
    name: 'a pause of exactly two seconds is no silence',
    file: 'actors/exporter/rows.ts',
    text: 'row.start - said >= SILENCE_SECONDS',
    fault: 'row.start - said > SILENCE_SECONDS',
    tests: ['test/actors/exporter/rows.test.ts'],
  },
  {
    name: 'a model file is kept without comparing its sum',
    file: 'actors/models/download.ts',
    text: '!rightSize || got.sha256 !== expected',
    fault: '!rightSize || expected === null',
    tests: ['test/actors/models/download.test.ts'],
  },
  {
    name: 'a name that is taken away is not told as a change',
    file: 'actors/people/assignments.ts',
    text: "(names[id] ?? '') !== name",
    fault: "name !== '' && names[id] !== name",
    tests: ['test/actors/people/assignments.test.ts'],
  },
  {
    name: 'the window before a spectrum is the symmetric one',
    file: 'actors/acoustics/mel.ts',
    text: 'Math.cos((2 * Math.PI * i) / frameSize)',
    fault: 'Math.cos((2 * Math.PI * i) / (frameSize - 1))',
    tests: ['test/actors/acoustics/mel.test.ts'],
  },
  {
    name: 'files that ran beside others when the engine died are quarantined',
    file: 'actors/analysis/recovery/quarantine.ts',
    text: 'const alone = pid !== 0 && isOneFile(running);',
    fault: 'const alone = pid !== 0 && running.size > 0;',
    tests: ['test/actors/analysis/recovery/journal.test.ts'],
  },
  {
    name: 'a link to media does not expire',
    file: 'http/media-links.ts',
    text: 'found && now() < found.expires',
    fault: 'found && now() > 0',
    tests: ['test/http/routes/links.slow.test.ts'],
  },
  {
    name: 'a ticket opens two sessions',
    file: 'http/sessions/tickets.ts',
    text: '      kept = kept.filter((one) => !found.includes(one));\n',
    fault: '',
    tests: ['test/http/sessions/access.slow.test.ts'],
  },
  {
    name: 'a key in the header counts before the one in the body',
    file: 'http/exchange.ts',
    text: "typeof inBody === 'string' && inBody !== '' ? inBody : this.#head.licenseKey",
    fault: "this.#head.licenseKey || (typeof inBody === 'string' ? inBody : '')",
    tests: ['test/http/server.test.ts'],
  },
  {
    name: 'any name that ends like a loopback name passes as the host',
    file: 'http/request/host.ts',
    text: "host.endsWith('.localhost')",
    fault: "host.endsWith('localhost')",
    tests: ['test/http/request/host.test.ts'],
  },
  {
    name: 'a range of bytes has one byte too few',
    file: 'http/request/ranges.ts',
    text: 'Math.min(size, end + 1)',
    fault: 'Math.min(size, end)',
    tests: ['test/http/request/ranges.test.ts'],
  },
  {
    name: 'events of a task reach those who follow any task',
    file: 'events/connection.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: source text.
    text: 'return `task:${task_id}`',
    fault: "return task_id === '' ? '' : 'task:any'",
    tests: ['test/events/server.test.ts'],
  },
  {
    name: 'an end that waits is lost when the queue is flushed',
    file: 'events/throttle.ts',
    text: '...(state ? [state] : []), ...(final ? [final] : [])',
    fault: '...(state ? [state] : [])',
    tests: ['test/events/throttle.test.ts'],
  },
  {
    name: 'hidden files are analysed',
    file: 'cli/find-media.ts',
    text: "    if (text.startsWith('.')) continue;\n",
    fault: '',
    tests: ['test/cli/find-media.test.ts'],
  },
  {
    name: 'the words of a transcript stand beside another speaker',
    file: 'cli/transcript-lines.ts',
    text: 'names[index] = display_name ?? id',
    fault: 'names[index + 1] = display_name ?? id',
    tests: ['test/cli/transcript-lines.test.ts'],
  },
  {
    name: 'a row of tiles too few is drawn',
    file: 'http/page/app/views/search/layout.ts',
    text: 'row.top + row.height > top',
    fault: 'row.top > top',
    tests: ['test/http/page/app/views/search/layout.test.ts'],
  },
  {
    name: 'what one person took out of a list comes back by the other',
    file: 'http/page/app/basket-merge.ts',
    text: 'if (!own || !other) return null',
    fault: 'if (!own || !other) return own ?? other ?? null',
    tests: ['test/http/page/basket.test.ts'],
  },
];

/** The source with the fault in it; null when its text does not stand there exactly once. */
export function seeded(source: string, { text, fault }: Pick<Fault, 'text' | 'fault'>): string | null {
  const parts = source.split(text);
  return parts.length === 2 ? parts.join(fault) : null;
}
