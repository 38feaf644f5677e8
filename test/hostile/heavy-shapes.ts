/** Callbacks that are heavy by their shape: of a given size, each with as much of one thing as it can hold. */

/** `receiver.max_nodes` by default; the callback's own fields take a few. */
const MOST_VALUES = 499_000;

type Fields = Readonly<Record<string, unknown>>;

/** JSON text of about `bytes` bytes. */
export type Shape = (bytes: number, callback: Fields) => string;

/** The text of an object whose members are `fields` and, spelt out, `more`. */
function objectText(fields: Fields, more: string): string {
  return `${JSON.stringify(fields).slice(0, -1)},${more}}`;
}

type Spell = (index: number, length: number) => string;

/** @param least characters of one piece. @param values JSON values in one. @param spell the piece in that many characters */
function pieces(bytes: number, least: number, values: number, spell: Spell): string {
  const count = Math.min(Math.floor(MOST_VALUES / values), Math.floor(bytes / (least + 1)));
  const length = Math.floor(bytes / count) - 1;
  return Array.from({ length: count }, (_, index) => spell(index, length)).join();
}

/** `"k0001a":1` */
function member(index: number, length: number, value: string): string {
  return `"k${index.toString(36).padStart(length - value.length - 4, '0')}":${value}`;
}

const one: Spell = (index, length) => member(index, length, '1');

const output =
  (spell: (bytes: number) => string): Shape =>
  (bytes, callback) =>
    objectText(callback, `"output":{${spell(bytes)}}`);

const outputs = (least: number, values: number, spell: Spell): Shape =>
  output((bytes) => pieces(bytes, least, values, spell));

const fields =
  (least: number, values: number, spell: Spell): Shape =>
  (bytes, callback) =>
    objectText(callback, pieces(bytes, least, values, spell));

const list = (least: number, values: number, spell: Spell): Shape =>
  output((bytes) => `"list":[${pieces(bytes, least, values, spell)}]`);

const filled = (before: string, after: string, length: number, filling = 'x') =>
  before +
  filling.repeat(
    Math.max(0, Math.floor((length - before.length - after.length) / Buffer.byteLength(filling))),
  ) +
  after;

const file = (index: number, length: number) =>
  `{"ref":"${filled(`f/${index}`, '', Math.max(8, length - 75))}","meta":{"name":"${index}.jpg","size":603956,"timestamp":1513657350000}}`;

const text =
  (field: string, filling: string): Shape =>
  (bytes, callback) =>
    objectText({ ...callback, [field]: undefined }, filled(`"${field}":"`, '"', bytes, filling));

/** Branches of lists in lists, 60 deep each. */
const branch = (values: number) => `${'['.repeat(values)}${']'.repeat(values)}`;

const rows = (columns: number): Shape =>
  list(columns * 8 + 1, columns + 1, (_, length) => {
    const each = Math.floor((length - 2) / columns) - 1;
    return `{${Array.from({ length: columns }, (_unused, column) => member(column, each, '12')).join()}}`;
  });

export const HEAVY_SHAPES: Readonly<Record<string, Shape>> = {
  'output keys': outputs(12, 1, one),
  'output keys, numeric and sparse': outputs(14, 1, (index) => `"${4_000_000_000 - index * 4096}":1`),
  'output keys, inherited names': outputs(
    20,
    1,
    (index) => `"${['__proto__', 'constructor', 'toString', `toString${index}`][index % 4]}":{}`,
  ),
  'output keys, lists of files': outputs(160, 10, (index, length) =>
    member(index, 20 + Math.max(0, length - 160), `[{"type":"files","files":[${file(index, 90)}]}]`),
  ),
  'output keys to be cleaned': outputs(16, 1, (index) => `"\\u0007e\\u0301${index}":"\\u0007"`),
  'top-level keys': fields(12, 1, one),
  'files in one output': output(
    (bytes) => `"files":{"type":"files","files":[${pieces(bytes, 90, 6, file)}]}`,
  ),
  'files inside members of a list': list(
    130,
    10,
    (index) => `{"a":{"type":"files","files":[${file(index, 80)}]}}`,
  ),
  'empty objects in a list': list(3, 1, () => '{}'),
  'short texts in a list': list(6, 1, (index, length) => filled(`"${index % 100}`, '"', length)),
  'one list of lists in lists': list(22, 3, () => '[[["a"]]]'),
  'other: an object of objects': output(
    (bytes) => `"other":{${pieces(bytes, 14, 1, (index, length) => member(index, length, '{}'))}}`,
  ),
  'a table of 20 columns': rows(20),
  'an object of all columns in a list': output((bytes) => `"list":[{${pieces(bytes, 12, 1, one)}},{"a":1}]`),
  'objects of other keys each': list(14, 2, (index, length) => `{${member(index, length - 2, '1')}}`),
  'one long message': text('message', 'x'),
  'one long message in Japanese': text('message', 'エラー、'),
  'one long message of lines': text('message', 'a\\n'),
  'one long message of combining marks': text('message', '\u0315\u0300'),
  'one long message of addresses': text('message', 'http://a.b/ '),
  'one long message of emoji': text('message', '👨‍👩‍👧 '),
  'one long BOT name': text('bot_name', '<&あ'),
  'one long job id': text('job_id', '<&あ'),
  'one long output value': output((bytes) => filled('"long":"', '"', bytes, '<&あ')),
  'one long output key': output((bytes) => filled('"', '":1', bytes, '<&あ')),
  'long numbers': list(18, 1, (_, length) => '9'.repeat(Math.max(17, Math.min(length, 300)))),
  'numbers with exponents': list(6, 1, () => '1e400'),
  'branches 58 deep': list(117, 58, () => branch(58)),
  'null fields': outputs(14, 1, (index, length) => member(index, length, 'null')),
  'an unknown field with objects': (bytes, callback) =>
    objectText(
      callback,
      `"more":[${pieces(bytes, 14, 2, (index, length) => `{${member(index, length - 2, '1')}}`)}]`,
    ),
  'wide white space': (bytes, callback) => objectText(callback, `${' \n'.repeat(bytes / 2)}"a":1`),
  'refused: wrong types beside many keys': (bytes, callback) =>
    objectText({ ...callback, status: 'x' }, pieces(bytes, 12, 1, one)),
  'refused: a long text where a number belongs': (bytes, callback) =>
    objectText({ ...callback, code: undefined }, filled('"code":"', '"', bytes, '<&あ')),
  'refused: too deep in many fields': fields(150, 66, (index) => member(index, 20 + 132, branch(66))),
  'refused: too deep at the end': (bytes, callback) =>
    objectText(callback, `"more":[${pieces(bytes, 5, 2, () => '[1]')}],"deep":${branch(66)}`),
  'refused: not JSON in the middle of a text': (bytes, callback) =>
    text('message', 'エラー、')(bytes, callback).slice(0, -2),
  'refused: brackets without end': (bytes) => '['.repeat(Math.min(bytes, MOST_VALUES)),
};
