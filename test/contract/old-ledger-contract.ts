/** What becomes of a ledger of version 0.1.0 when this version opens it. */
import { expect } from 'chai';
import type { OpenLedger } from '../../src/ledger/configs/config-store.ts';
import { isAlert } from '../../src/notice/notice.ts';
import { tellStory } from '../../src/story/story.ts';
import { DEAD_LETTER } from '../support/alerts.ts';
import { callbackOf } from '../support/callbacks.ts';
import { delivered, failed, settlementOf, target, claimAllDue } from './ledger-contract.ts';

/** @param openOld opens it, made anew, as a ledger of this version */
export function describeOldLedger(name: string, openOld: () => Promise<OpenLedger>): void {
  describe(`a ledger of version 0.1.0 in ${name}`, () => {
    it('keeps what is pending due, and the alerts that nobody has told', async () => {
      const ledger = await openOld();
      expect(await ledger.countOpen()).to.deep.equal({ pending: 5, dead: 1, held: 0 });
      const due = await claimAllDue(ledger, 64);
      const [pending, ...alerts] = due.toSorted((a, b) => a.callbackId - b.callbackId);
      expect(pending && callbackOf(pending.notice)).to.include({ job_id: 'job-2', bot_id: 'invoice' });
      expect(alerts.map(({ notice }) => notice.template).toSorted()).to.deep.equal([
        'dead_letter',
        'dead_letter',
        'refused',
        'refused',
      ]);
      for (const { notice } of alerts) {
        const subject = isAlert(notice) ? notice.alert.subject : undefined;
        if (subject?.template === 'refused') expect(subject).to.include({ httpStatus: 422 });
        else {
          expect(subject).to.include({ destination: 'slack:#ops' });
          expect(subject).to.have.nested.property('error.code', 'is_archived');
        }
      }
      await ledger.settle(settlementOf(due.map(({ record }) => delivered(record.id))));
      expect(await ledger.countOpen()).to.deep.equal({ pending: 0, dead: 1, held: 0 });
    });

    it('has stories to tell of what it kept', async () => {
      const { archive } = await openOld();
      const told = async (id: number, language: 'en' | 'ja') => {
        const story = await archive.story(id);
        if (story === undefined) throw new Error(`no callback ${id}`);
        return tellStory(story, [], {
          language,
          timezone: 'Asia/Tokyo',
          now: Date.parse('2026-11-21T00:00:00Z'),
        });
      };
      const { summary, events } = await told(1, 'en');
      expect(summary).to.equal(
        'Told email:a@example.com at 20 Nov, 09:30. Not told: slack:#ops; Botbell gave up (Slack answered is_archived: the channel is archived; unarchive it or name another).',
      );
      expect(events.map(({ what }) => what)).to.deep.equal(['received', 'delivered', 'dead', 'answered']);
      for (const id of [1, 2, 3, 4, 5, 6]) {
        expect((await told(id, 'ja')).summary).to.match(/届きました|届いていません|送信しているところです/);
      }
    });

    it('takes alerts of this version', async () => {
      const ledger = await openOld();
      const due = (await claimAllDue(ledger, 64)).find(({ notice }) => !isAlert(notice));
      const targets = [target('slack:#alerts')];
      const alert = { cause: 'slack down', subject: DEAD_LETTER, targets, language: 'en' } as const;
      await ledger.settle(settlementOf([{ ...failed(due?.record.id ?? -1), state: 'dead', alert }]));
      const [raised] = await claimAllDue(ledger, 64);
      expect(raised?.record.destination).to.equal('slack:#alerts');
    });
  });
}
