// Makes subtitles odd in the ways that editors, converters and jokers make them odd: lines and numbers
// without end, runs of one sign, markup nested or never closed, times that are none, wrong encodings. The
// same for the same seed.
import { randomFrom } from '../../bench/samples/drawings/noise.ts';
import { mutate } from './mutation.ts';

type Random = () => number;

export interface OddSubtitles {
  readonly ending: string;
  readonly bytes: Uint8Array;
  readonly done: readonly string[];
}

interface Cue {
  start: string;
  end: string;
  text: string;
}

/** Characters of one oddity, at most; a long run asks for more. */
const longest = Number(process.env['FRAMEHOUND_FUZZ_LONGEST'] ?? 200_000);

const choose = <T>(of: readonly T[], random: Random): T => of[Math.floor(random() * of.length)]!;
/** Small numbers often, large ones now and then. */
const amount = (most: number, random: Random) => Math.max(1, Math.floor(most ** random()));

const clock = (seconds: number, point: string) =>
  `${new Date(seconds * 1000).toISOString().slice(11, 19)}${point}${`${Math.round((seconds % 1) * 1000)}`.padStart(3, '0')}`;

const writers: Readonly<Record<string, (cues: readonly Cue[]) => string>> = {
  srt: (cues) => cues.map(({ start, end, text }, n) => `${n + 1}\n${start} --> ${end}\n${text}\n`).join('\n'),
  vtt: (cues) =>
    `WEBVTT\nLanguage: en\n\nNOTE made by hand\n\n${cues.map(({ start, end, text }) => `${start} --> ${end} align:left\n${text}\n`).join('\n')}`,
  ass: (cues) =>
    `[Script Info]\n[Events]\nFormat: Layer, Start, End, Style, Name, Text\n${cues.map(({ start, end, text }) => `Dialogue: 0,${start},${end},Default,Ada,${text}`).join('\n')}\n`,
  ttml: (cues) =>
    `<?xml version="1.0"?><tt xml:lang="en" xmlns="http://www.w3.org/ns/ttml"><body><div>${cues.map(({ start, end, text }) => `<p begin="${start}" end="${end}">${text}</p>`).join('\n')}</div></body></tt>`,
};

/**
 * What a line is filled with: signs that begin something in one of the formats, and that repeat or never end.
 */
const fillings = [
  ...[
    'a',
    ' ',
    '\t',
    '\r',
    '\n',
    '\r\r\n',
    '\u2028',
    '\0',
    '<',
    '>',
    '&',
    '{',
    '{\\',
    '}',
    '[',
    '(',
    ')',
    ':',
    ',',
    '"',
  ],
  ...[
    '-->',
    '--> ',
    ' -->',
    '-',
    '0',
    '9:',
    '00:',
    '>> ',
    'A:',
    'A: b\n',
    '- X:\n',
    '[a] ',
    '(a) (',
    'Ab. ',
    "'",
  ],
  ...[
    '<b>',
    '<v Ada>',
    '</v>',
    '<v ',
    '<c.a>',
    '<rt>',
    '<rt',
    '</',
    '<br',
    '<!--',
    '<![CDATA[',
    '<?',
    '<p>',
    '<span ',
    '<div',
  ],
  ...[
    '&#',
    '&#x',
    '&amp',
    '&#1114112;',
    '{\\p1}',
    '{\\an8',
    '{y:i',
    '\\N',
    '\\h',
    'a="',
    'a=b ',
    'begin=',
    'NOTE ',
    'STYLE\n',
  ],
  ...[
    'Dialogue: ',
    'Format: a,',
    '[Events]\n',
    'WEBVTT\n',
    '1\n',
    '\ufeff',
    '\u200d',
    'e\u0301',
    '\u0301',
    '\u202e',
    '漢',
    '😀',
    '\ud800',
  ],
];

const times = [
  ...[
    '',
    '-1',
    '-00:00:01,000',
    '99999999999:00:00,000',
    '1e9',
    'NaN',
    '00:00',
    '00:00:60:99',
    '0:0:0.0.0',
    '١:٢:٣',
  ],
  ...[
    '999999999:999999999:999999999,999999999',
    '00:00:01,',
    ':',
    '00 : 00 : 01 , 500',
    '36f',
    '9t',
    '12345h',
    '1.5ms',
  ],
];

type Oddity = (cues: Cue[], random: Random) => void;

