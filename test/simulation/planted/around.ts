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
    does: 'answers whatever it is asked with 200',
    file: 'test/simulation/process.ts',
    from: 'this.handlers.set(port, handle);',
    to: 'this.handlers.set(port, (request, response) => { Object.defineProperty(response, "statusCode", { get: () => 200, set: () => undefined }); return handle(request, response); });',
  },
];
