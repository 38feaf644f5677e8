/** Foreign text where a terminal or a log prints it: nothing in it acts, and no line of it passes for one of ours. */

/**
 * C0, DEL and C1, which move the cursor, colour or ring; line and paragraph separators; what turns the direction of
 * reading (Unicode's Bidi_Control). Tab and line feed are told apart by who prints.
 */
const ACTING = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
const EACH_ACTING = new RegExp(ACTING, 'g');

const INDENT = '  ';

/** Every character that acts is written as JSON writes it, e.g. `\u001b`: JSON stays JSON. Tab and line feed stay. */
export function visible(text: string): string {
  return ACTING.test(text) ? text.replace(EACH_ACTING, asEscape) : text;
}

/** The same on one line: a line feed is `\n`. */
export function visibleOnOneLine(text: string): string {
  return visible(text).replaceAll('\n', '\\n');
}

/** The same line by line, each indented, since what begins a line is ours to say; an empty one gets no blanks. */
export function visibleAndIndented(text: string, indent = INDENT): string {
  const lines = visible(text).split('\n');
  return lines.map((line) => (line === '' ? indent.trimEnd() : indent + line)).join('\n');
}

function asEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