const oddities: Readonly<Record<string, Oddity>> = {
  fill: (cues, random) => {
    choose(cues, random).text += choose(fillings, random).repeat(amount(longest / 4, random));
  },
  mix: (cues, random) => {
    const some = Array.from({ length: 2 + Math.floor(random() * 3) }, () => choose(fillings, random)).join(
      '',
    );
    choose(cues, random).text = some.repeat(amount(longest / 8, random));
  },
  nest: (cues, random) => {
    const [open, close] = choose(
      [
        ['<b>', '</b>'],
        ['<v A>', '</v>'],
        ['{', '}'],
        ['<p begin="1s">', '</p>'],
        ['<span>', ''],
        ['(', ')'],
        ['', '</p>'],
      ] as const,
      random,
    );
    const depth = amount(longest / 20, random);
    choose(cues, random).text = `${open.repeat(depth)}deep${close.repeat(depth)}`;
  },
  time: (cues, random) => {
    const digits = choose([...'0123456789'], random).repeat(amount(longest / 8, random));
    const time = random() < 0.3 ? digits : choose(times, random);
    choose(cues, random)[random() < 0.5 ? 'start' : 'end'] = time;
  },
  timesOfAll: (cues, random) => {
    const time = random() < 0.5 ? cues[0]!.start : choose(times, random);
    for (const cue of cues) cue[random() < 0.5 ? 'start' : 'end'] = time;
  },
  many: (cues, random) => {
    const count = amount(longest / 20, random);
    const speaks = random() < 0.5;
    for (let n = 0; n < count; n++) {
      const text =
        random() < 0.3 ? 'again' : `${speaks ? `P${n % 7}: ` : ''}line ${n % 13}\nline ${(n + 1) % 13}`;
      cues.push({ ...cues[n % 3]!, text });
    }
  },
  backwards: (cues) => void cues.reverse(),
};

const encodings: Readonly<Record<string, (text: string) => Uint8Array>> = {
  utf8: (text) => Buffer.from(text),
  marked: (text) => Buffer.from(`\ufeff${text}`),
  utf16le: (text) => Buffer.from(text, 'utf16le'),
  utf16be: (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
  utf32le: (text) => new Uint8Array(Uint32Array.from(`\ufeff${text}`, (sign) => sign.codePointAt(0)!).buffer),
  latin: (text) => Buffer.from(text, 'latin1'),
  // Bytes as those of Cyrillic, Greek or Thai in one byte each, and of Chinese and Japanese in two.
  high: (text) =>
    Uint8Array.from(Buffer.from(text, 'latin1'), (byte) => (byte > 96 && byte < 123 ? byte + 128 : byte)),
  pairs: (text) =>
    Uint8Array.from(
      [...Buffer.from(text, 'latin1')].flatMap((byte) => (byte > 96 ? [0x82, byte + 64] : [byte])),
    ),
  escaped: (text) => Buffer.from(`${text}\u001b$B$3$s\u001b(B`),
};

export function oddSubtitles(seed: number): OddSubtitles {
  const random = randomFrom(seed);
  const ending = choose(Object.keys(writers), random);
  const point = ending === 'srt' ? ',' : '.';
  const words = [
    'First line',
    'MARY: Come in.\nJOHN: Good evening.',
    'Zweite Zeile: Grüße',
    '<i>left</i>',
    'река, 河',
  ];
  const cues: Cue[] = Array.from({ length: 3 + Math.floor(random() * 12) }, (_, n) => ({
    start: clock(n * 2, point),
    end: clock(n * 2 + 1.5, point),
    text: words[n % words.length]!,
  }));
  const done: string[] = [];
  for (let left = 1 + Math.floor(random() * 3); left > 0; left--) {
    const name = choose(Object.keys(oddities), random);
    oddities[name]!(cues, random);
    done.push(name);
  }
  let text = writers[ending]!(cues);
  const ends = choose(['\n', '\n', '\r\n', '\r', '\r\r\n', '\n\n'], random);
  if (ends !== '\n') text = text.replaceAll('\n', ends);
  const encoding = random() < 0.5 ? 'utf8' : choose(Object.keys(encodings), random);
  const bytes = encodings[encoding]!(text);
  const damage = random() < 0.2 ? mutate(bytes, seed) : { bytes, done: [] };
  return { ending, bytes: damage.bytes, done: [encoding, ...done, ...damage.done] };
}
