/** What is worked out when it is first asked for: templates show little of what there may be. */

/**
 * So many are made at once, which costs less, and so are all where more than these have been looked at: a list is gone
 * through faster where nothing watches.
 */
const FEW = 200;

export function lazyList<Item>(length: number, itemAt: (index: number) => Item): readonly Item[] {
  if (length > FEW) return new Proxy<Item[]>([], watching(length, itemAt));
  const items: Item[] = [];
  for (let index = 0; index < length; index += 1) items.push(itemAt(index));
  return items;
}

/** Once all items are made, it watches nothing more. */
function watching<Item>(length: number, itemAt: (index: number) => Item): ProxyHandler<Item[]> {
  let made = 0;
  const make = (items: Item[], index: number): void => {
    if (index in items) return;
    items[index] = itemAt(index);
    made += 1;
    if (made === FEW + 1) makeAll(items);
  };
  const makeAll = (items: Item[]): void => {
    for (const trap of Object.keys(handler) as (keyof typeof handler)[]) delete handler[trap];
    for (let index = 0; index < length; index += 1) if (!(index in items)) items[index] = itemAt(index);
  };
  const prepare = (items: Item[], key: string | symbol): void => {
    if (key === 'length') items.length = length;
    const index = indexOf(key);
    if (index < length) make(items, index);
  };
  const handler: ProxyHandler<Item[]> = {
    get(items, key) {
      prepare(items, key);
      return Reflect.get(items, key) as unknown;
    },
    has: (items, key) => indexOf(key) < length || Reflect.has(items, key),
    getOwnPropertyDescriptor(items, key) {
      prepare(items, key);
      return Reflect.getOwnPropertyDescriptor(items, key);
    },
    ownKeys(items) {
      makeAll(items);
      return Reflect.ownKeys(items);
    },
  };
  return handler;
}

/** NaN for what is none. */
function indexOf(key: string | symbol): number {
  const isIndex = typeof key === 'string' && /^(?:0|[1-9]\d*)$/.test(key);
  return isIndex ? Number(key) : Number.NaN;
}

/**
 * For `Object.defineProperty`. Every object of a kind gets the same getter: V8 gives up the shape that objects share
 * where each has one of its own, which makes creating one take several times as long.
 */
export function ownGetter(read: (owner: never) => unknown): PropertyDescriptor {
  return {
    enumerable: true,
    get(this: never) {
      return read(this);
    },
  };
}

/** Work that is done when it is first asked for, and not again. */
export function once<Value>(work: () => Value): () => Value {
  let done: { readonly value: Value } | undefined;
  return () => (done ??= { value: work() }).value;
}
