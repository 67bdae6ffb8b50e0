// Walks the pages of an LMDB file before LMDB maps it. LMDB trusts what it maps: a page number or an offset
// that points outside ends the process, so a damaged file must be found out here. Facts on the format: LMDB
// 0.9.90, data version 2.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { damagedRecords, storeFault } from './faults.ts';

const magic = 0xbeefc0de;
const dataVersion = 2;
const header = 24;
const [branch, leaf, overflow, meta] = [0x01, 0x02, 0x04, 0x08];
const bigData = 0x01;
const noPage = 0xffffffffffffffffn;

interface Tree {
  readonly depth: number;
  readonly branches: number;
  readonly leaves: number;
  readonly overflows: number;
  readonly entries: number;
  readonly root: bigint;
}
interface Meta {
  readonly pageSize: number;
  readonly lastPage: number;
  readonly txnid: bigint;
  readonly trees: readonly Tree[];
}

class PageWalk {
  readonly #fd: number;
  readonly #file: string;
  readonly #meta: Meta;
  readonly #pages: number;
  #count = { branches: 0, leaves: 0, overflows: 0, entries: 0 };
  readonly #used = new Set<number>();
  readonly #free: DataView[] = [];

  constructor(fd: number, file: string, latest: Meta) {
    this.#fd = fd;
    this.#file = file;
    this.#meta = latest;
    this.#pages = Math.min(Math.floor(fstatSync(fd).size / latest.pageSize), latest.lastPage + 1);
  }

