/** A chat as one definition: what its service documents, as data; all else is the same for all chats. */
import { type HttpAnswer, loadHttp } from '../../outbound/exchange.ts';
import { type Answers, failureOfAnswer, isPage } from '../answers.ts';
import type { ChannelEnvironment, ChannelType, MessageFormat, Outgoing, Receipt } from '../channel.ts';
import { DeliveryFailure } from '../failure.ts';
import { secretsHidden } from '../../text/hide-secrets.ts';
import { failureIn, openedChannel, type Sending } from '../open-channel.ts';
import { Turns } from '../turns.ts';

/** One message on its way; `deadline` on the scale of `performance.now()`. */
export interface Call<Message> extends Pick<
  Outgoing,
  'address' | 'jobId' | 'perJob' | 'idempotencyKey' | 'onHandedOver'
> {
  readonly message: Message;
  readonly deadline: number;
}

/** How a chat is reached: `hooks()` by the URLs of webhooks, `tokenApi()` by a token; a chat with another login defines its own. */
export interface Address<Message, Settings> extends Pick<
  ChannelType<Settings>,
  'settings' | 'parseAddress' | 'secretsOf' | 'warningsOf'
> {
  open(
    chat: Chat<Message, Settings>,
    settings: Settings,
    environment: ChannelEnvironment,
  ): Sending<Call<Message>> | Promise<Sending<Call<Message>>>;
}

export interface Chat<Message, Settings>
  extends Answers, Pick<ChannelType, 'type' | 'about' | 'pace' | 'perJob'> {
  /** The most calls at once; by default 20, to which each destination's first call does not count. Each origin has 50 connections. */
  readonly calls?: number;
  readonly address: Address<Message, Settings>;
  readonly format: MessageFormat<Message>;
  /** Undefined for an error answer; left out if the address makes the receipts. Not called for an HTML page, which is always an error. */
  receiptOf?(answer: HttpAnswer): Receipt | undefined;
}

export function chat<Message, Settings>(definition: Chat<Message, Settings>): ChannelType<Settings> {
  const { type, about, pace, calls, perJob, address, format } = definition;
  return {
    ...address,
    type,
    about,
    pace,
    perJob,
    formatOf: () => format,
    open: async (settings, environment) => {
      await loadHttp();
      const hide = secretsHidden(address.secretsOf(settings));
      const opened = await address.open({ hide, ...definition }, settings, environment);
      const { take } = new Turns({ connections: calls ?? 20, isFirstFree: calls === undefined });
      return openedChannel({ ...opened, turn: take, send: (outgoing) => sendOrPlain(opened, outgoing) });
    },
  };
}

/** Sends the message. If the remote refuses it as `permanent`, sends its plain form before the same deadline; the receipt then says why. */
function sendOrPlain<Message>(opened: Sending<Call<Message>>, outgoing: Outgoing): Promise<Receipt> {
  const { address, jobId, perJob, idempotencyKey, onHandedOver, plain, timeoutMs } = outgoing;
  const deadline = performance.now() + timeoutMs;
  const send = (said: unknown) =>
    opened.send({ address, message: said as Message, jobId, perJob, idempotencyKey, onHandedOver, deadline });
  return send(outgoing.message).catch(async (error: unknown) => {
    const failure = failureIn(error, opened);
    if (failure.class !== 'permanent' || plain === undefined) throw failure;
    const receipt = await send(plain()).catch((cause: unknown) => {
      const again = failureIn(cause, opened);
      throw again.class === 'permanent' ? notTheText(again) : again;
    });
    return { card_refused: failure.code, card_refused_reason: failure.message, ...receipt };
  });
}

/** If the plain text is refused, too, the message is not at fault but its destination, which somebody can mend: so `config`. */
function notTheText({ code, message, japanese, concerns }: DeliveryFailure): DeliveryFailure {
  return new DeliveryFailure({
    class: 'config',
    code,
    concerns,
    message: `${message} So is its plain text: check the place that the message goes to, and whether it still takes messages.`,
    japanese: `${japanese}プレーンテキストも受け付けられませんでした。投稿先が今もメッセージを受け付けるかを確認してください。`,
  });
}

/** @throws {DeliveryFailure} for an answer that is not a success */
export function receiptFrom(
  answer: HttpAnswer,
  chat: Pick<Chat<never, never>, 'receiptOf'> & Answers,
): Receipt {
  const receipt = isPage(answer) ? undefined : chat.receiptOf?.(answer);
  if (receipt === undefined) throw failureOfAnswer(answer, chat);
  return receipt;
}
