// Subtitle files as they are found in the world, and what is read from them.
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { clockSeconds, linesOf, timingLine } from '../../../../../actors/transcriber/text/subtitles/cue.ts';
import {
  formatOf,
  parseSubtitles,
  parseTtml,
  ttmlSeconds,
} from '../../../../../actors/transcriber/text/subtitles/read.ts';
import { segmentsOfCues } from '../../../../../actors/transcriber/text/subtitles/segments.ts';
import { draws } from '../../../../shared.ts';

type Row = [start: number, end: number, text: string, speaker?: string];

const rows = (text: string): Row[] =>
  segmentsOfCues(parseSubtitles(text)).segments.map(({ start_seconds, end_seconds, text, speaker }) =>
    speaker === null ? [start_seconds, end_seconds, text] : [start_seconds, end_seconds, text, speaker],
  );
const wrong = (text: string) => {
  const { skipped, repaired } = segmentsOfCues(parseSubtitles(text));
  return { skipped, repaired };
};

const times: [string, number | null][] = [
  ['00:00:01,500', 1.5],
  ['00:00:01.500', 1.5],
  ['0:0:1', 1],
  ['01:02', 62],
  ['100:00:00,001', 360_000.001],
  ['00:00:01,5', 1.5],
  ['00 : 00 : 01 , 250', 1.25],
  ['00:00:01:250', 1.25],
  ['-00:00:01,000', -1],
  ['00:75:00,000', 4500],
  ['1', null],
  ['', null],
  ['ab:cd', null],
  ['00:00:01,', null],
];
for (const [text, seconds] of times) {
  test(`the time ${JSON.stringify(text)} is ${seconds}`, () => assert.equal(clockSeconds(text), seconds));
}

const timings: [string, ReturnType<typeof timingLine>][] = [
  ['00:00:01,000 --> 00:00:02,000', { start: 1, end: 2 }],
  ['00:00:01,000-->00:00:02,000', { start: 1, end: 2 }],
  ['00:00:01.000 --> 00:00:02.000 align:start position:10%', { start: 1, end: 2 }],
  ['00:00:01,000 --> 00:00:02,000  X1:100 X2:200 Y1:1 Y2:2', { start: 1, end: 2 }],
  ['00:00:01,000 -> 00:00:02,000', { start: 1, end: 2 }],
  ['00:00:01,000 --&gt; 00:00:02,000', null],
  ['00:00:01,000 – > 00:00:02,000', null],
  ['00:00:01,000 --> ', { start: 1, end: null }],
  ['00:00:01,000 --> nonsense', { start: 1, end: null }],
  ['nonsense --> 00:00:01,000', null],
  ['He went --> there', null],
  ['We meet at 10:30', null],
];
for (const [line, at] of timings) {
  test(`the line ${JSON.stringify(line)} is ${at ? 'a timing' : 'text'}`, () =>
    assert.deepEqual(timingLine(line), at));
}

