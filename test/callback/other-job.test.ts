/** A callback as if it came from another job. */
import { expect } from 'chai';
import { ofJob } from '../../src/callback/other-job.ts';

describe('A callback of another job', () => {
  it('names that job, in its files’ refs as well, and is otherwise the same', () => {
    const file = (job: string) => ({ ref: `jobs/${job}/files/0`, meta: { name: '1' } });
    const callback = (job: string) => ({
      job_id: job,
      bot_id: '1',
      code: 1,
      output: { list: [{ type: 'files', files: [file(job)] }], ref: 5 },
    });
    expect(ofJob(callback('1'), 'new')).to.deep.equal({
      ...callback('new'),
      output: { list: [{ type: 'files', files: [file('new')] }], ref: 5 },
    });
  });

  it('is given one where it had none', () => {
    expect(ofJob({ output: { a: { ref: 'undefined/x' } } }, 'new')).to.deep.equal({
      job_id: 'new',
      output: { a: { ref: 'undefined/x' } },
    });
  });
});
