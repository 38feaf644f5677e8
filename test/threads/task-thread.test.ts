import { expect } from 'chai';
import {
  type TaskTerms,
  TaskThread,
  ThreadEnded,
  type TaskThreadOptions,
} from '../../src/threads/task-thread.ts';
import { Deadline, DeadlinePassed, systemClock } from '../../src/time/clock.ts';
import { collectGarbage } from '../support/collect-garbage.ts';
import { until } from '../support/proof-wait.ts';
import { rejectionOf } from '../support/rejection-of.ts';

type Task = 'answer' | 'end' | 'hang';

const MB = 1024 * 1024;

const ENTRY = new URL('../support/obedient-thread.mjs', import.meta.url);

describe('a thread of tasks', () => {
  let thread: TaskThread<Task, number>;

  function open(options: Partial<TaskThreadOptions> = {}): void {
    thread = new TaskThread({ entry: ENTRY, data: undefined, ...options });
  }

  function run(task: Task, terms: Partial<TaskTerms> = {}): Promise<number> {
    const deadline = new Deadline(systemClock, 60_000);
    return thread.run(task, { subject: Symbol(task), size: 1, deadline, ...terms });
  }

  beforeEach(() => open());
  afterEach(() => thread.close());

  it('does one after the other, all by the same thread', async () => {
    const [first, second] = await Promise.all([run('answer'), run('answer')]);
    expect(await run('answer')).to.equal(first);
    expect(second).to.equal(first);
  });

  it('takes the smaller of what waits first, but what concerns the last subject before all else', async () => {
    const done: string[] = [];
    const note = (name: string, terms: Partial<TaskTerms>) =>
      run('answer', terms).then(() => done.push(name));
    await Promise.all([
      note('begun', { subject: 'a', size: MB }),
      note('large', { subject: 'b', size: MB }),
      note('small', { subject: 'c' }),
      note('the same', { subject: 'a', size: MB }),
    ]);
    expect(done).to.deep.equal(['begun', 'the same', 'small', 'large']);
  });

  it('comes to what is large, however many small ones come after it', async () => {
    const done: string[] = [];
    const note = (name: string, size: number) => run('answer', { size }).then(() => done.push(name));
    const small = Array.from({ length: 100 }, (_, index) => `small ${index}`);
    await Promise.all([note('begun', 1), note('large', MB), ...small.map((name) => note(name, 1))]);
    const before = done.slice(0, done.indexOf('large'));
    expect(before).to.deep.equal(['begun', ...small.slice(0, before.length - 1)]);
    expect(before.length).to.be.within(10, 50);
  });

  it('never begins what has waited too long', async () => {
    const begun = run('answer');
    const late = rejectionOf(run('end', { deadline: new Deadline(systemClock, 0) }));
    await begun;
    expect(await late).to.be.instanceOf(DeadlinePassed);
    expect(await run('answer')).to.equal(await begun);
  });

  it('keeps nothing of what has waited too long, though the task before it never ends', async () => {
    open({ longestTaskMs: 60_000 });
    const endless = run('hang').catch(() => undefined);
    const waitInVain = async () => {
      const subject = {};
      await rejectionOf(run('answer', { subject, deadline: new Deadline(systemClock, 20) }));
      return new WeakRef(subject);
    };
    const subject = await waitInVain();
    await until('it is given back', () => (collectGarbage(), subject.deref() === undefined));
    await thread.close();
    await endless;
  });

  it('fails a task in which it ended, says why, and does the next one by a new thread', async () => {
    const first = await run('answer');
    const [failure, next] = await Promise.all([rejectionOf(run('end')), run('answer')]);
    expect(failure).to.be.instanceOf(ThreadEnded);
    expect(failure.cause).to.have.property('message', 'as it was told');
    expect(next).to.not.equal(first);
  });

  it('is ended when a task never comes to an end', async () => {
    open({ longestTaskMs: 1 });
    expect(await rejectionOf(run('hang'))).to.be.instanceOf(ThreadEnded);
  });

  it('is given back when there is nothing more to do', async () => {
    open({ idleMs: 1 });
    const first = await run('answer');
    await systemClock.sleep(20);
    expect(await run('answer')).to.not.equal(first);
  });

  it('leaves nobody waiting when it is closed', async () => {
    const both = Promise.all([rejectionOf(run('hang')), rejectionOf(run('answer'))]);
    await thread.close();
    for (const failure of await both) expect(failure).to.be.instanceOf(ThreadEnded);
  });

  it('says so where a thread cannot be started, and starts one for the next task', async () => {
    const entry = new URL('../support/obedient-thread.mjs', import.meta.url);
    const options = { entry: new URL('https://example.com/'), data: undefined };
    thread = new TaskThread(options);
    expect(await rejectionOf(run('answer'))).to.be.an.instanceOf(ThreadEnded);
    options.entry = entry;
    await run('answer');
  });
});
