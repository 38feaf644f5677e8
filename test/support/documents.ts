/** The documents as their tests read them: texts, blocks, headings, links, and the sessions of a terminal that they show. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

export function readDocument(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

export function documentPaths(): string[] {
  const inFolders = ['docs', 'deploy'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
  );
  return [...readdirSync(ROOT), ...inFolders].filter((path) => path.endsWith('.md')).toSorted();
}

export function blocksOf(text: string, language: string): string[] {
  return fences(text).flatMap((block) => (block.language === language ? [block.content] : []));
}

/** The fenced blocks in their order, without the indentation of a list around them. */
export function fences(text: string): { readonly language: string; readonly content: string }[] {
  return [...text.matchAll(/^( *)```(\w*)\n(.*?)^\1```$/gms)].map(
    ([, indent = '', language = '', content = '']) => ({
      language,
      content: content.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  );
}

function withoutFences(text: string): string {
  return text.replaceAll(/^( *)```.*?^\1```$/gms, '');
}

export function headingsOf(text: string): { readonly level: number; readonly text: string }[] {
  return [...withoutFences(text).matchAll(/^(#+) (.*)$/gm)].map(([, signs = '', heading = '']) => ({
    level: signs.length,
    text: heading,
  }));
}

/** The anchors that GitHub makes of headings, unless two headings have the same text. */
function anchorsOf(text: string): string[] {
  return headingsOf(text).map((heading) =>
    heading.text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

export function linksOf(text: string): string[] {
  return [...withoutFences(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
}

export function inlineCodeOf(text: string): string[] {
  return [...withoutFences(text).matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
}

export function deadLinksIn(path: string): string[] {
  const text = readDocument(path);
  return linksOf(text).filter((link) => {
    if (/^\w+:/.test(link)) return false;
    const [target = '', anchor] = link.split('#');
    const file = target === '' ? path : relative(ROOT, join(ROOT, dirname(path), target));
    if (!existsSync(join(ROOT, file))) return true;
    return anchor !== undefined && !anchorsOf(readDocument(file)).includes(anchor);
  });
}

const SESSION = /^(?:\$ export (?<variables>.*)\n)?\$ botbell (?<args>.*)\n(?<output>[^]*)$/;

/** All `console` blocks but those of npm: `$ export <variables>` or nothing, then the program with its arguments, and its output. */
export function sessionsIn(text: string) {
  return blocksOf(text, 'console')
    .filter((block) => !block.startsWith('$ npm'))
    .map((block) => {
      const { groups } = SESSION.exec(block) ?? {};
      if (groups === undefined) throw new Error(`this session cannot be run: ${block}`);
      const variables = [...(groups['variables'] ?? '').matchAll(/(\w+)=(\S+)/g)];
      return {
        args: (groups['args'] ?? '').split(' '),
        variables: Object.fromEntries(variables.map(([, name = '', value = '']) => [name, value])),
        output: (groups['output'] ?? '').trimEnd(),
      };
    });
}
