// Parses Advanced SubStation Alpha: scripts, and the events of an embedded track.
import { type Cue, clockSeconds, linesOf, type Parsed } from './cue.ts';
import { name, plainAss } from './markup.ts';

const defaultFormat = 'layer,start,end,style,name,marginl,marginr,marginv,effect,text'.split(',');
/** Fields of an event in Matroska and FFmpeg: the times are those of the packet. */
const packed = 'readorder,layer,style,name,marginl,marginr,marginv,effect,text'.split(',');

type Fields = Readonly<Record<string, string>>;

export function parseAss(text: string): Parsed {
  const cues: Cue[] = [];
  let skipped = 0;
  let format: readonly string[] = defaultFormat;
  let events = false;
  for (const line of linesOf(text)) {
    const section = /^\s*\[([^\]]*)\]/.exec(line);
    if (section) events = /^events$/i.test(section[1]!.trim());
    const found = /^\s*(Format|Dialogue)\s*:\s*(.*)$/i.exec(line);
    if (!found) continue;
    const [, kind, rest] = found as unknown as [string, string, string];
    if (/^format$/i.test(kind)) {
      const names = rest.split(',').map((one) => one.trim().toLowerCase());
      if (events && names.includes('text')) format = names;
      continue;
    }
    const fields = split(rest, format);
    const start = fields && clockSeconds(fields['start'] ?? '');
    if (!fields || start === null) skipped++;
    else cues.push({ start, end: clockSeconds(fields['end'] ?? ''), ...said(fields) });
  }
  return { cues, skipped, language: null };
}

/** An event of an embedded track; null when it is none. */
export function assEvent(text: string): Pick<Cue, 'text' | 'speaker'> | null {
  const whole = /^\s*Dialogue\s*:\s*(.*)$/is.exec(text);
  const fields = whole ? split(whole[1]!, defaultFormat) : split(text, packed);
  return fields && said(fields);
}

/** The text is the last field and may hold commas. Null when there are too few fields. */
function split(text: string, format: readonly string[]): Fields | null {
  const parts = text.split(',');
  if (parts.length < format.length) return null;
  const last = format.length - 1;
  const values = [...parts.slice(0, last), parts.slice(last).join(',')];
  return Object.fromEntries(format.map((key, i) => [key, values[i]!]));
}

function said(fields: Fields): Pick<Cue, 'text' | 'speaker'> {
  const speaker = name(fields['name'] ?? fields['actor'] ?? '');
  const style = (fields['style'] ?? '').replace(/^\*/, '').trim();
  // Without a speaker, tools fill the field with the style or a number.
  const isName =
    speaker !== null && /\p{L}/u.test(speaker) && speaker !== style && !/^default$/i.test(speaker);
  return { text: plainAss(fields['text'] ?? ''), speaker: isName ? speaker : null };
}
