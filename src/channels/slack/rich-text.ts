/** Puts blocks together of native rich text: what is put in is neither parsed nor escaped, and copied as it is. */
import { splitAddresses } from '../../text/clean.ts';
import { type SlackObject, isUsableUrl, stringAt, typeOf } from './message.ts';

/** A piece of a line. */
export type Run = SlackObject;

export type Style = 'bold' | 'italic' | 'code';

export function words(text: string, style?: Style): Run {
  return style === undefined ? { type: 'text', text } : { type: 'text', text, style: { [style]: true } };
}

/** Words that lead to an address; the words alone where Slack would refuse it. */
export function link(text: string, url: string): Run {
  if (!isUsableUrl(url)) return words(text);
  return text === '' || text === url ? { type: 'link', url } : { type: 'link', url, text };
}

/** A text in which each web address is a link that shows it. */
export function linked(text: string): readonly Run[] {
  return splitAddresses(text).map((piece) =>
    piece.address !== undefined && isUsableUrl(piece.address)
      ? link(piece.text, piece.address)
      : words(piece.text),
  );
}

export class RichText {
  readonly #blocks: SlackObject[] = [];
  #elements: SlackObject[] = [];
  #runs: Run[] = [];

  /** Nothing, where there is no word in it. */
  line(...runs: readonly Run[]): void {
    if (!runs.some(hasWords)) return;
    if (this.#runs.length > 0) this.#add(words('\n'));
    for (const run of runs) this.#add(run);
  }

  preformatted(text: string): void {
    this.#endSection();
    this.#elements.push({ type: 'rich_text_preformatted', elements: [words(text)] });
  }

  list(items: readonly (readonly Run[])[]): void {
    this.#endSection();
    const elements = items.map(sectionOf);
    if (elements.length > 0) this.#elements.push({ type: 'rich_text_list', style: 'bullet', elements });
  }

  table(names: readonly string[], rows: readonly (readonly string[])[]): void {
    this.#endBlock();
    this.#blocks.push({ type: 'table', rows: [names.map(cellOf), ...rows.map((row) => row.map(cellOf))] });
  }

  /** All that was put in. */
  end(): readonly SlackObject[] {
    this.#endBlock();
    return this.#blocks;
  }

  /** Slack refuses an empty text; two plain ones in a row are one. */
  #add(run: Run): void {
    if (!hasWords(run)) return;
    const last = this.#runs.at(-1);
    if (last !== undefined && isPlain(last) && isPlain(run))
      this.#runs[this.#runs.length - 1] = words(stringAt(last, 'text') + stringAt(run, 'text'));
    else this.#runs.push(run);
  }

  #endSection(): void {
    if (this.#runs.length > 0) this.#elements.push(sectionOf(this.#runs));
    this.#runs = [];
  }

  #endBlock(): void {
    this.#endSection();
    if (this.#elements.length > 0) this.#blocks.push({ type: 'rich_text', elements: this.#elements });
    this.#elements = [];
  }
}

function hasWords(run: Run): boolean {
  return stringAt(run, 'text') !== '' || typeOf(run) === 'link';
}

function isPlain(run: Run): boolean {
  return typeOf(run) === 'text' && !('style' in run);
}

/** Stands where there is nothing, which Slack would refuse. */
const NOTHING = '–';

function sectionOf(runs: readonly Run[]): SlackObject {
  const shown = runs.filter(hasWords);
  return { type: 'rich_text_section', elements: shown.length === 0 ? [words(NOTHING)] : shown };
}

/** The simplest cell that holds the text. */
function cellOf(text: string): SlackObject {
  const runs = linked(text);
  if (runs.every(isPlain)) return { type: 'raw_text', text: text.trim() === '' ? NOTHING : text };
  return { type: 'rich_text', elements: [sectionOf(runs)] };
}
