/** Who has to go for a newcomer, and what it costs to find out: no more, however many there are from however many places. */
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { expect } from 'chai';
import { RequestQueue } from '../../src/http/connection.ts';
import { connectionLimits, Connections } from '../../src/http/connections.ts';
import type { SenderHead } from '../../src/http/sender.ts';

const MANY = 1024;

/** A connection; what was asked of it is told by counting. */
class FakeSocket extends EventEmitter {
  readonly remoteAddress: string;
  readonly bytesRead = 0;
  isOpen = true;
  looks = 0;
  #current: unknown;

  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }

  destroy(): void {
    this.isOpen = false;
    this.emit('close');
  }

  isPaused(): boolean {
    return false;
  }

  countLooks(): void {
    Object.defineProperty(RequestQueue.of(this as unknown as Socket), 'current', {
      get: () => {
        this.looks += 1;
        return this.#current;
      },
      set: (value: unknown) => {
        this.#current = value;
      },
    });
  }

  /** @returns what ends the answer */
  ask({ forwardedFor, complete = true }: { forwardedFor?: string; complete?: boolean } = {}): () => void {
    const headers = { ...(forwardedFor !== undefined && { 'x-forwarded-for': forwardedFor }) };
    const request = { socket: this, headers, complete, readableLength: 0, emit: () => true };
    const response = Object.assign(new EventEmitter(), { headersSent: false, writableFinished: false });
    RequestQueue.of(this as unknown as Socket)?.take({
      request: request as unknown as IncomingMessage,
      response: response as unknown as ServerResponse,
    });
    return () => response.emit('close');
  }
}

describe('a newcomer', () => {
  let sendersAsked: number;
  let sockets: FakeSocket[];
  let connections: Connections;

  const start = (most: number) => {
    sendersAsked = 0;
    sockets = [];
    connections = new Connections({
      limits: { ...connectionLimits(), connections: most },
      handler: () => undefined,
      senderOf: ({ socket, headers }: SenderHead) => {
        sendersAsked += 1;
        return String(headers['x-forwarded-for'] ?? socket.remoteAddress);
      },
      onNotAwaited: () => undefined,
    });
  };

  const add = (address: string) => {
    const socket = new FakeSocket(address);
    sockets.push(socket);
    connections.add(socket as unknown as Socket);
    if (socket.isOpen) socket.countLooks();
    return socket;
  };

  const looks = () => sockets.reduce((sum, socket) => sum + socket.looks, 0);
  const open = (all: readonly FakeSocket[]) => all.filter(({ isOpen }) => isOpen).length;

  const ADDRESSES: [string, (index: number) => string][] = [
    ['one source', () => '192.0.2.1'],
    ['a source each', (index) => `10.0.${index >> 8}.${index & 255}`],
    ['a source for two of them', (index) => `10.0.${index >> 9}.${(index >> 1) & 255}`],
  ];

  for (const [whence, address] of ADDRESSES)
    it(`is let in at the cost of some sixteen looks where ${MANY} are there, of ${whence}`, () => {
      start(MANY);
      for (let index = 0; index < MANY; index += 1) add(address(index));
      for (let index = MANY; index < 2 * MANY; index += 1) expect(add(address(index)).isOpen).to.equal(true);
      expect(open(sockets)).to.equal(MANY);
      expect(looks() / MANY).to.be.below(20);
      expect(sendersAsked, 'once for each').to.be.at.most(2 * MANY);
    });

  it('is refused at no cost where all are being handled', () => {
    start(MANY);
    for (let index = 0; index < MANY; index += 1) add(`10.0.${index >> 8}.${index & 255}`).ask();
    expect(add('192.0.2.1').isOpen).to.equal(false);
    const before = looks();
    for (let index = 0; index < MANY; index += 1) expect(add('192.0.2.1').isOpen).to.equal(false);
    expect(looks()).to.equal(before);
  });

  it('is let in again as soon as one of them is answered', () => {
    start(4);
    const answers = [1, 2, 3, 4].map((index) => add(`192.0.2.${index}`).ask());
    expect(add('192.0.2.5').isOpen).to.equal(false);
    answers[2]?.();
    expect(add('192.0.2.5').isOpen).to.equal(true);
    expect(sockets.slice(0, 4).map(({ isOpen }) => isOpen)).to.deep.equal([true, true, false, true]);
  });

  it('costs few looks where all but a few are being handled', () => {
    start(MANY);
    for (let index = 0; index < MANY; index += 1) {
      const socket = add(`10.0.${index >> 8}.${index & 255}`);
      if (index >= 4) socket.ask();
    }
    add('192.0.2.1');
    const before = looks();
    for (let index = 0; index < MANY; index += 1) expect(add('192.0.2.1').isOpen).to.equal(true);
    expect((looks() - before) / MANY).to.be.below(20);
  });

  it('takes the place of the source that has most, level with the next, among many that have one', () => {
    start(MANY);
    const [many, few, single]: FakeSocket[][] = [[], [], []];
    for (let index = 0; index < 24; index += 1) few?.push(add('192.0.2.2'));
    for (let index = 0; index < 300; index += 1) single?.push(add(`10.0.${index >> 8}.${index & 255}`));
    while (sockets.length < MANY) many?.push(add('192.0.2.1'));
    for (let index = 0; index < 676; index += 1) add(`10.1.${index >> 8}.${index & 255}`);
    expect([many, few, single].map((each = []) => open(each))).to.deep.equal([24, 24, 300]);
    for (let index = 0; index < 20; index += 1) add(`10.2.0.${index}`);
    expect([many, few, single].map((each = []) => open(each))).to.deep.equal([14, 14, 300]);
  });

  it('does not take the place of one that was chosen, but has sent a request since', () => {
    start(32);
    for (let index = 0; index < 32; index += 1) add('192.0.2.1');
    add('192.0.2.2');
    const [first, second, third] = sockets;
    expect([first, second].map((each) => each?.isOpen)).to.deep.equal([false, true]);
    second?.ask();
    add('192.0.2.3');
    expect([second, third].map((each) => each?.isOpen)).to.deep.equal([true, false]);
  });

  it('goes by the sender of the last request, also when that is answered', () => {
    start(6);
    const ofProxy = ['192.0.2.9', ...Array<string>(5).fill('192.0.2.1')].map((forwardedFor) => {
      const socket = add('10.0.0.1');
      socket.ask({ forwardedFor })();
      return socket;
    });
    for (let index = 0; index < 3; index += 1) add(`10.0.1.${index}`);
    expect(ofProxy.map(({ isOpen }) => isOpen)).to.deep.equal([true, false, false, false, true, true]);
  });

  it('is no reason to ask each request for its sender', () => {
    start(MANY);
    const socket = add('10.0.0.1');
    for (let index = 0; index < 100; index += 1) socket.ask({ forwardedFor: `192.0.2.${index}` })();
    expect(sendersAsked).to.equal(0);
  });

  it('finds who has been silent longest by what has come until lately', () => {
    start(32);
    for (let index = 0; index < 32; index += 1) add('192.0.2.1');
    add('192.0.2.2');
    Object.assign(sockets[1] ?? {}, { bytesRead: 1 });
    connections.sweep(performance.now() + 1000);
    add('192.0.2.3');
    expect(sockets.slice(0, 4).map(({ isOpen }) => isOpen)).to.deep.equal([false, true, false, true]);
  });
});
