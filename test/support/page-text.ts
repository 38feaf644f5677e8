/** What a page says, as somebody reads it: a line for each block, with where links and forms lead. */

/** Each kind of tag, as what is shown in its place; the rest shows nothing. */
const SHOWN: readonly (readonly [tag: RegExp, text: string])[] = [
  [/<svg[^>]* aria-label="([^"]*)".*?<\/svg>/gs, '[$1]'],
  [/<input type="hidden" name="back"[^>]*>/g, ''],
  [/<option[^>]* value="([^"]*)" selected>[^<]*/g, '($1)'],
  [/<option.*?<\/option>/gs, ''],
  [/<(?:input|button)[^>]* name="([^"]*)"[^>]* value="([^"]*)"[^>]*>/g, ' ($1=$2) '],
  [/<(?:a|form|iframe)[^>]* (?:href|action|src)="([^"]*)"[^>]*>/g, ' ($1) '],
  [/<details open>/g, '\n(open) '],
  [/<\/t[dh]>/g, ' | '],
  [/<\/?(?:details|dd|div|form|h\d|header|li|ol|p|pre|section|small|summary|textarea|tr|ul)\b[^>]*>/g, '\n'],
  [/<[^>]*>/g, ''],
  [/&quot;/g, '"'],
  [/&lt;/g, '<'],
  [/&amp;/g, '&'],
  // With a comma or without, by the version of ICU.
  [/(\d [A-Z][a-z]{2}(?: \d{4})?), (?=\d)/g, '$1 '],
  // How deflate packs is its own matter.
  [/packed=[\w-]+/g, 'packed=…'],
];

/** Of the page's content, from its title on. */
export function linesIn(html: string): string[] {
  const [, content = ''] = /<div class="head">(.*)<\/main>/s.exec(html) ?? [];
  const text = SHOWN.reduce((shown, [tag, as]) => shown.replaceAll(tag, as), content);
  return text
    .split('\n')
    .map((line) => line.replaceAll(/\s+/g, ' ').trim())
    .filter((line) => line !== '');
}
