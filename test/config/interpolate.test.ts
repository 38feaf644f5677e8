/** References to variables and files: what they become, and which values are refused. Those that lead nowhere: configs.test.ts. */
import { expect } from 'chai';
import { assert, jsonValue, property } from 'fast-check';
import { Interpolated } from '../../src/config/read/interpolate.ts';

const FILES: Readonly<Record<string, string>> = {
  '/run/secrets/x': 'from a file\r\n',
  '/run/bom': '\uFEFFfrom an editor\n',
  '/run/lines': 'secret\n\n',
  '/run/key': '-----BEGIN PRIVATE KEY-----\r\nMIIE\r\n-----END PRIVATE KEY-----\r\n',
  '/run/empty': '',
  '/run/blank': ' \n',
};

const VARIABLES: Readonly<Record<string, string>> = { NAME: 'value', EMPTY: '', BRACES: '${NAME}' };

const readFile = (path: string) => FILES[path] ?? '';
const sources = { variables: VARIABLES, readFile, whole: (path: string) => path };

function faultsOf(text: string, variables = sources.variables): string[] {
  return new Interpolated(text, { ...sources, variables }).problems.map(({ fault }) => fault.in('en'));
}

describe('Interpolation', () => {
  const BECOMES: readonly (readonly [text: string, value: string])[] = [
    // A variable, anywhere in a string and more than once.
    ['${NAME}', 'value'],
    ['a ${NAME}-${NAME} b', 'a value-value b'],
    ['${EMPTY}', ''],
    // The default where the variable is missing or empty, as a shell does.
    ['${NAME:-other}', 'value'],
    ['${NONE:-other}', 'other'],
    ['${EMPTY:-a:-b}', 'a:-b'],
    ['${NONE:-}', ''],
    ['${NONE:-https://x/{{ job_id }}}!', 'https://x/{{ job_id }}!'],
    ['${NAME:-https://x/{{ job_id }}}!', 'value!'],
    ['${NONE:-${NAME}}', 'value'],
    ['${NONE:-${NO_OTHER:-${EMPTY:-/{{ job_id }}}}}!', '/{{ job_id }}!'],
    // A file without its last line break and its byte order mark.
    ['${file:/run/secrets/x}!', 'from a file!'],
    ['${file:/run/bom}', 'from an editor'],
    ['${file:/run/key}', (FILES['/run/key'] ?? '').trim()],
    // What is no reference, or stands in what was put in.
    ['$${NAME} $NAME $$ $', '${NAME} $NAME $$ $'],
    ['$$${NAME}', '$${NAME}'],
    ['${BRACES}', '${NAME}'],
  ];
  for (const [text, value] of BECOMES)
    it(`puts in what a reference stands for: ${text}`, () => {
      const { data, problems } = new Interpolated(text, sources);
      expect([data, problems]).to.deep.equal([value, []]);
    });

  const CONTROL = 'has a line end, a byte order mark or another control character in its value: remove it';
  const QUOTES = 'has quotes around its value: remove them';
  const FAULTS: readonly (readonly [value: string, fault?: string])[] = [
    ...['secret\r', 'secret\n', '\uFEFFsecret', 'a\tb', 'a\u0000'].map((value) => [value, CONTROL] as const),
    ["'secret'", QUOTES],
    ['"secret"', QUOTES],
    ['“secret”', QUOTES],
    ['’secret’', QUOTES],
    ['“BOT” <a@example.com>'],
    ["it's"],
    ['"BOT" <a@example.com>'],
    ["'a' and 'b'"],
  ];
  for (const [value, ...faults] of FAULTS)
    it(`refuses what a shell, an editor or a file left around a value, and nothing else: ${value}`, () =>
      expect(faultsOf('${SECRET}', { SECRET: value })).to.deep.equal(
        faults.map((fault) => `the environment variable SECRET ${fault}`),
      ));

  it('refuses a file without a value, for no password would let everybody in, and one of several lines', () => {
    for (const file of ['/run/empty', '/run/blank'])
      expect(faultsOf(`\${file:${file}}`)).to.deep.equal([`the file ${file} is empty`]);
    expect(faultsOf('${file:/run/lines}')).to.deep.equal([`the file /run/lines ${CONTROL}`]);
    expect(faultsOf('${file:/run/empty}:${file:/run/empty}')).to.deep.equal(['the file /run/empty is empty']);
    const open = 'a ${ is not closed by }: write $${ for a literal ${';
    expect(faultsOf('${NONE:-{{ job_id }')).to.deep.equal([open]);
  });

  it('changes strings alone, whatever the data', () => {
    const plain = jsonValue().filter((value) => !JSON.stringify(value).includes('${'));
    assert(
      property(plain, (value) => {
        expect(new Interpolated(value, sources).data).to.deep.equal(value);
      }),
    );
  });
});