const files: { is: string; text: string; rows: Row[]; skipped?: number; repaired?: number }[] = [
  {
    is: 'SubRip with Windows line ends, styling and positions',
    text: '\ufeff1\r\n00:00:01,000 --> 00:00:02,500\r\n<i>Hello</i> {\\an8}<font color="#fff">there</font>\r\nfriend\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000 X1:40\r\n<b>Bye</b>\r\n',
    rows: [
      [1, 2.5, ' Hello there friend'],
      [3, 4, ' Bye'],
    ],
  },
  {
    is: 'SubRip with line ends of old Macintoshes and no blank lines',
    text: '1\r00:00:01,000 --> 00:00:02,000\rOne\r2\r00:00:02,000 --> 00:00:03,000\rTwo',
    rows: [
      [1, 2, ' One'],
      [2, 3, ' Two'],
    ],
  },
  {
    is: 'SubRip with doubled carriage returns',
    text: '1\r\r\n00:00:01,000 --> 00:00:02,000\r\r\nOne\r\r\n\r\r\n',
    rows: [[1, 2, ' One']],
  },
  {
    is: 'SubRip with blank lines inside a cue, and a cue that is a number',
    text: '1\n00:00:01,000 --> 00:00:02,000\nFirst\n\nsecond\n\n2\n00:00:03,000 --> 00:00:04,000\n42\n\n3\n00:00:05,000 --> 00:00:06,000\nEnd',
    rows: [
      [1, 2, ' First second'],
      [3, 4, ' 42'],
      [5, 6, ' End'],
    ],
  },
  {
    is: 'SubRip without counters, where a number is text',
    text: '00:00:01,000 --> 00:00:02,000\n42\n00:00:03,000 --> 00:00:04,000\n43',
    rows: [
      [1, 2, ' 42'],
      [3, 4, ' 43'],
    ],
  },
  {
    is: 'times that are broken',
    text: [
      ...['1', '00:00:10,000 --> 00:00:09,000', 'end before start', ''],
      ...['2', '00:00:05,000 -->', 'no end', ''],
      ...['3', '0x:00:01,000 --> 00:00:02,000', 'no start', ''],
      ...['4', '-00:00:01,000 --> 00:00:01,000', 'begins before', ''],
      ...['5', '-00:00:03,000 --> -00:00:01,000', 'is before', ''],
      ...['6', '120:00:00,000 --> 120:00:01,000', 'late', ''],
    ].join('\n'),
    rows: [
      [0, 1, ' begins before'],
      [5, 6, ' no end'],
      [10, 10 + 16 / 15, ' end before start'],
      [432_000, 432_001, ' late'],
    ],
    skipped: 2,
    repaired: 3,
  },
  {
    is: 'a cue without end, taken off by the next',
    text: '1\n00:00:01,000 -->\nA long text that would take longer to read\n\n2\n00:00:01,500 --> 00:00:02,000\nNext',
    rows: [
      [1, 1.5, ' A long text that would take longer to read'],
      [1.5, 2, ' Next'],
    ],
    repaired: 1,
  },
  {
    is: 'cues in the wrong order and overlapping stay as they are meant',
    text: '1\n00:00:03,000 --> 00:00:06,000\nB\n\n2\n00:00:01,000 --> 00:00:04,000\nA\n',
    rows: [
      [1, 4, ' A'],
      [3, 6, ' B'],
    ],
  },
  {
    is: 'entities, sounds and what only looks like a tag',
    text: '1\n00:00:01,000 --> 00:00:02,000\n♪ Tom &amp; Jerry &#233;&#x41; ♪\n[door slams] <laughs> 1 < 2 &unknown;\n',
    rows: [[1, 2, ' ♪ Tom & Jerry éA ♪ [door slams] <laughs> 1 < 2 &unknown;']],
  },
  {
    is: 'Japanese: lines are joined without a blank',
    text: '1\n00:00:01,000 --> 00:00:02,000\n今日は\nいい天気\nok です\n',
    rows: [[1, 2, ' 今日はいい天気 ok です']],
  },
  {
    is: 'WebVTT with header, notes, styles, identifiers, settings and voices',
    text: 'WEBVTT - a title\nKind: captions\nLanguage: en\n\nSTYLE\n::cue { color: red }\n\nNOTE 00:00:01.000 --> 00:00:02.000\nno\n\nintro\n00:01.000 --> 00:02.000 align:start line:0\n<v.loud Mary Ann>Hi <c.y>you</c></v>\n<v Bob>Yes &lt;3</v>\n\n01:00:03.000 --> 01:00:04.000\n<00:03.500>late <ruby>漢<rt>kan</rt></ruby>',
    rows: [
      [1, 2, ' Hi you', 'Mary Ann'],
      [1, 2, ' Yes <3', 'Bob'],
      [3603, 3604, ' late 漢'],
    ],
  },
  {
    is: 'WebVTT without blank lines',
    text: 'WEBVTT\n00:01.000 --> 00:02.000\nOne\n00:02.000 --> 00:03.000\nTwo\n00:xx.000 --> 00:04.000\nThree',
    rows: [
      [1, 2, ' One'],
      [2, 3, ' Two'],
    ],
    skipped: 1,
  },
  {
    is: 'WebVTT that rolls up as machine captions do',
    text: `WEBVTT\n\n${[
      ['00:00.000', '00:02.000', ' \nhello there'],
      ['00:02.000', '00:02.010', 'hello there'],
      ['00:02.010', '00:04.000', 'hello there\nhow are you'],
      ['00:04.000', '00:04.010', 'how are you'],
      ['00:04.010', '00:06.000', 'how are you\nfine'],
    ]
      .map(([from, to, said]) => `${from} --> ${to}\n${said}\n`)
      .join('\n')}`,
    rows: [
      [0, 2.01, ' hello there'],
      [2.01, 4.01, ' how are you'],
      [4.01, 6, ' fine'],
    ],
  },
  {
    is: 'ASS with overrides, karaoke, drawings, comments, names and layers',
    text: '[Script Info]\nTitle: x\n\n[V4+ Styles]\nFormat: Name, Fontname\nStyle: Default,Arial\n\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\nDialogue: 0,0:00:01.00,0:00:02.00,Default,Bob,0,0,0,,{\\k20}Hel{\\k30}lo,\\Nyou{\\p1}m 0 0 l 1 1{\\p0}!\nDialogue: 1,0:00:01.00,0:00:02.00,Default,Bob,0,0,0,,Hello,\\Nyou!\nComment: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,no\nDialogue: 0,0:00:03.50,0:00:04.00,Sign,Default,0,0,0,,{\\pos(1,2)}Shop\\hopen\nDialogue: 0,x,0:00:04.00,Default,,0,0,0,,lost\n',
    rows: [
      [1, 2, ' Hello, you!', 'Bob'],
      [3.5, 4, ' Shop open'],
    ],
    skipped: 1,
  },
  {
    is: 'SSA of version 4 with columns in its own order',
    text: '[Events]\nFormat: Marked, Start, End, Style, Actor, Text\nDialogue: Marked=0,0:00:01.00,0:00:02.00,*Default,Ann,One, two\n',
    rows: [[1, 2, ' One, two', 'Ann']],
  },
  {
    is: 'a sign that moves is one cue',
    text: `[Events]\n${[0, 1, 2].map((i) => `Dialogue: 0,0:00:01.${i}0,0:00:01.${i + 1}0,Default,,0,0,0,,{\\pos(${i},0)}Shop`).join('\n')}`,
    rows: [[1, 1.3, ' Shop']],
  },
  {
    is: 'TTML with prefixes, frames, agents, nested times and an unreadable one',
    text: '<?xml version="1.0"?>\n<tt:tt xml:lang="de" ttp:frameRate="25" xmlns:tt="x"><tt:head><ttm:agent xml:id="a"><ttm:name type="full">Bob &amp; Co</ttm:name></ttm:agent></tt:head><tt:body begin="10s"><!-- <p> --><tt:div><tt:p begin="00:00:01:05" dur="2s" ttm:agent="a"><tt:metadata>no</tt:metadata>Hi<tt:br/>\n  you <tt:span tts:color="red">a>ll</tt:span></tt:p><tt:p begin="5s" end="6500ms">Two</tt:p><tt:p begin="soon" end="7s">lost</tt:p></tt:div></tt:body></tt:tt>',
    rows: [
      [11.2, 13.2, ' Hi you a>ll', 'Bob & Co'],
      [15, 16.5, ' Two'],
    ],
    skipped: 1,
  },
];
for (const { is, text, rows: expected, skipped = 0, repaired = 0 } of files) {
  test(`${is}`, () => {
    assert.deepEqual(rows(text), expected);
    assert.deepEqual(wrong(text), { skipped, repaired });
  });
}

