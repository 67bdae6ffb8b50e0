// Writes transcripts as Word documents: a table whose head is repeated on every page, and page numbers.
import {
  AlignmentType,
  BorderStyle,
  Document,
  Footer,
  HeadingLevel,
  Packer,
  PageNumber,
  Paragraph,
  ShadingType,
  Table,
  TableCell,
  TableLayoutType,
  TableRow,
  TextRun,
  WidthType,
} from 'docx';
import { clockTime } from '../decoder/contract.ts';
import type { Rendered, Row, Transcript } from './contract.ts';
import { isRightToLeft } from './direction.ts';
import { withSilence } from './rows.ts';

/** Twentieths of a point, of the 9,638 that an A4 page has between its margins. */
const TIME = 2100;
const SPEAKER = 1800;
const PAGE = 9638;

const hairline = { style: BorderStyle.SINGLE, size: 4, color: 'C8C8C8' };
const none = { style: BorderStyle.NONE, size: 0, color: 'auto' };
const margins = { top: 60, bottom: 60, left: 80, right: 80 };

export async function wordDocument({ title, rows }: Transcript): Promise<Rendered> {
  const all = withSilence(rows);
  const speakers = rows.some(({ speaker }) => speaker !== null);
  const widths = speakers ? [TIME, SPEAKER, PAGE - TIME - SPEAKER] : [TIME, PAGE - TIME];
  const head = speakers ? ['Time', 'Speaker', 'Text'] : ['Time', 'Text'];
  const table = new Table({
    layout: TableLayoutType.FIXED,
    width: { size: PAGE, type: WidthType.DXA },
    columnWidths: widths,
    borders: {
      top: none,
      bottom: hairline,
      left: none,
      right: none,
      insideVertical: none,
      insideHorizontal: hairline,
    },
    rows: [
      new TableRow({
        tableHeader: true,
        children: head.map((text, i) => cell([new TextRun({ text, bold: true })], widths[i]!, 'EEEEEE')),
      }),
      ...all.map((row) => tableRow(row, widths, speakers)),
    ],
  });
  const file = new Document({
    title,
    creator: 'framehound',
    description: 'Transcript',
    styles: { default: { document: { run: { size: 20 } } } },
    sections: [
      {
        properties: { page: { margin: { top: 1134, bottom: 1134, left: 1134, right: 1134 } } },
        footers: { default: footer() },
        children: [heading(title), ...(all.length > 0 ? [table] : [new Paragraph('No speech.')])],
      },
    ],
  });
  return { bytes: await Packer.toBuffer(file), warning: null };
}

function heading(title: string): Paragraph {
  const rtl = isRightToLeft(title);
  return new Paragraph({
    heading: HeadingLevel.HEADING_1,
    bidirectional: rtl,
    spacing: { after: 200 },
    children: [new TextRun({ text: title, rightToLeft: rtl })],
  });
}

function tableRow({ kind, start, end, speaker, text }: Row, widths: readonly number[], speakers: boolean) {
  const silent = kind === 'silence';
  const time = new TextRun({ text: `${clockTime(start)} – ${clockTime(end)}`, size: 16, color: '666666' });
  const said = silent
    ? [new TextRun({ text: '(silence)', italics: true, color: '808080' })]
    : [new TextRun({ text, rightToLeft: isRightToLeft(text) })];
  const name = new TextRun({ text: speaker ?? '', bold: true, rightToLeft: isRightToLeft(speaker ?? '') });
  const last = widths.length - 1;
  return new TableRow({
    cantSplit: text.length < 1000,
    children: [
      cell([time], widths[0]!),
      ...(speakers ? [cell([name], widths[1]!)] : []),
      cell(said, widths[last]!, undefined, !silent && isRightToLeft(text)),
    ],
  });
}

function cell(children: TextRun[], width: number, fill?: string, bidirectional = false): TableCell {
  return new TableCell({
    width: { size: width, type: WidthType.DXA },
    margins,
    ...(fill ? { shading: { type: ShadingType.CLEAR, fill, color: 'auto' } } : {}),
    children: [new Paragraph({ bidirectional, children })],
  });
}

function footer(): Footer {
  const number = new TextRun({ children: [PageNumber.CURRENT, ' / ', PageNumber.TOTAL_PAGES], size: 16 });
  return new Footer({ children: [new Paragraph({ alignment: AlignmentType.CENTER, children: [number] })] });
}
