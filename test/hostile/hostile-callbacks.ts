/** Callbacks with a text in every place where a stranger can put it. */

/** The body that carries such a text, or none where it cannot stand there. */
type Place = (text: string) => unknown;

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
    'list’s cell': (text) => ({ output: { a: ['c', text].map((y) => ({ x: 'a', y })) } }),
    'column’s name': (text) => ({ output: { a: ['b', 'c'].map((y) => ({ x: 'a', [text]: y })) } }),
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

const IDS = { code: 200, job_id: 'j-1', bot_id: 'get-items', bot_name: 'Get items' };
const TIMES = { start_time: '2026-11-20T09:00:00+09:00', elapsed_time: 12 };
const SAYS = { output: { 件数: 12, 'a b': ['x', 'y'] }, message: 'ValueError: no such item' };
const BASE = { ...IDS, ...TIMES, ...SAYS };

export function bodyOf(place: string, text: string, status: number): Buffer {
  const fields = PLACES.get(place)?.(text);
  const body = typeof fields === 'object' ? { ...BASE, status, ...fields } : fields;
  return Buffer.from(JSON.stringify(body));
}
