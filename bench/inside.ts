/** What only the product's own process can tell: a program loaded into it does, over a socket. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

export interface Inside {
  /** `heap`: bytes; `longest-turn`: of the event loop since it was last asked, in milliseconds. */
  readonly program: 'heap' | 'longest-turn';
  /** Its path. */
  readonly socket: string;
}

export function loading(inside: Inside | undefined): readonly string[] {
  return inside === undefined
    ? []
    : ['--import', join(import.meta.dirname, `subjects/${inside.program}.mjs`)];
}

export async function askInside({ socket: path }: Inside): Promise<number> {
  const socket = connect(path);
  await once(socket, 'connect');
  return JSON.parse(await text(socket)) as number;
}
