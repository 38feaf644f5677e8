/** What every channel promises, whatever it speaks: one suite that each of them runs. */
import { expect } from 'chai';
import { inspect } from 'node:util';
import {
  type Channel,
  type ChannelType,
  type Outgoing,
  type JobMessages,
  type Receipt,
  ROOT_GONE,
} from '../../src/channels/channel.ts';
import type { ValidationError } from 'yup';
import { DeliveryFailure } from '../../src/channels/failure.ts';
import type { FailureClass } from '../../src/channels/failure.ts';
import { poolsThrough } from '../../src/outbound/exchange.ts';
import { NO_PROXIES } from '../../src/outbound/proxy.ts';
import { Fault } from '../../src/text/fault.ts';
import { moment } from '../support/moment.ts';
import { rejectionOf } from '../support/rejection-of.ts';
import { meetsCondition } from '../../src/render/condition.ts';

/** Stands in every message of the suite and must stand in no error. */
export const CONFIDENTIAL = 'CONFIDENTIAL-7391';

/** Far more than a loopback needs, so that no test depends on the machine's speed. */
export const AMPLE_MS = 20_000;

/** More than a channel has connections. */
const MANY = 60;

/** No proxy, and nobody to print to. */
export const DIRECT = { print: () => undefined, openPool: poolsThrough(NO_PROXIES), meetsCondition };

/** What a message comes to where the remote does so; `when` is the rest of a sentence that begins with "fails as … when". */
export type FailureCase<Fault> = readonly [
  when: string,
  failureClass: FailureClass,
  code: string,
  faults: Fault | readonly Fault[],
  more?: {
    readonly retryAfterMs?: number;
    readonly mayHaveArrived?: boolean;
    readonly concerns?: 'address' | 'channel';
    /** What of the remote's words is quoted. */
    readonly quote?: string;
    /** Short where the remote never answers. */
    readonly timeoutMs?: number;
    readonly message?: unknown;
    readonly address?: string;
    /** Happens while connecting, so that a connection that stands already would not show it. */
    readonly isAtConnect?: boolean;
  },
];

export interface ContractSubject<Remote> {
  readonly secrets: readonly string[];
  readonly address: string;
  readonly message: unknown;
  /** The plain form of a message, as its format composes it. */
  readonly plainOf?: (message: unknown) => (() => unknown) | undefined;
  readonly hostileMessages?: readonly unknown[];
  readonly failures: readonly FailureCase<unknown>[];
  start(): Promise<Remote>;
  stop(remote: Remote): Promise<void>;
  open(remote: Remote): Promise<Channel>;
  /** What the remote is told to do wrong; emptied after each test. */
  faultsOf(remote: Remote): unknown[];
  /** How many messages the remote holds. */
  arrivedCount(remote: Remote): number;
  /** Makes the remote await `until()` before it answers the next message. */
  holdBack(remote: Remote, until: () => Promise<void>): void;
  /** What becomes of a job's messages, where the channel's type can more than one each. */
  readonly perJob?: readonly PerJobCase<Remote>[];
}

export interface PerJobCase<Remote> extends Pick<JobMessages, 'mode'> {
  /** What the remote shows of a job's first message, a second one, and a third that must not be overlooked. */
  shown(remote: Remote): unknown;
  readonly expected: unknown;
  /** Takes the first message away. @returns the code by which the remote says so; undefined: it begins anew by itself */
  forget(remote: Remote): string | undefined;
}

