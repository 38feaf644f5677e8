/** Callbacks of any size made of what has cost display code most, in every place where a stranger can put it. */

/** A text of about so many UTF-16 code units. */
export type TextOfSize = (size: number) => string;

/** The body that carries such a text, or none where it cannot stand there. */
type Place = (text: string, status: number) => unknown;

/** Combining marks whose classes (UAX #44) are in order, out of order, and in no order. */
const MARKS = {
  'one mark': repeated('\u0301'),
  'marks in two classes, sorted': blocks('\u0316', '\u0301'),
  'marks in two classes, the later first': blocks('\u0315', '\u0300'),
  'marks in two classes, in turn': repeated('\u0315\u0300'),
  'marks in eight classes, in turn': repeated('\u0345\u0315\u0301\u3099\u093c\u0327\u0334\u0323'),
  'marks parted by joiners': blocks('\u200d\u0315', '\u200d\u0300'),
  'marks parted by what is invisible': blocks('\u034f\u0315', '\u034f\u0300'),
  'letters with thirty marks': repeated(`a${'\u0315'.repeat(15)}${'\u0300'.repeat(15)}`),
  'letters that compose': repeated('e\u0301'),
};

const BLANKS = {
  blanks: between('a', ' ', 'b'),
  'blanks alone': repeated(' '),
  tabs: between('a', '\t', 'b'),
  'blanks and tabs': between('a', ' \t', 'b'),
  'no-break spaces': between('a', '\u00a0', 'b'),
  'wide spaces': between('a', '\u3000', 'b'),
  'line ends': between('a', '\n', 'b'),
  'carriage returns': repeated('\r'),
  'lines of blanks': repeated('  \n'),
  'blanks before line ends': repeated('a  \r\n'),
  'line separators': repeated('\u2028'),
};

const INVISIBLE = {
  'zero width joiners': repeated('\u200d'),
  'zero width non-joiners': repeated('\u200c'),
  'letters with joiners': repeated('क्\u200d'),
  'right-to-left marks': repeated('\u200f'),
  'bidi embeddings': repeated('\u202e'),
  'zero width spaces': repeated('\u200b'),
  'tag characters': between('🏴', '\u{e0067}', ''),
  controls: repeated('\u0000\u0001\u001b'),
  'lone high surrogates': repeated('\ud83d'),
  'lone low surrogates': repeated('\ude00'),
  noncharacters: repeated('\ufdd0\ufdd2'),
  'link marks': repeated('\ufdd2\ufdd3'),
};

const GRAPHEMES = {
  'emoji chained by joiners': repeated('👩\u200d'),
  'emoji with modifiers': repeated('👍🏽'),
  'regional indicators': repeated('🇯'),
  'Hangul jamo': repeated('\u1100\u1161\u11a8'),
  'leading jamo': repeated('\u1100'),
  'prepended marks': repeated('\u0600'),
  'variation selectors': repeated('\ufe0f'),
  Japanese: repeated('請求書の取込みに失敗しました。'),
  Arabic: repeated('مرحبا '),
};

/** Each repeated; `␣` stands for a blank, `↵` for a line end. */
const UNITS = String.raw`
  ${'` `` ```'} < > <<!-- </ <! <a␣ <@ <script <style & &amp; &lt &# * *a␣ ** _ _a␣ ~ ~a␣ | |␣a␣ || [ ]( [a]( ( ) )( { } {{ {% %} " '
  \ \" \\ @ @here # : :a :a: :0 :// http http:// https://a␣ https://a) https://a/( www. a@b.example␣ xn-- 1 1. - -␣ >␣ &gt;␣ •␣ + =
  . , / /. /.. % %2e %41 -1e 1e9 ↵-␣ ↵| ↵>␣ ↵${'```'} ↵1)␣ a↵ *↵ ${'`'}↵ <↵ ↵↵↵ File␣"x",␣line␣1↵ ␣␣at␣x␣(y:1:1)↵ Caused␣by:␣x↵
  Traceback␣(most␣recent␣call␣last):↵ a. Error:␣ Error`
  .trim()
  .split(/\s+/);