test('what TTML describes or hides is not said', () => {
  const cues = (body: string) =>
    parseTtml(
      `<tt><head><metadata><ttm:title>film</ttm:title></metadata><styling><style xml:id="h" tts:visibility="hidden"/></styling></head><body>${body}</body></tt>`,
    ).cues.map(({ start, end, text }) => [start, end, text.trim()]);
  const times = 'begin="1s" end="2s"';
  for (const inside of [
    '<ttm:desc>a <b>door</b></ttm:desc>',
    '<ttm:title>one</ttm:title>',
    '<span tts:display="none">no <span tts:display="auto">no</span></span>',
    '<span tts:visibility="hidden">no</span>',
    '<span style="h">no</span>',
  ])
    assert.deepEqual(cues(`<p ${times}>${inside}yes</p>`), [[1, 2, 'yes']], inside);
  const shown = '<span tts:visibility="visible">yes</span>';
  assert.deepEqual(cues(`<p ${times} tts:visibility="hidden">no ${shown}</p>`), [[1, 2, 'yes']]);
  assert.deepEqual(cues(`<div tts:display="none"><p ${times}>no</p></div>`), [[1, 2, '']]);
});

test('elements of a sequence of TTML follow each other', () => {
  const cues = (body: string) =>
    parseTtml(`<tt><body>${body}</body></tt>`).cues.map(({ start, end }) => [start, end]);
  assert.deepEqual(cues('<div timeContainer="seq"><p dur="2s">a</p><p dur="3s">b</p></div>'), [
    [0, 2],
    [2, 5],
  ]);
  assert.deepEqual(
    cues(
      '<div begin="10s" timeContainer="seq"><p begin="1s" end="2s">a</p><div><p end="4s">b</p></div><p begin="1s" dur="1s">c</p></div>',
    ),
    [
      [11, 12],
      [12, 16],
      [17, 18],
    ],
  );
  assert.deepEqual(cues('<div><p dur="2s">a</p><p dur="3s">b</p></div>'), [
    [0, 2],
    [0, 3],
  ]);
});

test('times of TTML in every form', () => {
  const rates = { frames: 25, ticks: 1000 };
  const table: [string, number | null][] = [
    ['00:00:01', 1],
    ['00:00:01.25', 1.25],
    ['00:00:01:05', 1.2],
    ['1.5s', 1.5],
    ['250ms', 0.25],
    ['2m', 120],
    ['1h', 3600],
    ['50f', 2],
    ['1500t', 1.5],
    ['soon', null],
    ['', null],
  ];
  for (const [text, seconds] of table) assert.equal(ttmlSeconds(text, rates), seconds, text);
});

