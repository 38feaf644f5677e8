/** What every HTML mail must be: well-formed, and with links that show where they lead, or say what they lead to. */
import { expect } from 'chai';

const VOID_TAGS: ReadonlySet<string> = new Set(['br', 'meta']);
const LINK = /<a href="([^"]*)" style="[^"]*"(?: class="\w+")?>(.*?)<\/a>/gs;

export interface MailLink {
  readonly address: string;
  readonly words: string;
}

/** Each tag that is opened is closed, in turn, and nothing is a tag by half. */
export function expectWellFormed(html: string): void {
  const open: string[] = [];
  for (const [tag, slash, name = ''] of html
    .replace(/<!.*?>/g, '')
    .matchAll(/<(\/?)(\w+)(?: [\w-]+="[^"<>]*")*>|</g)) {
    expect(name, `a tag by half: ${tag}`).not.to.equal('');
    if (slash === '/') expect(open.pop(), html.slice(0, 200)).to.equal(name);
    else if (!VOID_TAGS.has(name)) open.push(name);
  }
  expect(open).to.deep.equal([]);
}

export function linksIn(html: string): readonly MailLink[] {
  const links = [...html.matchAll(LINK)].map(([, address = '', words = '']) => ({
    address: decoded(address),
    words: decoded(words),
  }));
  expect(html.match(/<a\b/g)?.length ?? 0).to.equal(links.length);
  return links;
}

export function decoded(html: string): string {
  return html
    .replaceAll('<br>', '\n')
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
