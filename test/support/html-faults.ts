/** What is wrong with a page: tags that do not nest, what the policy would drop, ids that stand twice. */

/** HTML, "Void elements"; and those of SVG that are written like them. */
const VOID = new Set(['area', 'base', 'br', 'col', 'hr', 'img', 'input', 'link', 'meta', 'source', 'wbr']);

/** HTML, "p": what ends a paragraph that is still open. */
const ENDS_PARAGRAPH = new Set(
  'address article aside blockquote details div dl fieldset figcaption figure footer form h1 h2 h3 h4 header hr main nav ol p pre search section table ul'.split(
    ' ',
  ),
);

/** Which may stand in these alone. */
const PARENTS: Readonly<Record<string, readonly string[]>> = {
  li: ['ul', 'ol'],
  tr: ['thead', 'tbody'],
  td: ['tr'],
  th: ['tr'],
  option: ['select', 'optgroup'],
  dt: ['dl', 'div'],
  dd: ['dl', 'div'],
  summary: ['details'],
};

const TAG = /<(\/?)([a-zA-Z][a-zA-Z0-9-]*)((?:\s+[^\s=>"'/]+(?:="[^"]*")?)*)\s*(\/?)>/g;

/** @returns sentences; none: it is sound */
export function faultsIn(html: string): string[] {
  const faults: string[] = [];
  const open: string[] = [];
  const ids = new Set<string>();
  const text = html.replace(/^<!doctype html>/, '');
  for (const [tag, isEnd, rawName = '', attributes = '', isClosed] of text.matchAll(TAG)) {
    const name = rawName.toLowerCase();
    if (isEnd === '/') {
      const expected = open.pop();
      if (expected !== name) faults.push(`</${name}> where </${expected}> should be`);
      continue;
    }
    faults.push(...attributeFaults(tag, attributes, ids), ...placeFaults(name, open));
    if (!VOID.has(name) && isClosed !== '/') open.push(name);
  }
  if (open.length > 0) faults.push(`left open: ${open.join(' ')}`);
  if (text.replaceAll(TAG, '').includes('<')) faults.push('a tag that cannot be read');
  return faults;
}

function placeFaults(name: string, open: readonly string[]): string[] {
  const parents = PARENTS[name];
  const parent = open.at(-1) ?? '';
  const faults: string[] = [];
  if (parents !== undefined && !parents.includes(parent)) faults.push(`<${name}> in <${parent}>`);
  if (open.includes('p') && ENDS_PARAGRAPH.has(name)) faults.push(`<${name}> in a <p>`);
  for (const interactive of ['a', 'button', 'form']) {
    if (name === interactive && open.includes(interactive)) faults.push(`<${name}> in <${interactive}>`);
  }
  return faults;
}

const ATTRIBUTE = /\s([^\s=>"'/]+)(?:="([^"]*)")?/g;
const OF_ANOTHER_KIND = /^(?!\/(?!\/)|#|data:,$|https?:\/\/|$)/;

function attributeFaults(tag: string, attributes: string, ids: Set<string>): string[] {
  const all = new Map(
    [...attributes.matchAll(ATTRIBUTE)].map(([, name = '', value = '']) => [name.toLowerCase(), value]),
  );
  const faults: string[] = [];
  if (all.has('style')) faults.push(`a style attribute: ${tag}`);
  if ([...all.keys()].some((name) => name.startsWith('on'))) faults.push(`an inline script: ${tag}`);
  for (const name of ['href', 'src', 'action']) {
    if (OF_ANOTHER_KIND.test(all.get(name) ?? '')) faults.push(`an address of another kind: ${tag}`);
  }
  if (/^<script/i.test(tag) && !all.get('src')?.startsWith('/assets/'))
    faults.push(`an inline script: ${tag}`);
  if (/^<style/i.test(tag)) faults.push('an inline style sheet');
  return [...faults, ...idFaults(all.get('id'), ids)];
}

function idFaults(id: string | undefined, ids: Set<string>): string[] {
  const isTwice = id !== undefined && ids.has(id);
  if (id !== undefined) ids.add(id);
  return isTwice ? [`the id ${id} stands twice`] : [];
}
