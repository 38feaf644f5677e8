/** Properties that are an object's own, as templates ask for, and worked out when they are read. */

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
