/** Where a value stands in HTML. */
import { positionInAddress, type ValuePosition, withoutLiquid } from '../value-position.ts';

const CLOSED_TAG = /<[a-z/\u0001](?:[^"'>]|"[^"]*"|'[^']*')*>/gi;
const OPEN_TAG = /<(?:$|[a-z/\u0001](?:[^"'>]|"[^"]*"|'[^']*')*(?:"[^"]*|'[^']*)?$)/i;

/** Scripts, and a page that is parsed once more after its entities. */
const ACTIVE_ATTRIBUTE = /^(?:on.*|srcdoc)$/i;
const ADDRESS_ATTRIBUTE =
  /^(?:href|xlink:href|src|srcset|data|poster|action|formaction|background|cite|longdesc)$/i;

/** HTML, "Attributes". */
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

/** What stands between the `<` of a tag and the end, unless the tag is closed. A value may be its name. */
function openTagIn(markup: string): string | undefined {
  const closed = markup.replace(/<!--.*?(?:-->|$)/gs, '').replace(CLOSED_TAG, '');
  return OPEN_TAG.exec(closed)?.[0];
}
