/** Work that can wait until the turn of the event loop is over. */

/**
 * Does the work of one turn in one go after it: to be called by the event loop once for each piece costs as much as a
 * small piece itself.
 * @param work never throws
 */
export function afterTurn<Item>(work: (item: Item) => void): (item: Item) => void {
  let waiting: Item[] = [];
  const workOff = () => {
    const items = waiting;
    waiting = [];
    for (const item of items) work(item);
  };
  return (item) => {
    if (waiting.length === 0) setImmediate(workOff);
    waiting.push(item);
  };
}
