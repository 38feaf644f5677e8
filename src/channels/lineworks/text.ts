/** Text of LINE WORKS, which takes `<m userId="…">` anywhere as a mention, and refuses one of a user outside the room. */
import { type Markup, UNMARKED } from '../lines.ts';

/** A longer URL is left out, since it would take the room of the error message. */
const LONGEST_URL = 300;

export const MARKUP: Markup = {
  ...UNMARKED,
  text: withoutMentions,
  code: withoutMentions,
  link: (text, url) => UNMARKED.link(text, url.length > LONGEST_URL ? '' : url),
};

/** Foreign text with its mentions disabled, also those that continue on the next line. */
export function withoutMentions(text: string): string {
  return text.replace(/<(?=\s*(?:\/\s*)?(?:m|$))/gi, '＜');
}
