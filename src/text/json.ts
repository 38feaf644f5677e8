/** JSON without loss: numbers keep their spelling, and keys that are whole numbers keep their place; and what JSON objects are. */

export type JsonObject = Readonly<Record<string, unknown>>;

/** A list or an object. A `SpeltNumber` is none. */
export function isContainer(value: unknown): value is Record<string | number, unknown> {
  return typeof value === 'object' && value !== null && !(value instanceof SpeltNumber);
}

/** Whether the value is an object: no scalar, null or list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return isContainer(value) && !Array.isArray(value);
}

/** The value of a JSON text; undefined if the text is no JSON. */
export function valueIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The JSON object that the text is; `{}` if it is anything else. */
export function objectIn(text: string): JsonObject {
  const value = valueIn(text);
  return isJsonObject(value) ? value : {};
}

/** From about so many members on, V8 sorts an object's keys at each `Object.keys`, which would dominate the running time. */
const MANY = 1000;

const knownKeys = new WeakMap<JsonObject, readonly string[]>();

/** `Object.keys`, cached for large objects: parsed JSON is never changed. */
export function keysOf(object: JsonObject): readonly string[] {
  const known = knownKeys.get(object);
  if (known !== undefined) return known;
  const keys = Object.keys(object);
  if (keys.length >= MANY) knownKeys.set(object, keys);
  return keys;
}

/** A number that JavaScript would spell otherwise, such as `1.10` or an id of 64 bits. It prints as spelt, and counts as JavaScript's nearest. */
export class SpeltNumber extends Number {
  readonly spelling: string;

  /** @param spelling a number as JSON spells it */
  constructor(spelling: string) {
    super(spelling);
    this.spelling = spelling;
  }

  override toString(): string {
    return this.spelling;
  }

  // liquidjs compares values by these five methods if they have them; else such a number would equal no other one.
  equals(other: unknown): boolean {
    return this.valueOf() === plainNumber(other);
  }

  gt(other: number): boolean {
    return this.valueOf() > other;
  }

  geq(other: number): boolean {
    return this.valueOf() >= other;
  }

  lt(other: number): boolean {
    return this.valueOf() < other;
  }

  leq(other: number): boolean {
    return this.valueOf() <= other;
  }
}

/** JavaScript's number for a `SpeltNumber`; any other value unchanged. */
export function plainNumber(value: unknown): unknown {
  return value instanceof SpeltNumber ? value.valueOf() : value;
}

/** As `JSON.stringify` writes it, but with numbers as they are spelt. @param space for each level; without it, no blanks */
export function exactJson(value: unknown, space = ''): string {
  // `JSON.stringify` is four times as fast, and right for nearly every value.
  return holdsSpelt(value) ? written(value, space, '') : JSON.stringify(value, null, space);
}

function holdsSpelt(value: unknown): boolean {
  if (!isContainer(value)) return value instanceof SpeltNumber;
  return keysOf(value).some((key) => holdsSpelt(value[key]));
}

function written(value: unknown, space: string, margin: string): string {
  if (!isContainer(value)) return value instanceof SpeltNumber ? value.spelling : JSON.stringify(value);
  const inner = margin + space;
  const isList = Array.isArray(value);
  const keys = keysOf(value).filter((key) => isList || value[key] !== undefined);
  const parts = keys.map((key) => {
    const text = written(value[key] ?? null, space, inner);
    return isList ? text : `${JSON.stringify(key)}:${space && ' '}${text}`;
  });
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  if (space === '' || parts.length === 0) return `${open}${parts.join(',')}${close}`;
  return `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${margin}${close}`;
}

/** An object whose keys stay in this order. In JavaScript, whole numbers come first. */
export function objectOf(members: readonly (readonly [string, unknown])[]): JsonObject {
  const object = Object.fromEntries(members);
  const keys = [...new Set(members.map(([key]) => key))];
  const isInOrder = Object.keys(object).every((key, index) => key === keys[index]);
  return isInOrder ? object : new Proxy(object, { ownKeys: () => keys });
}

/** Several times slower than `JSON.parse`. @param json what `JSON.parse` accepts, not nested too deep for a recursion */
export function parseExactly(json: string): unknown {
  return new Reader(json).value();
}

class Reader {
  readonly #json: string;
  /** One object for each spelling, since Liquid's `uniq` and `group_by` compare objects by identity. */
  readonly #spelt = new Map<string, SpeltNumber>();
  #at = 0;

  constructor(json: string) {
    this.#json = json;
  }

  value(): unknown {
    const first = this.#next();
    if (first === '"') return this.#string();
    if (first === '[') return this.#list(']', () => this.value());
    return first === '{' ? objectOf(this.#list('}', () => this.#member())) : this.#word();
  }

  /** The next character that is no blank. */
  #next(): string {
    while (' \t\n\r'.includes(this.#json.charAt(this.#at))) this.#at += 1;
    return this.#json.charAt(this.#at);
  }

  #list<Item>(end: string, item: () => Item): Item[] {
    const items: Item[] = [];
    this.#at += 1;
    while (this.#next() !== end) {
      items.push(item());
      if (this.#next() === ',') this.#at += 1;
    }
    this.#at += 1;
    return items;
  }

  #member(): [string, unknown] {
    const key = this.#string();
    this.#next();
    this.#at += 1;
    return [key, this.value()];
  }

  #string(): string {
    const start = this.#at;
    const json = this.#json;
    let end = start + 1;
    while (json[end] !== '"') end += json[end] === '\\' ? 2 : 1;
    this.#at = end + 1;
    return JSON.parse(json.slice(start, this.#at)) as string;
  }

  /** A number, true, false or null. */
  #word(): unknown {
    const start = this.#at;
    while (/[\w.+-]/.test(this.#json.charAt(this.#at))) this.#at += 1;
    const word = this.#json.slice(start, this.#at);
    const value: unknown = JSON.parse(word);
    return typeof value === 'number' && String(value) !== word ? this.#numberSpelt(word) : value;
  }

  #numberSpelt(word: string): SpeltNumber {
    const number = this.#spelt.get(word) ?? new SpeltNumber(word);
    this.#spelt.set(word, number);
    return number;
  }
}

/** `bot_id` for `botId`. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