export function channelContract<Remote>(subject: ContractSubject<Remote>): void {
  let remote: Remote;
  let shared: Channel;
  let sentCount = 0;
  let arrivedBefore = 0;

  const send = (channel: Channel, options: Partial<Outgoing> = {}): Promise<unknown> => {
    sentCount += 1;
    const key = sentCount.toString(16).padStart(64, '0');
    const { address, message: own } = subject;
    const { message = own } = options;
    const plain = subject.plainOf?.(message);
    return channel.send(outgoingOf({ address, message, plain, idempotencyKey: () => key, ...options }));
  };
  const arrivedCount = (): number => subject.arrivedCount(remote) - arrivedBefore;

  before(async () => {
    remote = await subject.start();
    shared = await subject.open(remote);
  });
  beforeEach(() => {
    arrivedBefore = subject.arrivedCount(remote);
  });
  afterEach(() => {
    subject.faultsOf(remote).splice(0);
  });
  after(async () => {
    await shared.close();
    await subject.stop(remote);
  });

  it('asks the remote for admission without sending anything', async () => {
    await shared.verify();
    expect(arrivedCount()).to.equal(0);
  });

  it('hands over a receipt of plain strings, without a secret', async () => {
    const receipt = Object.values((await send(shared)) as object) as unknown[];
    expect(receipt).not.to.be.empty;
    for (const value of receipt) expect(value).to.be.a('string').that.is.not.empty;
    expectNoSecret(receipt, subject.secrets);
    expect(arrivedCount()).to.equal(1);
  });

  const { hostileMessages } = subject;
  if (hostileMessages !== undefined)
    it('delivers hostile text as one message each', async () => {
      for (const message of hostileMessages) await send(shared, { message });
      expect(arrivedCount()).to.equal(hostileMessages.length);
    });

  it('sends many messages at the same time, each once', async () => {
    const sendInTurn = async () => {
      const giveBack = await shared.turn?.(60_000, 'any');
      await send(shared);
      giveBack?.();
    };
    await Promise.all(Array.from({ length: MANY }, sendInTurn));
    expect(arrivedCount()).to.equal(MANY);
  }).timeout(60_000);

  for (const [when, failureClass, code, faults, more = {}] of subject.failures) {
    const { retryAfterMs, mayHaveArrived, concerns, quote = '', isAtConnect = false, ...outgoing } = more;
    it(`fails as ${failureClass} when ${when}, says so without a secret, and works on`, async () => {
      // A pool may still be opening connections to the shared one.
      const own = isAtConnect ? await subject.start() : remote;
      const channel = isAtConnect ? await subject.open(own) : shared;
      subject.faultsOf(own).push(...[faults].flat());
      const failure = await failureOf(send(channel, outgoing));
      expect(failure).to.include({ class: failureClass, code, retryAfterMs, ...(concerns && { concerns }) });
      if (mayHaveArrived !== undefined) expect(failure).to.include({ mayHaveArrived });
      expect(failure.message)
        .to.match(/^[A-Z].*\.$/s)
        .and.contain(quote);
      expectNoSecret(failure, [...subject.secrets, CONFIDENTIAL]);
      // On a busy machine a time limit may pass before the fault is met.
      subject.faultsOf(own).splice(0);
      if (channel === shared) return void (await send(channel));
      await channel.close();
      await subject.stop(own);
    });
  }

  it('fails as transient when nothing listens there', async () => {
    const gone = await subject.start();
    const channel = await subject.open(gone);
    await subject.stop(gone);
    expect(await failureOf(send(channel))).to.include({ class: 'transient', code: 'ECONNREFUSED' });
    await channel.close();
  });

  for (const { mode, shown, expected, forget } of subject.perJob ?? []) {
    const sendOfJob = (channel: Channel, root: Receipt | undefined, isLoud: boolean) =>
      send(channel, { jobId: 'job-7', perJob: { mode, root, isLoud } }) as Promise<Receipt>;

    it(`keeps the messages of a job together, by ${mode}, and posts anew where the first one is gone`, async () => {
      const own = await subject.start();
      const channel = await subject.open(own);
      const root = await sendOfJob(channel, undefined, false);
      for (const isLoud of [false, true])
        expect(await sendOfJob(channel, root, isLoud)).not.to.have.property(ROOT_GONE);
      expect(shown(own)).to.deep.equal(expected);
      const code = forget(own);
      const before = subject.arrivedCount(own);
      const anew = await sendOfJob(channel, root, true);
      expect(subject.arrivedCount(own)).to.equal(before + 1);
      expect(anew[ROOT_GONE]).to.equal(code);
      expect(await sendOfJob(channel, anew, false)).not.to.have.property(ROOT_GONE);
      await channel.close();
      await subject.stop(own);
    });
  }

  it('sends nothing of a message whose sender withholds it once there is a connection', async () => {
    const withheld = await failureOf(send(shared, { onHandedOver: () => false }));
    expect(withheld).to.include({ class: 'transient', mayHaveArrived: false });
    await send(shared);
    expect(arrivedCount()).to.equal(1);
  });

  it('lets a message in flight finish when it is closed', async () => {
    const channel = await subject.open(remote);
    const [reached, gate] = [moment(), moment()];
    subject.holdBack(remote, () => {
      reached.happen();
      return gate.promise;
    });
    const inFlight = send(channel);
    await reached.promise;
    const closed = channel.close();
    gate.happen();
    await Promise.all([inFlight, closed]);
    expect(arrivedCount()).to.equal(1);
  });
}

/** A message to whoever takes it: the first of its job, unless something else is said. */
export function outgoingOf(parts: Partial<Outgoing> & Pick<Outgoing, 'address' | 'message'>): Outgoing {
  const asText = () => JSON.stringify(parts.message);
  return { idempotencyKey: () => 'f'.repeat(64), timeoutMs: AMPLE_MS, asText, ...parts };
}

export async function failureOf(work: Promise<unknown>): Promise<DeliveryFailure> {
  const outcome: unknown = await rejectionOf(work);
  expect(outcome).to.be.instanceOf(DeliveryFailure);
  return outcome as DeliveryFailure;
}

/** What the check says of such settings; undefined: nothing. */
export function problemIn(
  { settings: schema }: Pick<ChannelType, 'settings'>,
  settings: unknown,
  context: object = {},
): string | undefined {
  try {
    schema.validateSync(settings, { strict: true, context });
    return undefined;
  } catch (error) {
    const { errors, path, type } = error as ValidationError;
    const [said] = errors as readonly unknown[];
    if (said instanceof Fault) return `${path} ${said.in('en')}`;
    // A wrong type shows the value, which the check leaves out.
    return type === 'typeError' ? `${path} ${type}` : String(said);
  }
}

/** Looks everywhere a logger could: message, stack, JSON, hidden properties and the chain of causes. */
export function expectNoSecret(value: unknown, secrets: readonly string[]): void {
  const all = { depth: 20, showHidden: true, maxStringLength: Infinity };
  const seen = [inspect(value, all), JSON.stringify(value)];
  for (let link = value; link instanceof Error; link = link.cause) {
    seen.push(link.message, String(link.stack), JSON.stringify(link, Object.getOwnPropertyNames(link)));
  }
  for (const secret of secrets) expect(seen.join('\n')).not.to.contain(secret);
}