const MARKUP = Object.fromEntries(
  UNITS.map((unit) => [`repeated ${unit}`, repeated(unit.replaceAll('␣', ' ').replaceAll('↵', '\n'))]),
);

export const KINDS: ReadonlyMap<string, TextOfSize> = new Map(
  Object.entries({
    ...MARKS,
    ...BLANKS,
    ...INVISIBLE,
    ...GRAPHEMES,
    ...MARKUP,
    letters: repeated('a'),
    'one long address': (size: number) => `https://example.com/${'a'.repeat(size)}`,
    'an address that climbs': (size: number) => `https://example.com/${'../'.repeat(size / 3)}`,
    'an open mark at the beginning': (size: number) => `*${'a '.repeat(size / 2)}`,
    'an open fence': (size: number) => `\`\`\`${'a\n'.repeat(size / 2)}`,
  }),
);

function repeated(unit: string): TextOfSize {
  return (size) => unit.repeat(Math.ceil(size / unit.length));
}

function between(begin: string, unit: string, end: string): TextOfSize {
  return (size) => begin + repeated(unit)(size) + end;
}

/** As many of one as of the other. */
function blocks(one: string, other: string): TextOfSize {
  return (size) => `a${repeated(one)(size / 2)}${repeated(other)(size / 2)}`;
}

const FILE = { ref: 'r/1', meta: { name: 'a.csv', size: 1, timestamp: 1_700_000_000 } };

const file = (meta: object, more: object = {}) => ({
  output: {
    'files ': { type: 'files', files: [FILE, { ...FILE, meta: { ...FILE.meta, ...meta }, ...more }] },
  },
});

/** Fields of the interface's callback that carry the text. */
export const PLACES: ReadonlyMap<string, Place> = new Map(
  Object.entries({
    job_id: (text) => ({ job_id: text }),
    bot_id: (text) => ({ bot_id: text }),
    bot_name: (text) => ({ bot_name: text }),
    message: (text) => ({ message: text }),
    start_time: (text) => ({ start_time: text }),
    'a start_time that exists': (text) => ({ start_time: `2026-11-20T09:00:00${text}` }),
    status: (text) => ({ status: text }),
    'output’s key': (text) => ({ output: { [text]: 'a' } }),
    'output’s value': (text) => ({ output: { a: text } }),
    'list’s item': (text) => ({ output: { a: ['a', text, 'b'] } }),
    'list’s cell': (text) => ({
      output: {
        a: [
          { x: 'a', y: text },
          { x: 'b', y: 'c' },
        ],
      },
    }),
    'column’s name': (text) => ({
      output: {
        a: [
          { x: 'a', [text]: 'b' },
          { x: 'b', [text]: 'c' },
        ],
      },
    }),
    'member’s key': (text) => ({ output: { a: { [text]: 'a', b: 'c' } } }),
    'nested value': (text) => ({ output: { a: { b: [{ c: [text] }], d: { e: text } } } }),
    'file’s name': (text) => file({ name: text }),
    'file’s size': (text) => file({ size: text }),
    'file’s ref': (text) => file({}, { ref: text }),
    'ref of a file without name': (text) => file({ name: null }, { ref: text }),
    'unknown field': (text) => ({ more: text }),
    'top-level key': (text) => ({ [text]: 'a' }),
    'a body that is no object': (text) => text,
  } satisfies Record<string, Place>),
);

export const BASE = {
  code: 200,
  job_id: 'j-1',
  bot_id: 'get-items',
  bot_name: 'Get items',
  start_time: '2026-11-20T09:00:00+09:00',
  elapsed_time: 12,
  output: { 件数: 12, 'a b': ['x', 'y'] },
  message: 'ValueError: no such item',
};

/** The bytes that a stranger posts. */
export function bodyOf(place: string, text: string, status: number): Buffer {
  const fields = PLACES.get(place)?.(text, status);
  const body = typeof fields === 'object' ? { ...BASE, status, ...fields } : fields;
  return Buffer.from(JSON.stringify(body));
}

