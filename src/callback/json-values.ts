/** How much JSON will be once it is parsed, told from its bytes, so that what is too much never becomes objects. */

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The most values that JSON of so many bytes can spell: `[0,0,0]`. */
export function mostValuesIn(bytes: number): number {
  return Math.ceil(bytes / 2);
}

/**
 * Objects, lists, texts, numbers and the rest, the whole itself included; keys are none. One pass over the bytes, in which
 * text is skipped. Of what is no JSON, `JSON.parse` makes no more than this before it gives up.
 * @param json UTF-8
 * @param enough as soon as there are more values, no more are counted
 */
export function countValues(json: Uint8Array, enough = Number.POSITIVE_INFINITY): number {
  let values = 1;
  for (let index = 0; index < json.length && values <= enough; index += 1) {
    const byte = json[index];
    if (byte === QUOTE) index = endOfText(json, index);
    else if (byte === COMMA) values += 1;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      index = beforeNext(json, index);
      if (!isClosing(json[index + 1])) values += 1;
    }
  }
  return values;
}

function isClosing(byte: number | undefined): boolean {
  return byte === CLOSE_LIST || byte === CLOSE_OBJECT;
}

/** @returns the index of the closing quote of the text that begins at `start` */
function endOfText(json: Uint8Array, start: number): number {
  let index = start + 1;
  while (index < json.length && json[index] !== QUOTE) index += json[index] === BACKSLASH ? 2 : 1;
  return index;
}

/** @returns the last index before whatever comes next but blanks */
function beforeNext(json: Uint8Array, start: number): number {
  let index = start;
  while (isBlank(json[index + 1])) index += 1;
  return index;
}

/** RFC 8259, section 2. */
function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
