/** A page as a person reads it: a line for each block, with the targets of links and forms. */

/** What is shown in place of each kind of tag; other tags show nothing. */
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
  // Versions of ICU differ in this comma.
  [/(\d [A-Z][a-z]{2}(?: \d{4})?), (?=\d)/g, '$1 '],
  // Versions of deflate may compress differently.
  [/packed=[\w-]+/g, 'packed=…'],
];

export function linesIn(html: string): string[] {
  const [, content = ''] = /<div class="head">(.*)<\/main>/s.exec(html) ?? [];
  const text = SHOWN.reduce((shown, [tag, as]) => shown.replaceAll(tag, as), content);
  return text
    .split('\n')
    .map((line) => line.replaceAll(/\s+/g, ' ').trim())
    .filter((line) => line !== '');
}
