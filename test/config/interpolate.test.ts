/** References to variables and files: what they become, and what is said of those that lead nowhere. */
import { expect } from 'chai';
import { assert, jsonValue, property } from 'fast-check';
import { Interpolated } from '../../src/config/interpolate.ts';

const sources = {
  variables: { NAME: 'value', EMPTY: '', BRACES: '${NAME}' },
  readFile: (path: string) => {
    if (path === '/run/secrets/x') return 'from a file\r\n';
    if (path === '/run/bom') return '\uFEFFfrom an editor\n';
    if (path === '/run/lines') return 'secret\n\n';
    if (path === '/run/key') return '-----BEGIN PRIVATE KEY-----\r\nMIIE\r\n-----END PRIVATE KEY-----\r\n';
    if (path === '/run/empty') return '';
    if (path === '/run/blank') return ' \n';
    throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
  },
};

function textOf(text: string): unknown {
  const { data, problems } = new Interpolated(text, sources);
  expect(problems).to.deep.equal([]);
  return data;
}

function faultsOf(text: string): string[] {
  return new Interpolated({ a: [text] }, sources).problems.map(
    ({ path, message }) => `${path.join('/')}: ${message}`,
  );
}

describe('Interpolation', () => {
  it('puts in variables, anywhere in a string and more than once', () => {
    expect(textOf('${NAME}')).to.equal('value');
    expect(textOf('a ${NAME}-${NAME} b')).to.equal('a value-value b');
    expect(textOf('${EMPTY}')).to.equal('');
  });

  it('takes the default for a variable that is missing or empty, as a shell does', () => {
    expect(textOf('${NAME:-other}')).to.equal('value');
    expect(textOf('${NONE:-other}')).to.equal('other');
    expect(textOf('${EMPTY:-a:-b}')).to.equal('a:-b');
    expect(textOf('${NONE:-}')).to.equal('');
  });

  it('takes a default with braces of its own, and with references', () => {
    const link = 'https://x/{{ job_id }}';
    expect(textOf(`\${NONE:-${link}}!`)).to.equal(`${link}!`);
    expect(textOf(`\${NAME:-${link}}!`)).to.equal('value!');
    expect(textOf('${NONE:-${NAME}}')).to.equal('value');
    expect(faultsOf('${NONE:-{{ job_id }')).to.deep.equal([
      'a/0: a ${ is not closed by }: write $${ for a literal ${',
    ]);
  });

  it('puts in the content of a file without its last line break and its byte order mark', () => {
    expect(textOf('${file:/run/secrets/x}!')).to.equal('from a file!');
    expect(textOf('${file:/run/bom}')).to.equal('from an editor');
    expect(textOf('${file:/run/key}')).to.match(/^-----BEGIN[^]*KEY-----$/);
  });

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

  it('leaves $${ as a literal ${, and any other dollar as it is', () => {
    expect(textOf('$${NAME} $NAME $$ $')).to.equal('${NAME} $NAME $$ $');
    expect(textOf('$$${NAME}')).to.equal('$${NAME}');
  });

  it('does not look into what it has put in', () => {
    expect(textOf('${BRACES}')).to.equal('${NAME}');
  });

  it('names a variable that is missing, and where', () => {
    expect(faultsOf('${NONE}')).to.deep.equal([
      'a/0: the environment variable NONE is not set: set it (no .env file is read by itself), or give a default as ${NONE:-…}',
    ]);
  });

  it('takes no inherited property for a variable', () => {
    expect(faultsOf('${constructor}')).to.have.length(1);
  });

  it('names a file that cannot be read, and why', () => {
    expect(faultsOf('${file:/etc/shadow}')).to.deep.equal([
      'a/0: the file /etc/shadow cannot be read: EACCES: permission denied',
    ]);
  });

  it('names a file in which there is nothing, since no secret would mean that everybody is let in', () => {
    for (const file of ['/run/empty', '/run/blank'])
      expect(faultsOf(`\${file:${file}}`)).to.deep.equal([`a/0: the file ${file} is empty`]);
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
