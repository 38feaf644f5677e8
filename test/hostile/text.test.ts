/** Text that made normalising, globs or regular expressions take a time that grows with its square, over HTTP. */
import { expect } from 'chai';
import { type HostileProgram, startHostileProgram } from '../support/hostile-program.ts';
import { callback } from '../support/bridge-world.ts';
import { timedRequest } from '../support/timed-request.ts';

/** What the program may be at work for one of these, all it tells included; by the square it was up to 44 s. */
const MOST_CPU_MS = 1500;

/** Of that, what may keep one /healthz waiting. */
const MOST_STALL_CPU_MS = 1000;

/** Combining marks of two classes: Unicode orders them, by exchanging neighbours. */
function marks(bytes: number): string {
  const each = Math.floor(bytes / 4);
  return `a${'\u0315'.repeat(each)}${'\u0300'.repeat(each)}`;
}

const KILOBYTE = 1000;

const FILES = (name: string) => ({
  type: 'files',
  files: [{ ref: 'jobs/j/files/f', meta: { name, size: 1 } }],
});

const VALUES: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ['marks in job_id', { job_id: marks(625 * KILOBYTE) }],
  ['marks in bot_id', { bot_id: marks(625 * KILOBYTE) }],
  ['marks in bot_name', { bot_name: marks(625 * KILOBYTE) }],
  ['marks in the message', { message: marks(625 * KILOBYTE) }],
  ['marks in the key of an output', { output: { [marks(625 * KILOBYTE)]: 'x' } }],
  ['marks in an output', { output: { x: marks(625 * KILOBYTE) } }],
  ['marks in a list', { output: { x: [marks(300 * KILOBYTE), marks(300 * KILOBYTE)] } }],
  ['marks in the name of a file', { output: { x: FILES(marks(625 * KILOBYTE)) } }],
  ['blanks inside the message', { message: `a${' '.repeat(60 * KILOBYTE)}b` }],
  ['tabs and blanks on many lines', { message: `a${' \t'.repeat(300)}b\n`.repeat(100) }],
  ['line feeds inside the message', { message: `a${'\n'.repeat(200 * KILOBYTE)}b` }],
  ['a bot_id that a glob and a pattern nearly match', { bot_id: `a${'-a'.repeat(500)}` }],
  ['a long bot_id that a glob and a pattern nearly match', { bot_id: `a${'-a'.repeat(100 * KILOBYTE)}` }],
  ['joiners between pictographs', { message: '👩\u200d'.repeat(60 * KILOBYTE) }],
  ['joiners in a joining script', { message: `क${'\u200d\u0300'.repeat(100 * KILOBYTE)}` }],
  ['addresses without end', { message: 'https://a.example/'.repeat(20 * KILOBYTE) }],
  ['mentions without end', { message: '@a'.repeat(200 * KILOBYTE) }],
  ['backquotes without end', { message: '`'.repeat(300 * KILOBYTE) }],
];

/** Refused, and shown to the operator all the same. */
const REFUSED: readonly (readonly [string, number, string])[] = [
  ['marks in a body that is no callback', 422, JSON.stringify({ job_id: marks(125 * KILOBYTE) })],
  ['marks in a body that is not JSON', 400, marks(125 * KILOBYTE)],
  ['marks in a field of the wrong kind', 422, JSON.stringify(callback({ status: marks(625 * KILOBYTE) }))],
  ['marks in the name of a field, too deep', 422, deeplyNested(marks(10 * KILOBYTE))],
];

function deeplyNested(key: string): string {
  return JSON.stringify(callback()).replace(
    '}',
    `,"x":${`{${JSON.stringify(key)}:`.repeat(70)}1${'}'.repeat(70)}}`,
  );
}

const ROUTES = `
  - { bot_id: '*-*-*-*z', notify: [{ slack: '#ops' }] }
  - { bot_id: '/.*-.*-.*z/', notify: [{ slack: '#ops' }] }`;

describe('Hostile text', () => {
  let program: HostileProgram;

  before(async () => {
    program = await startHostileProgram({ routes: ROUTES });
    await program.post(JSON.stringify(callback()));
  });

  after(async () => {
    await program.expectAlive();
    await program.close();
  });

  /** How much the program is at work until it answers. */
  const healthCpuMs = async () => {
    const before = program.cpuMs();
    expect((await timedRequest({ port: program.port, path: '/healthz' })).status).to.equal(200);
    return program.cpuMs() - before;
  };

  /** The longest of those that are asked until the promise is settled. */
  const longestHealthUntil = async (done: Promise<unknown>) => {
    const end = new AbortController();
    void done.then(() => end.abort());
    let longest = await healthCpuMs();
    while (!end.signal.aborted) longest = Math.max(longest, await healthCpuMs());
    return longest;
  };

  const attack = async (body: string) => {
    const before = program.cpuMs();
    const answering = program.post(body);
    const longest = await longestHealthUntil(answering);
    const answer = await answering;
    expect(program.cpuMs() - before, 'ms of CPU').to.be.below(MOST_CPU_MS);
    expect(longest, 'ms of CPU before one /healthz was answered').to.be.below(MOST_STALL_CPU_MS);
    return answer;
  };

  for (const [name, changes] of VALUES)
    it(`costs what its length does: ${name}`, async () => {
      const { status, body } = await attack(JSON.stringify(callback(changes)));
      expect(status, body.slice(0, 300)).to.equal(200);
    });

  for (const [name, expected, body] of REFUSED)
    it(`costs what its length does where it is refused: ${name}`, async () => {
      expect((await attack(body)).status).to.equal(expected);
    });

  it('leaves its marks on nobody’s screen: what is told is short and whole', async () => {
    const before = program.world.slack.messages.length;
    await attack(JSON.stringify(callback({ bot_name: marks(625 * KILOBYTE) })));
    const told = program.world.slack.messages.slice(before);
    expect(told.map(({ text }) => /\p{M}{9}/u.test(text))).to.deep.equal([false]);
  });
});
