/** An access token of OAuth 2 (RFC 6749, 5.1): fetched once for all who ask for it, and kept for most of its lifetime. */
import { secretsHidden } from '../text/hide-secrets.ts';
import { objectIn } from '../text/json.ts';
import { type HttpAnswer, NothingSent } from './exchange.ts';

export interface TokenSource {
  /** Asks the token endpoint. @param deadline on the scale of `performance.now()` @throws {Error} of the network */
  ask(deadline: number): Promise<HttpAnswer>;
  /** The error for an endpoint that does not answer. */
  failureOf(error: NothingSent): Error;
  /** The error for an answer without a token. @param refusals how many such answers came before this one, since the last token */
  refusalOf(answer: HttpAnswer, refusals: number): Error;
}

const UNSPECIFIED_LIFETIME_S = 3600;

/** A token is renewed this long before it expires, at most a tenth of its lifetime, so that it does not expire on the way. */
const EARLY_MS = 5 * 60_000;

/** How many tokens are kept to be hidden: connections may still use them, and remotes repeat them. */
const MOST_REMEMBERED = 3;

export class KeptToken {
  /** The latest tokens, the newest first. */
  latest: readonly string[] = [];
  readonly #source: TokenSource;
  #text: Promise<string> | undefined;
  #until = Infinity;
  #refused: string | undefined;
  #refusals = 0;

  constructor(source: TokenSource) {
    this.#source = source;
  }

  /** @throws {Error} the source's, where the endpoint does not answer or gives no token */
  text(deadline: number): Promise<string> {
    if (Date.now() >= this.#until) this.forget();
    this.#text ??= this.#fetch(deadline).catch((error: unknown) => {
      this.forget();
      throw error;
    });
    return this.#text;
  }

  /** The next call of `text` fetches a new token. */
  forget(): void {
    this.#text = undefined;
    this.#until = Infinity;
  }

  /** Forgets the token that a remote has refused, unless one in its place was fetched, or is being fetched: many sends may meet its end. */
  renew(refused = this.latest[0]): void {
    if (refused === this.#refused || refused !== this.latest[0]) return;
    this.#refused = refused;
    this.forget();
  }

  /** Removes the latest tokens from a text, in every encoding. */
  hide(words: string): string {
    return secretsHidden(this.latest)(words);
  }

  async #fetch(deadline: number): Promise<string> {
    const answer = await this.#source.ask(deadline).catch((error: unknown) => {
      throw this.#source.failureOf(new NothingSent(error));
    });
    const { access_token: text, expires_in: seconds } = answer.status === 200 ? objectIn(answer.body) : {};
    if (typeof text !== 'string' || !/^[ -~]+$/.test(text))
      throw this.#source.refusalOf(answer, this.#refusals++);
    this.#refusals = 0;
    this.#refused = undefined;
    const lifetimeMs = Math.max(0, Number(seconds) || UNSPECIFIED_LIFETIME_S) * 1000;
    this.#until = Date.now() + lifetimeMs - Math.min(EARLY_MS, lifetimeMs / 10);
    this.latest = [text, ...this.latest].slice(0, MOST_REMEMBERED);
    return text;
  }
}