/** Bodies of about so many bytes that are hostile by their shape. */
export const SHAPES: ReadonlyMap<string, (size: number) => string> = new Map(
  Object.entries({
    'many output keys': (size: number) => withOutput(`{${members(size / 10)}}`),
    'many top-level keys': (size: number) => `${withOutput('{}').slice(0, -1)},${members(size / 10)}}`,
    'many files': (size: number) =>
      withOutput(`{"f":{"type":"files","files":[${listed('{"ref":"r","meta":{"name":"n"}}', size)}]}}`),
    'many files lists': (size: number) => withOutput(`{${numbered('{"type":"files","files":[{}]}', size)}}`),
    'many list rows': (size: number) => withOutput(`{"l":[${listed('{"a":1,"b":"x"}', size)}]}`),
    'many unlike rows': (size: number) => withOutput(`{"l":[${distinct(size)}]}`),
    'many columns': (size: number) => withOutput(`{"l":[{${members(size / 20)}},{${members(size / 20)}}]}`),
    'many small lists': (size: number) => withOutput(`{${numbered('[1]', size)}}`),
    'many empty objects': (size: number) => withOutput(`{"l":[${listed('{}', size)}]}`),
    'many texts': (size: number) => withOutput(`{"l":[${listed('"a b"', size)}]}`),
    'many numbers': (size: number) => withOutput(`{"l":[${listed('1', size)}]}`),
    'many long numbers': (size: number) => withOutput(`{"l":[${listed('12345678901234567890', size)}]}`),
    'one long number': (size: number) => withOutput(`{"n":${'9'.repeat(size)}}`),
    'one long fraction': (size: number) => withOutput(`{"n":0.${'0'.repeat(size)}1}`),
    'one long exponent': (size: number) => withOutput(`{"n":1e${'0'.repeat(size)}1}`),
    'the same key again and again': (size: number) => withOutput(`{${listed('"a":1', size)}}`),
    'lists in lists': (size: number) => withOutput(`{"l":[${listed(nested(50), size)}]}`),
    'too deep': (size: number) => withOutput(`{"l":${nested(size / 2)}}`),
    'an array': (size: number) => `[${listed('1', size)}]`,
    'brackets without end': (size: number) => '['.repeat(size),
    'a text without end': (size: number) => `"${'a'.repeat(size)}`,
    'escapes without end': (size: number) => `"${'\\\\'.repeat(size / 2)}`,
    'quotes without end': (size: number) => '"\\'.repeat(size / 2),
    'escaped surrogates': (size: number) => withOutput(`{"a":"${'\\ud83d'.repeat(size / 6)}"}`),
    'bytes that are no UTF-8': (size: number) => '\ufffd'.repeat(size / 3),
    'blanks before the callback': (size: number) => ' '.repeat(size) + withOutput('{}'),
    'blanks in the callback': (size: number) => withOutput(`{"a": ${' '.repeat(size)} 1}`),
    'blanks alone, no callback': (size: number) => ' '.repeat(size),
    'numbers without commas': (size: number) => '1 '.repeat(size / 2),
  }),
);

function withOutput(json: string): string {
  return JSON.stringify({ ...BASE, status: 0, output: null }).replace('"output":null', `"output":${json}`);
}

function listed(item: string, size: number): string {
  return Array.from({ length: Math.ceil(size / (item.length + 1)) }, () => item).join();
}

function members(count: number): string {
  return Array.from({ length: Math.ceil(count) }, (_, index) => `"k${index}":${index}`).join();
}

function numbered(value: string, size: number): string {
  const count = Math.ceil(size / (value.length + 8));
  return Array.from({ length: count }, (_, index) => `"k${index}":${value}`).join();
}

function distinct(size: number): string {
  return Array.from({ length: Math.ceil(size / 14) }, (_, index) => `{"k${index}":1}`).join();
}

function nested(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth);
}
