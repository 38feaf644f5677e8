/** Faults that are planted by wrapping a seam, so that they last through any rewrite. */
import type { Planted } from './planted.ts';

const CHANNEL = 'channelTypes: simulatedTypes((name) => channelOf(this, name)),';

function channelWith(send: string): string {
  return `channelTypes: simulatedTypes((name) => {
        const channel = channelOf(this, name);
        return { ...channel, send: ${send} };
      }),`;
}

export const AROUND: readonly Planted[] = [
  {
    does: 'sends each message twice',
    file: 'test/simulation/process.ts',
    from: CHANNEL,
    to: channelWith('async (sent) => { await channel.send(sent); return channel.send(sent); }'),
  },
  {
    does: 'takes the error of a remote for a success',
    file: 'test/simulation/process.ts',
    from: CHANNEL,
    to: channelWith('(sent) => channel.send(sent).catch(() => ({}))'),
  },
  {
    does: 'says that it has taken over what it has not',
    file: 'test/simulation/store.ts',
    from: "if (mode === 'fails')\n",
    to: "if (name === 'takeOver') return finish(() => resolve(undefined));\n        if (mode === 'fails')\n",
    unseen:
      'what nobody has taken over is taken over anyway, after take_over_after: the contract bounds it by that',
  },
  {
    does: 'answers whatever it is asked with 200',
    file: 'test/simulation/process.ts',
    from: 'this.handlers.set(port, handle);',
    to: 'this.handlers.set(port, (request, response) => { Object.defineProperty(response, "statusCode", { get: () => 200, set: () => undefined }); return handle(request, response); });',
  },
  {
    does: 'never comes back to what it put off for more than a minute',
    file: 'test/simulation/process.ts',
    from: 'startTimer: (ms, onTime) => this.#later(ms, onTime),',
    to: 'startTimer: (ms, onTime) => (ms > 60_000 ? () => undefined : this.#later(ms, onTime)),',
    unseen: 'a timer that long is none of a delivery’s: those are due by the store',
  },
];
