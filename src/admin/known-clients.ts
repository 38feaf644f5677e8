/** Browsers that have shown the right password once: a cookie proves it to this process. */
import { createHmac, randomBytes } from 'node:crypto';
import type { Context } from 'koa';
import { isOneOf } from '../http/sender.ts';

const COOKIE = 'botbell_client';
const ID_BYTES = 16;

export class KnownClients {
  /** It dies with the process: whoever shows the password again is known again. */
  readonly #key = randomBytes(32);

  /** A name of the client that no other has; undefined: it is not known. */
  idOf(ctx: Context): string | undefined {
    const [id = '', proof = ''] = (ctx.cookies.get(COOKIE) ?? '').split('.');
    return isOneOf(proof, [this.#proofOf(id)]) ? id : undefined;
  }

  /** A browser alone keeps cookies. */
  remember(ctx: Context): void {
    if (ctx.accepts(['json', 'html']) !== 'html' || this.idOf(ctx) !== undefined) return;
    const id = randomBytes(ID_BYTES).toString('base64url');
    // Lax: who comes by a link in a chat is known as well.
    ctx.cookies.set(COOKIE, `${id}.${this.#proofOf(id)}`, { httpOnly: true, sameSite: 'lax' });
  }

  #proofOf(id: string): string {
    return createHmac('sha256', this.#key).update(id).digest('base64url');
  }
}
