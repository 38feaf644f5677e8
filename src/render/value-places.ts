/** The places of values in a template's string: no value may act as markup, whatever its text. */
import type { TextKind, ValuePlace } from '../channels/channel.ts';
import { fault } from '../config/words.ts';
import { OWN_ADDRESS } from './filters.ts';
import { type LiquidFault, placeIn } from './liquid-faults.ts';

/** Ends at the first braces outside of quotes, as liquidjs ends it. */
const VALUE = /\{\{-?(?<expression>(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^"'])*?)-?\}\}/gs;

/** An expression that gives an address: `job_url`, `file.url`, `output.files[0].url` of an output, `job_url | default: page_url`. */
const ONE = String.raw`(?:job_url|page_url|incident_url|link_url|(?!callback\b|output\b(?!\.(?:files\b|url$)))[\w.[\]]+\.url)`;
const ADDRESS = new RegExp(String.raw`^\s*${ONE}(?:\s*\|\s*default:\s*${ONE})?\s*$`, 'u');

/**
 * @returns the source with a filter on each value in the place of an address, which prints only addresses that Botbell made; and a
 * fault for each value where none, or only an address, is allowed
 */
export function guarded(source: string, kind: TextKind) {
  const faults: LiquidFault[] = [];
  const { placeAt } = new Printed(source, kind);
  const text = source.replace(VALUE, (tag, expression: string, offset: number) => {
    const place = placeAt(offset);
    if (place === 'text') return tag;
    if (place === 'address' && ADDRESS.test(expression))
      return tag.replace(expression, `${expression.trimEnd()} | ${OWN_ADDRESS} `);
    faults.push({ what: fault(`liquid.${place}`), ...placeIn(source, offset) });
    return tag;
  });
  return { text, faults };
}

const TOKEN = new RegExp(String.raw`${VALUE.source}|\{%-?\s*(?<name>\w*).*?%\}|[^{]+|\{`, 'gs');
const IS_BLOCK = /^(?:if|unless|case|for|comment)$/;
const ENDS_BRANCH = /^(?:else|elsif|when|end\w+)$/;

/** Replaces a value in the text that `placeOf` gets. */
const VALUE_MARK = '\u0001';

/** What may stand behind a text, and behind a value: where these lead to the same places, texts before them make no difference. */
const PROBES = ['', '"', "'", '="', "='", '<', '>', '|', '-->', '</script>', '</style>'].flatMap((before) =>
  ['', '"', '|'].map((behind) => [before, behind] as const),
);

/** A text for each way in which the markup printed so far may stand open: branches are printed or not, loops come round again. */
type Texts = readonly string[];

interface Walked {
  /** The token that ends the branch. */
  readonly at: number;
  readonly texts: Texts;
}

/** Follows a template through its branches and loops, and finds for each value all places in which it may be printed. */
class Printed {
  readonly #source: string;
  readonly #kind: TextKind;
  readonly #tokens: readonly RegExpExecArray[];
  readonly #places = new Map<number, Set<ValuePlace>>();

  constructor(source: string, kind: TextKind) {
    this.#source = source;
    this.#kind = kind;
    this.#tokens = [...source.matchAll(TOKEN)];
    this.#walk(0, ['']);
  }

  /** A value that is never printed, as in a comment, may stand anywhere. */
  readonly placeAt = (offset: number): ValuePlace => {
    const [place = 'text', ...others] = this.#places.get(offset) ?? [];
    return others.length === 0 ? place : 'nowhere';
  };

  #walk(from: number, entered: Texts): Walked {
    let texts = entered;
    let at = from;
    for (; at < this.#tokens.length && !ENDS_BRANCH.test(this.#nameAt(at)); at += 1) {
      const token = this.#tokens[at]?.[0] ?? '';
      if (IS_BLOCK.test(this.#nameAt(at))) ({ at, texts } = this.#block(at, texts));
      else if (token.startsWith('{{')) texts = this.#value(at, texts);
      else if (!token.startsWith('{%')) texts = texts.map((text) => text + token);
    }
    return { at, texts };
  }

  #value(at: number, texts: Texts): Texts {
    const { index = 0, 0: token = '' } = this.#tokens[at] ?? {};
    const behind = withoutLiquid(this.#source.slice(index + token.length));
    const places = this.#places.get(index) ?? new Set();
    for (const text of texts) places.add(this.#kind.placeOf(text, behind));
    this.#places.set(index, places);
    return texts.map((text) => text + VALUE_MARK);
  }

  #block(at: number, entered: Texts): Walked {
    const name = this.#nameAt(at);
    if (name === 'comment') return { at: this.#endOfComment(at), texts: entered };
    if (name === 'for') return this.#loop(at, entered);
    const branches: Texts[] = [];
    // What stands before the first `when` of a `case` is not printed.
    let [end, isSure] = [name === 'case' ? this.#walk(at + 1, []).at : at, false];
    do {
      isSure ||= this.#nameAt(end) === 'else';
      const walked = this.#walk(end + 1, entered);
      branches.push(walked.texts);
      end = walked.at;
    } while (/^(?:else|elsif|when)$/.test(this.#nameAt(end)));
    return { at: end, texts: this.#distinct([...branches.flat(), ...(isSure ? [] : entered)]) };
  }

  #loop(at: number, entered: Texts): Walked {
    let texts = this.#distinct(entered);
    for (;;) {
      const body = this.#walk(at + 1, texts);
      const all = this.#distinct([...texts, ...body.texts]);
      if (all.length === texts.length) {
        const other = this.#nameAt(body.at) === 'else' ? this.#walk(body.at + 1, entered) : body;
        return { at: other.at, texts: this.#distinct([...all, ...other.texts]) };
      }
      texts = all;
    }
  }

  /** Of all texts that lead to the same places the shortest that is known: none at all, where these lead to the same. */
  #distinct(texts: Texts): Texts {
    const known = new Map<string, string>();
    for (const text of texts) {
      const leadsTo = this.#leadsTo(text);
      const shortest = known.get(leadsTo) ?? (leadsTo === this.#leadsTo('') ? '' : text);
      known.set(leadsTo, shortest.length <= text.length ? shortest : text);
    }
    return [...known.values()];
  }

  #leadsTo(text: string): string {
    return PROBES.map(([before, behind]) => this.#kind.placeOf(text + before, behind)).join();
  }

  #endOfComment(at: number): number {
    const end = this.#tokens.findIndex((_, index) => index > at && this.#nameAt(index) === 'endcomment');
    return end === -1 ? this.#tokens.length : end;
  }

  #nameAt(at: number): string {
    return this.#tokens[at]?.groups?.['name'] ?? '';
  }
}

const TAG = /\{%.*?%\}/gs;

/** The template's own markup, with a mark for each value and without tags. */
function withoutLiquid(source: string): string {
  return source.replace(VALUE, VALUE_MARK).replace(TAG, '');
}
