/** Recognises HTML pages that come in place of data: from a proxy, a sign-in, a server in trouble. */

/** Comments and an XML declaration, then a tag that begins a page, or a form that a sign-in sends on. */
const PAGE_BEGINS =
  /^\s*(?:(?:<!--(?:(?!-->)[^])*-->|<\?xml[^>]*>)\s*)*<(?:!doctype html|html|head|body|title|meta|link|style|script|noscript|form)\b/i;

export function isPageOfHtml(text: string): boolean {
  return PAGE_BEGINS.test(text);
}

/** The words of its title; undefined for a page without any. */
export function titleIn(page: string): string | undefined {
  const [, title = ''] = /<title[^>]{0,200}>([^<]*)/i.exec(page) ?? [];
  return title.trim() || undefined;
}
