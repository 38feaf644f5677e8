/** References to variables and files: what they become, and what is said of those that lead nowhere. */
import { expect } from 'chai';
import { assert, jsonValue, property } from 'fast-check';
import { Interpolated } from '../../src/config/interpolate.ts';

const FILES: Readonly<Record<string, string>> = {
  '/run/secrets/x': 'from a file\r\n',
  '/run/bom': '\uFEFFfrom an editor\n',
  '/run/lines': 'secret\n\n',
  '/run/key': '-----BEGIN PRIVATE KEY-----\r\nMIIE\r\n-----END PRIVATE KEY-----\r\n',
  '/run/empty': '',
  '/run/blank': ' \n',
};

const sources = {
  variables: { NAME: 'value', EMPTY: '', BRACES: '${NAME}' },
  readFile: (path: string) => {
    const text = FILES[path];
    if (text === undefined) throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
    return text;
  },
};

function faultsOf(text: string): string[] {
  return new Interpolated({ a: [text] }, sources).problems.map(
    ({ path, message }) => `${path.join('/')}: ${message}`,
  );
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

  const FAULTS: readonly (readonly [text: string, ...faults: string[]])[] = [
    ['${NONE:-{{ job_id }', 'a ${ is not closed by }: write $${ for a literal ${'],
    [
      '${NONE}',
      'the environment variable NONE is not set: set it (no .env file is read by itself), or give a default as ${NONE:-…}',
    ],
    ['${file:/etc/shadow}', 'the file /etc/shadow cannot be read: EACCES: permission denied'],
    // No secret would mean that everybody is let in.
    ['${file:/run/empty}', 'the file /run/empty is empty'],
    ['${file:/run/blank}', 'the file /run/blank is empty'],
  ];
  for (const [text, ...faults] of FAULTS)
    it(`says where a reference leads nowhere, and why: ${text}`, () =>
      expect(faultsOf(text)).to.deep.equal(faults.map((fault) => `a/0: ${fault}`)));

  it('refuses what a shell, an editor or a file left around a value', () => {
    const fault = (SECRET: string) =>
      new Interpolated('${SECRET}', { ...sources, variables: { SECRET } }).problems.map(
        ({ message }) => message,
      );
    const CONTROL = 'has a line end, a byte order mark or another control character in its value: remove it';
    for (const value of ['secret\r', 'secret\n', '\uFEFFsecret', 'a\tb', 'a\u0000'])
      expect(fault(value)).to.deep.equal([`the environment variable SECRET ${CONTROL}`]);
    for (const value of [`'secret'`, '"secret"'])
      expect(fault(value)).to.deep.equal([
        'the environment variable SECRET has quotes around its value: remove them',
      ]);
    for (const value of [`it's`, `"BOT" <a@example.com>`, `'a' and 'b'`])
      expect(fault(value)).to.deep.equal([]);
    expect(faultsOf('${file:/run/lines}')).to.deep.equal([`a/0: the file /run/lines ${CONTROL}`]);
  });

  it('takes no inherited property for a variable', () => {
    expect(faultsOf('${constructor}')).to.have.length(1);
  });

  it('refuses what looks like a reference but is none', () => {
    expect(faultsOf('${a b}')[0]).to.include('${a b} is not a reference');
    expect(faultsOf('${file:}')).to.have.length(1);
    expect(faultsOf('${NAME')[0]).to.include('not closed');
    expect(faultsOf('${NONE} ${ALSO_NONE}')).to.have.length(2);
  });

  it('remembers what was put in, by the place it went into', () => {
    const { values } = new Interpolated({ a: { b: ['x', '${NAME} ${NONE:-d}'] } }, sources);
    expect([...values]).to.deep.equal([['a.b[1]', ['value', 'd']]]);
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