test('the format is told by the text, not by a name', () => {
  assert.equal(formatOf('\ufeffWEBVTT\n'), 'webvtt');
  assert.equal(formatOf('WEBVTTX'), 'subrip');
  assert.equal(formatOf('\n[Script Info]\n'), 'ass');
  assert.equal(formatOf('<?xml version="1.0"?><tt/>'), 'ttml');
  assert.equal(formatOf('<i>1</i>'), 'subrip');
  assert.equal(formatOf(''), 'subrip');
});

test('times beyond every recording cost their cue or its end, never the file', () => {
  const text =
    '00:00:01,000 --> 99999:00:00,000\nlong\n\n00:00:04,000 --> 00:00:05,000\nplain\n\n9999:00:00,000 --> 9999:00:01,000\nlate\n';
  const { segments, skipped, repaired } = segmentsOfCues(parseSubtitles(text));
  assert.deepEqual(
    segments.map(({ start_seconds, end_seconds, text }) => [start_seconds, end_seconds, text]),
    [
      [1, 2, ' long'],
      [4, 5, ' plain'],
    ],
  );
  assert.deepEqual([skipped, repaired], [1, 1]);
});

test('whatever is done to a file, it is read without a fault, and what comes out is sound', () => {
  const seeds = files.map(({ text }) => text);
  const bits = [
    '-->',
    '\n',
    '\r',
    '00:00:01,000',
    '<v X>',
    '{\\p1}',
    '&',
    ':',
    '<',
    '>',
    '"',
    ',',
    'A: ',
    '\0',
    '\ud800',
  ];
  const edit = fc.record({
    at: fc.nat(2000),
    cut: fc.nat(12),
    put: fc.oneof(fc.constantFrom(...bits), fc.string({ maxLength: 6, unit: 'binary' })),
  });
  const spoilt = fc.tuple(fc.constantFrom(...seeds), fc.array(edit, { maxLength: 20 }));
  fc.assert(
    fc.property(spoilt, ([seed, edits]) => {
      let text = seed;
      for (const { at, cut, put } of edits) {
        const place = at % (text.length + 1);
        text = text.slice(0, place) + put + text.slice(place + cut);
      }
      const { segments, skipped, repaired } = segmentsOfCues(parseSubtitles(text));
      assert.ok(skipped >= 0 && repaired >= 0);
      segments.forEach((segment, i) => {
        assert.ok(segment.start_seconds >= 0 && segment.end_seconds > segment.start_seconds);
        assert.ok(segment.end_seconds * 1000 < 2 ** 32);
        assert.ok(i === 0 || segments[i - 1]!.start_seconds <= segment.start_seconds);
        assert.match(segment.text, /^ \S/);
        assert.doesNotMatch(segment.text, /[\n\r\0]/);
      });
    }),
    { numRuns: draws(500) },
  );
});

test('a long file of nothing but signs is read in one pass', () => {
  for (const sign of ['<', '&', '{\\', '<!--', '<v ', '-->', '0:', '00:00:01,000 --> ', 'A:']) {
    const text = sign.repeat(100_000);
    for (const head of [
      '',
      'WEBVTT\n\n00:01.000 --> 00:02.000\n',
      '<tt>',
      '[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,,,,,,,',
    ]) {
      assert.ok(segmentsOfCues(parseSubtitles(head + text)).segments.length <= 100_000);
    }
  }
});

const SIZE = 1_000_000;
const head = 'WEBVTT\n\n00:01.000 --> 00:02.000\n';
const dense: [string, string, number][] = [
  ['nothing but carriage returns', '\r'.repeat(SIZE), 0],
  ['a text and then carriage returns', `1\n00:00:01,000 --> 00:00:02,000\nA${'\r'.repeat(SIZE)}`, 1],
  ['a voice tag that is never closed', `${head}<v${' '.repeat(SIZE)}`, 1],
  ['cues that all start at once and never end', '0:01 -->\nx\n\n'.repeat(SIZE / 8), 1],
  ['elements that are never closed', `<tt>${'<a>'.repeat(SIZE / 5)}${'</b>'.repeat(SIZE / 5)}`, 0],
];
for (const [is, text, count] of dense) {
  // Searched again from every sign, each of them takes minutes.
  test(`a megabyte of ${is} is read in one pass`, () => {
    const began = performance.now();
    assert.equal(segmentsOfCues(parseSubtitles(text)).segments.length, count);
    assert.ok(performance.now() - began < 10_000);
  });
}

test('a run of carriage returns before a line feed is one end of a line, alone each is one', () => {
  assert.deepEqual(linesOf('a\r\r\r\nb\r\rc\n\r\nd\r\u2028e\u2029'), [
    'a',
    'b',
    '',
    'c',
    '',
    'd',
    '',
    'e',
    '',
  ]);
});