  tree(tree: Tree): void {
    this.#count = { branches: 0, leaves: 0, overflows: 0, entries: 0 };
    if (tree.root !== noPage) this.#page(tree.root, 1, tree);
    const { branches, leaves, overflows, entries } = this.#count;
    if (
      branches !== tree.branches ||
      leaves !== tree.leaves ||
      overflows !== tree.overflows ||
      entries !== tree.entries
    ) {
      throw damagedRecords(this.#file, 'the tree of records does not have the pages it should have');
    }
  }

  /**
   * Lists of free pages name only pages that exist and that no tree uses: LMDB would write over them. A list
   * is a count, then page numbers; a negative number is the length of a run that the next entry names, zero
   * is an empty place.
   */
  freeLists(): void {
    for (const list of this.#free) {
      const count = list.byteLength < 8 ? 0n : list.getBigInt64(0, true);
      if (count < 0n || count * 8n + 8n > BigInt(list.byteLength)) {
        throw damagedRecords(this.#file, 'a list of free pages is longer than its place');
      }
      for (let i = 1; i <= Number(count); i++) {
        const entry = list.getBigInt64(i * 8, true);
        const wrong = entry === 1n || entry > this.#meta.lastPage || -entry > this.#meta.lastPage;
        if (wrong || (entry > 0n && this.#used.has(Number(entry)))) {
          throw damagedRecords(this.#file, `a list of free pages names page ${entry}`);
        }
      }
    }
  }

  #page(number: bigint, depth: number, tree: Tree): void {
    if (depth > tree.depth) throw damagedRecords(this.#file, `page ${number} lies deeper than its tree`);
    const page = this.#read(number);
    const flags = page.getUint16(18, true) & 0xff;
    const expectedKind = depth === tree.depth ? leaf : branch;
    if (flags !== expectedKind) throw damagedRecords(this.#file, `page ${number} is of the wrong kind`);
    if (expectedKind === leaf) this.#count.leaves++;
    else this.#count.branches++;
    if (this.#count.leaves + this.#count.branches > this.#pages)
      throw damagedRecords(this.#file, 'its pages form a circle');
    const lower = page.getUint16(20, true);
    const upper = page.getUint16(22, true);
    const keys = lower >> 1;
    if (lower > upper || upper + header > page.byteLength || lower % 2 !== 0 || keys === 0) {
      throw damagedRecords(this.#file, `page ${number} has impossible bounds`);
    }
    let filled = 0;
    for (let key = 0; key < keys; key++) {
      const node = page.getUint16(header + key * 2, true) + header;
      if (node < upper + header || node + 8 > page.byteLength) {
        throw damagedRecords(this.#file, `page ${number} has an entry outside of it`);
      }
      const isLong = (page.getUint16(node + 4, true) & bigData) !== 0;
      const value = expectedKind === branch ? 0 : isLong ? 24 : page.getUint32(node, true);
      filled += Math.ceil((8 + page.getUint16(node + 6, true) + value) / 2) * 2;
      if (expectedKind === leaf) this.#leafNode(page, number, node, tree === this.#meta.trees[0]);
      else this.#branchNode(page, number, node, depth, tree);
    }
    // Entries lie side by side from `upper` to the end, so one of a wrong length shows.
    if (filled !== page.byteLength - header - upper)
      throw damagedRecords(this.#file, `page ${number} has overlapping entries`);
  }

  #branchNode(page: DataView, number: bigint, node: number, depth: number, tree: Tree): void {
    const low = BigInt(page.getUint32(node, true));
    const high = BigInt(page.getUint16(node + 4, true));
    if (node + 8 + page.getUint16(node + 6, true) > page.byteLength) {
      throw damagedRecords(this.#file, `page ${number} has a key outside of it`);
    }
    this.#page(low | (high << 32n), depth + 1, tree);
  }

  #leafNode(page: DataView, number: bigint, node: number, isFreeList: boolean): void {
    const size = page.getUint32(node, true);
    const flags = page.getUint16(node + 4, true);
    const data = node + 8 + page.getUint16(node + 6, true);
    const inside = (flags & bigData) === 0 ? size : 24;
    if ((flags & ~bigData) !== 0)
      throw damagedRecords(this.#file, `page ${number} has an entry of an unknown kind`);
    if (data + inside > page.byteLength)
      throw damagedRecords(this.#file, `page ${number} has a value outside of it`);
    this.#count.entries++;
    if ((flags & bigData) === 0) {
      if (isFreeList) this.#free.push(new DataView(page.buffer, page.byteOffset + data, size));
      return;
    }
    const first = page.getBigUint64(data, true);
    const over = this.#read(first);
    const pages = over.getUint32(20, true);
    // More pages than the size needs are sound: LMDB keeps them when a value shrinks inside one transaction.
    const right =
      pages >= Math.ceil((header + size) / this.#meta.pageSize) &&
      page.getBigUint64(data + 8, true) <= this.#meta.txnid &&
      page.getBigUint64(data + 16, true) === BigInt(pages);
    if ((over.getUint16(18, true) & 0xff) !== overflow || !right || Number(first) + pages > this.#pages) {
      throw damagedRecords(this.#file, `the long value at page ${first} is broken`);
    }
    this.#count.overflows += pages;
    for (let page = 1; page < pages; page++) this.#used.add(Number(first) + page);
    if (!isFreeList) return;
    const value = readPage(this.#fd, Number(first) * this.#meta.pageSize + header, size);
    if (value === null) throw damagedRecords(this.#file, `the long value at page ${first} is cut off`);
    this.#free.push(value);
  }

  #read(number: bigint): DataView {
    if (number < 2n || number >= BigInt(this.#pages)) {
      throw damagedRecords(this.#file, `page ${number} is missing, the file has ${this.#pages}`);
    }
    const bytes = readPage(this.#fd, Number(number) * this.#meta.pageSize, this.#meta.pageSize);
    if (bytes === null || bytes.getBigUint64(0, true) !== number) {
      throw damagedRecords(this.#file, `page ${number} holds something else`);
    }
    // A page of a later transaction than the last one would be taken for one that may be changed in place.
    if (bytes.getBigUint64(8, true) > this.#meta.txnid)
      throw damagedRecords(this.#file, `page ${number} is of the future`);
    this.#used.add(Number(number));
    return bytes;
  }
}

function readPage(fd: number, position: number, size: number): DataView | null {
  const bytes = Buffer.allocUnsafeSlow(size);
  const got = readSync(fd, bytes, 0, size, position);
  return got < size ? null : new DataView(bytes.buffer);
}

function readMeta(fd: number, file: string, position: number): Meta {
  const page = readPage(fd, position, 168);
  if (page === null) throw damagedRecords(file, 'it is shorter than its two first pages');
  if ((page.getUint16(18, true) & 0x0f) !== meta || page.getUint32(24, true) !== magic) {
    throw damagedRecords(file, 'it does not begin as a database of records');
  }
  if (page.getUint32(28, true) !== dataVersion) throw damagedRecords(file, 'its data version is unknown');
  const pageSize = page.getUint32(48, true);
  if (pageSize < 512 || pageSize > 65536 || (pageSize & (pageSize - 1)) !== 0) {
    throw damagedRecords(file, `a page size of ${pageSize} is impossible`);
  }
  // The list of free pages has whole numbers as keys, the records have none of LMDB's special forms.
  if ((page.getUint16(52, true) & 0x7f) !== 0x08 || (page.getUint16(100, true) & 0x7f) !== 0) {
    throw damagedRecords(file, 'its trees are of an unknown kind');
  }
  const trees = [48, 96].map((at) => ({
    depth: page.getUint16(at + 6, true),
    branches: Number(page.getBigUint64(at + 8, true)),
    leaves: Number(page.getBigUint64(at + 16, true)),
    overflows: Number(page.getBigUint64(at + 24, true)),
    entries: Number(page.getBigUint64(at + 32, true)),
    root: page.getBigUint64(at + 40, true),
  }));
  return {
    pageSize,
    lastPage: Number(page.getBigUint64(144, true)),
    txnid: page.getBigUint64(152, true),
    trees,
  };
}

function latestMeta(fd: number, file: string): Meta {
  const first = readMeta(fd, file, 0);
  const second = readMeta(fd, file, first.pageSize);
  if (second.pageSize !== first.pageSize) throw damagedRecords(file, 'its two first pages disagree');
  return first.txnid > second.txnid ? first : second;
}

/** The number of the last transaction. Throws STORE_DAMAGED when the first two pages are broken. */
export function latestTransaction(fd: number, file: string): bigint {
  return latestMeta(fd, file).txnid;
}

/**
 * Throws STORE_DAMAGED naming the file unless every page reachable from the last commit is sound. Reads the
 * tree pages only, not the values. Another process may be writing: a walk that was overtaken by commits is
 * repeated.
 */
export function checkPages(file: string): void {
  let fd: number;
  try {
    fd = openSync(file, 'r');
  } catch (error) {
    throw storeFault(error, file, 'read');
  }
  try {
    for (let attempt = 0; ; attempt++) {
      const latest = latestMeta(fd, file);
      try {
        const walk = new PageWalk(fd, file, latest);
        for (const tree of latest.trees) walk.tree(tree);
        walk.freeLists();
        return;
      } catch (error) {
        const overtaken = latestMeta(fd, file).txnid !== latest.txnid;
        if (!overtaken || attempt === 20) throw error;
      }
    }
  } finally {
    closeSync(fd);
  }
}
