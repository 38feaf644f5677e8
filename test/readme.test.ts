/** What the README shows is what the reader sees: its commands are run, its files and npm scripts exist. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { runCommand } from './support/command.ts';

const ROOT = join(import.meta.dirname, '..');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

interface Session {
  readonly variables: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  readonly output: string;
}

/** Each ```console block: perhaps `$ export <variables>`, then `$ npm run -s botbell -- <args>` and what it prints. */
function sessions(): Session[] {
  const blocks = README.matchAll(
    /```console\n(?:\$ export (?<variables>.*)\n)?\$ npm run -s botbell -- (?<args>.*)\n(?<output>[^]*?)```/g,
  );
  return [...blocks].map(({ groups }) => ({
    args: (groups?.['args'] ?? '').split(' '),
    variables: variablesIn(groups?.['variables'] ?? ''),
    output: (groups?.['output'] ?? '').trimEnd(),
  }));
}

function variablesIn(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value] as const);
  return Object.fromEntries(pairs);
}

describe('The README', () => {
  it('shows sessions', () => expect(sessions()).to.have.length(2));

  for (const { variables, args, output } of sessions()) {
    it(`shows what \`botbell ${args.join(' ')}\` prints`, async () => {
      const { code, stdout } = await runCommand(args, { variables });
      expect(stdout.trimEnd()).to.equal(output);
      expect(code).to.equal(0);
    });
  }

  it('names only npm scripts and files that there are', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const named = [...README.matchAll(/npm run (?:-s )?(?<script>[\w:]+)/g)].map(
      ({ groups }) => groups?.['script'] ?? '',
    );
    expect(named.filter((script) => !(script in scripts))).to.deep.equal([]);
    const links = [...README.matchAll(/\]\((?<path>[^)#:]+)\)/g)].map(({ groups }) => groups?.['path'] ?? '');
    expect(links.filter((path) => !existsSync(join(ROOT, path)))).to.deep.equal([]);
  });
});
