/** Where, in the markup that a template holds itself, a value stands: what is harmless in a text acts inside a tag. */

/** `nowhere`: no escaping makes a value harmless there. */
export type ValuePosition = 'content' | 'address' | 'part of an address' | 'nowhere';

/** Stands for a value, and so for something. */
const VALUE = '\u0001';

const LIQUID = /\{\{.*?\}\}|\{%.*?%\}/gs;
const CLOSED_TAG = /<[a-z/\u0001](?:[^"'>]|"[^"]*"|'[^']*')*>/gi;
const OPEN_TAG = /<(?:$|[a-z/\u0001](?:[^"'>]|"[^"]*"|'[^']*')*(?:"[^"]*|'[^']*)?$)/i;

/** Scripts, and a page that is parsed once more after its entities. */
const ACTIVE_ATTRIBUTE = /^(?:on.*|srcdoc)$/i;
const ADDRESS_ATTRIBUTE =
  /^(?:href|xlink:href|src|srcset|data|poster|action|formaction|background|cite|longdesc)$/i;

const SCHEME = /^(?:https?:\/\/|mailto:|tel:)/i;

/**
 * @param source the template that holds the value
 * @param offset of the value's `{{` in it
 */
export function positionInMrkdwn(source: string, offset: number): ValuePosition {
  const opened = /<([^<>|]*)$/.exec(withoutLiquid(source.slice(0, offset)))?.[1];
  // Slack: "Formatting text": `<address|words>`, `<@user>`, `<#channel>`, `<!special>`; a bracket before a space is a bracket.
  if (opened === undefined || /^\s/.test(opened)) return 'content';
  if (!withoutLiquid(source.slice(offset)).includes('>')) return 'content';
  return positionInAddress(opened);
}

/** CommonMark, "Links", "Link reference definitions" and "Autolinks"; Slack's own brackets as in mrkdwn. */
export function positionInMarkdown(source: string, offset: number): ValuePosition {
  const before = withoutLiquid(source.slice(0, offset));
  const [, inline, definition] =
    /\]\(\s*<?([^\s()<>]*)$|^ {0,3}\[[^\]]+\]:\s*<?([^\s<>]*)$/m.exec(before) ?? [];
  const begun = inline ?? definition;
  return begun === undefined ? positionInMrkdwn(source, offset) : positionInAddress(begun);
}

/** As in mrkdwn; see HTML, "Attributes". */
export function positionInHtml(source: string, offset: number): ValuePosition {
  const before = withoutLiquid(source.slice(0, offset));
  if (/<(script|style)\b(?!.*<\/\1)/is.test(before)) return 'nowhere';
  const tag = openTagIn(before);
  if (tag === undefined) return 'content';
  const attribute = /([^\s"'<>/=]+)\s*=\s*(?:"([^"]*)|'([^']*))$/.exec(tag);
  if (attribute === null) return 'nowhere';
  const [, name = '', ...values] = attribute;
  if (ACTIVE_ATTRIBUTE.test(name)) return 'nowhere';
  return ADDRESS_ATTRIBUTE.test(name) ? positionInAddress(values.join('')) : 'content';
}

function positionInAddress(begun: string): ValuePosition {
  if (begun.trim() === '') return 'address';
  return SCHEME.test(begun) ? 'part of an address' : 'nowhere';
}

/** What stands between the `<` of a tag and the end, unless the tag is closed. A value may be its name. */
function openTagIn(markup: string): string | undefined {
  const closed = markup.replace(/<!--.*?(?:-->|$)/gs, '').replace(CLOSED_TAG, '');
  return OPEN_TAG.exec(closed)?.[0];
}

function withoutLiquid(source: string): string {
  return source.replace(LIQUID, (tag) => (tag.startsWith('{{') ? VALUE : ''));
}
