/** What would become of a callback: its routes, and its message for each destination. Nothing is sent. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Callback, type CallbackError, InvalidCallback } from '../callback/callback.ts';
import { UndecodableBody } from '../callback/decode.ts';
import type { MessageFormat } from '../channels/channel.ts';
import type { Destination } from '../config/config.ts';
import { HttpProblem } from '../http/problem.ts';
import { isAlert, type Notice, noticeOf } from '../notice/notice.ts';
import type { RouteExplanation, RoutedDestination } from '../route/router.ts';
import { destinationsOf } from '../route/router.ts';
import type { DrawnMessage, Drawing } from './drawing.ts';

/** What is tried: a callback of the ledger, or a text. */
export type Subject =
  | { readonly kind: 'recorded'; readonly callbackId: number }
  | { readonly kind: 'text'; readonly text: string };

export interface TryOptions {
  /** Undefined: as each route says, else the language's. */
  readonly templateSet: string | undefined;
  /** A destination of the config, or the name of a channel; undefined: whom the routes say. */
  readonly to: string | undefined;
}

/** Its message for one destination. */
export interface TriedMessage extends DrawnMessage {
  /** `<channel>:<address>`, or the name of a channel. */
  readonly destination: string;
  /** The name of the route that sends it there; undefined: none does. */
  readonly route: string | undefined;
  readonly templateSet: string | undefined;
  readonly format: MessageFormat;
}

export interface Tried {
  readonly kind: 'tried';
  /** Undefined of an alert. */
  readonly callback: Pick<Callback, 'bot_id' | 'bot_name' | 'job_id' | 'status'> | undefined;
  readonly routes: readonly RouteExplanation[];
  readonly messages: readonly TriedMessage[];
  /** More than are drawn. */
  readonly more: number;
}

export type TryResult =
  | Tried
  | { readonly kind: 'invalid'; readonly errors: readonly CallbackError[] }
  /** No JSON, or too large: in a sentence. */
  | { readonly kind: 'unreadable'; readonly detail: string }
  | { readonly kind: 'unknown' };

/** As many as anybody looks at. */
const MOST_DRAWN = 12;

/** @throws {LedgerUnavailable} */
export async function tryCallback(
  subject: Subject | undefined,
  options: TryOptions,
  drawing: Drawing,
): Promise<TryResult> {
  try {
    const notice = await loadSubject(subject, drawing);
    return notice === undefined ? { kind: 'unknown' } : await tryNotice(notice, options, drawing);
  } catch (error) {
    return faultOf(error);
  }
}

async function loadSubject(subject: Subject | undefined, drawing: Drawing): Promise<Notice | undefined> {
  if (subject === undefined) return undefined;
  if (subject.kind === 'recorded') return drawing.load(subject.callbackId);
  return noticeOf(drawing.read(Buffer.from(subject.text)), 1);
}

function faultOf(error: unknown): TryResult {
  if (error instanceof InvalidCallback) return { kind: 'invalid', errors: error.errors };
  if (error instanceof UndecodableBody) return { kind: 'unreadable', detail: error.message };
  if (error instanceof HttpProblem) return { kind: 'unreadable', detail: error.details.detail };
  throw error;
}

interface Place extends Pick<TriedMessage, 'destination' | 'route' | 'templateSet' | 'format'> {
  readonly options: Destination['options'];
}

async function tryNotice(notice: Notice, options: TryOptions, drawing: Drawing): Promise<Tried> {
  const callback = isAlert(notice) ? undefined : notice.callback;
  const places = placesFor(notice, options.to, drawing);
  const messages: TriedMessage[] = [];
  for (const place of places.slice(0, MOST_DRAWN)) {
    const templateSet = options.templateSet ?? place.templateSet;
    messages.push(drawAt({ ...place, templateSet }, notice, drawing));
    // Callbacks that come meanwhile get their turn.
    await nextTurn();
  }
  return {
    kind: 'tried',
    callback,
    routes: callback === undefined ? [] : drawing.router.explainAll(callback),
    messages,
    more: Math.max(0, places.length - MOST_DRAWN),
  };
}

function drawAt({ options, ...place }: Place, notice: Notice, drawing: Drawing): TriedMessage {
  const { destination, templateSet, format } = place;
  return { ...place, ...drawing.draw(notice, { format: format.name, destination, templateSet, options }) };
}

/** As it would be drawn now for a destination, routed there or not; undefined: the config has no such channel. */
export function drawFor(destination: string, notice: Notice, drawing: Drawing): TriedMessage | undefined {
  const [place] = placesFor(notice, destination, drawing);
  return place && drawAt(place, notice, drawing);
}

/** Whom the routes say, or the one that is asked for, whether they do or not. */
function placesFor(notice: Notice, to: string | undefined, drawing: Drawing): readonly Place[] {
  const { config } = drawing;
  const routed = routedOf(notice, drawing);
  if (to === undefined) return routed.flatMap((each) => placeOf(each.destination, each, drawing) ?? []);
  const found = routed.find(({ destination }) => destination.key === to);
  const named = destinationsOf(config).find(({ key }) => key === to);
  const [channel = ''] = to.split(':', 1);
  const destination = found?.destination ??
    named ?? { key: to, channel, address: '', options: {}, perJob: 'message' };
  return [placeOf(destination, found, drawing) ?? []].flat();
}

type Routed = Pick<RoutedDestination, 'destination' | 'route' | 'templateSet'>;

function routedOf(notice: Notice, { config, router }: Drawing): readonly Routed[] {
  if (!isAlert(notice)) return router.route(notice.callback).destinations;
  const alerted = { templateSet: undefined, route: 'delivery.alerts' };
  return config.delivery.alerts.map((destination) => ({ ...alerted, destination }));
}

function placeOf(
  { key, channel, options }: Destination,
  routed: Pick<RoutedDestination, 'route' | 'templateSet'> | undefined,
  { formats }: Drawing,
): Place | undefined {
  const format = formats.get(channel);
  if (format === undefined) return undefined;
  return { destination: key, route: routed?.route, templateSet: routed?.templateSet, options, format };
}
