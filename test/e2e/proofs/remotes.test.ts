/** Remotes at their worst: nothing is lost, and nobody is told twice but where the remote itself hid that it had accepted. */
import { expect } from 'chai';
import type { SlackFault } from '../../support/faulty-slack.ts';
import type { ReceivedCall } from '../../../src/stand-ins/slack-stand-in.ts';
import type { MailFault } from '../../../src/stand-ins/mail-catcher.ts';
import { type BridgeWorld, createBridgeWorld } from '../../support/bridge-world.ts';
import { JobService } from '../../support/proof-service.ts';
import {
  keyedCallback,
  keyedCallbacks,
  keyOf,
  pairsOf,
  tally,
  toldBy,
  toldOf,
} from '../../support/proof-tally.ts';
import { until } from '../../support/proof-wait.ts';
import { sized } from '../../support/test-size.ts';

const CALLBACKS = sized(21, 60);
const CONCURRENCY = 20;
const SLACK = 'slack:#ops';
const MAIL = 'email:ops@example.com';

const forEver = () => new Promise(() => undefined);

function settings(receiver: string, delivery: string): string {
  return `
receiver: { listen: '127.0.0.1:0', ${receiver} }
delivery: { ${delivery} }
routes:
  - bot_id: slack-only
    notify: [{ slack: '#ops' }]
  - bot_id: two-mails
    notify: [{ email: [a@example.com, b@example.com] }]
default_route: { notify: [{ slack: '#ops' }, { email: [ops@example.com] }] }
`;
}

describe('The remotes at their worst', () => {
  let world: BridgeWorld;
  let faultOf: (call: ReceivedCall) => SlackFault | undefined;

  const open = async (receiver: string, delivery: string) => {
    faultOf = () => undefined;
    world = await createBridgeWorld(settings(receiver, delivery), { faultOf: (call) => faultOf(call) });
  };

  const service = () =>
    new JobService({
      urlOf: () => `http://127.0.0.1:${world.app.receiver.port}/callbacks`,
      retryMs: 100,
      concurrency: CONCURRENCY,
    });

  const told = () => toldBy(world.slack, world.mail);

  afterEach(() => world.close());

  describe('A Slack that accepts and does not say so', () => {
    /** Every third callback, once. */
    const onceForEveryThird = (fault: SlackFault) => {
      const seen = new Set<string>();
      return ({ args }: ReceivedCall) => {
        const key = toldOf(String(args?.['text']), '').trim();
        const isFirst = !seen.has(key);
        seen.add(key);
        return isFirst && Number(key.slice('key-'.length)) % 3 === 0 ? fault : undefined;
      };
    };

    for (const { name, fault, receiver, delivery, status } of [
      {
        name: 'but stays silent beyond the time of an attempt is answered 502',
        fault: { kind: 'answer_late', until: forEver },
        receiver: 'answer_within: 8s',
        delivery: 'timeout: 4s, attempts_per_request: 1',
        status: 502,
      },
      {
        name: 'but stays silent beyond the answer is answered 504',
        fault: { kind: 'answer_late', until: forEver },
        receiver: 'answer_within: 1s',
        delivery: 'timeout: 2500ms, attempts_per_request: 1',
        status: 504,
      },
      {
        name: 'but breaks the connection is answered 502',
        fault: { kind: 'reset_after_accepting' },
        receiver: 'answer_within: 5s',
        delivery: 'attempts_per_request: 1',
        status: 502,
      },
    ] as const) {
      it(`${name}; exactly those messages, and no others, come twice`, async () => {
        await open(receiver, delivery);
        const callbacks = keyedCallbacks(CALLBACKS, { bot_id: 'slack-only' });
        faultOf = onceForEveryThird(fault);
        const posting = service();
        await posting.postAll(callbacks);
        const thirds = callbacks.filter((_, index) => index % 3 === 0);
        // A retry that comes during the attempt is taken over.
        await until('they have come', () => told().length >= CALLBACKS + thirds.length);
        const { missing, repeated } = tally(told(), pairsOf(callbacks, [SLACK]));
        expect(missing).to.deep.equal([]);
        expect(posting.statuses).to.include(status);
        expect([...repeated].sort()).to.deep.equal(pairsOf(thirds, [SLACK]).map((pair) => [pair, 1]));
      });
    }
  });

  describe('A mail server', () => {
    const refusal = (code: number, rest: Partial<MailFault> = {}) =>
      ({ at: 'rcpt', does: 'refuse', code, text: 'not now', ...rest }) as MailFault;
    const recipients = () => world.mail.mails.map(({ to }) => to.join()).sort();

    it('that drops after DATA gets a mail again under the same Message-ID, and Slack is told once', async () => {
      await open('answer_within: 5s', 'attempts_per_request: 1');
      const callbacks = keyedCallbacks(CALLBACKS);
      world.mail.faults.push({ at: 'data', does: 'drop', times: 10 });
      await service().postAll(callbacks);
      await until('everybody is told', () => told().length >= 2 * CALLBACKS + 10);
      const { missing, repeated } = tally(told(), pairsOf(callbacks, [SLACK, MAIL]));
      expect(missing).to.deep.equal([]);
      expect([...repeated.values()].reduce((sum, times) => sum + times, 0)).to.equal(10);
      expect(
        [...repeated.keys()].every((pair) => pair.endsWith(MAIL)),
        'only mails',
      ).to.equal(true);
      const ids = new Set(world.mail.mails.map(({ parsed }) => parsed.messageId));
      expect(ids.size, 'Message-IDs').to.equal(CALLBACKS);
    });

    it('that refuses one recipient for a while keeps no mail from the other, and sends none twice', async () => {
      await open('answer_within: 5s', 'attempts_per_request: 1');
      world.mail.faults.push(refusal(451, { address: 'b@example.com', times: 2 }));
      await service().postAll([keyedCallback(keyOf(1), { bot_id: 'two-mails' })]);
      await until('both are told', () => recipients().length >= 2);
      expect(recipients()).to.deep.equal(['a@example.com', 'b@example.com']);
    });
  });
});
