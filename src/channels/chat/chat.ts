/** A chat as one definition: everything that its remote documents, as data; the rest is the same for all chats. */
import type { Schema } from 'yup';
import type { HttpAnswer } from '../../outbound/exchange.ts';
import { type Answers, failureOfAnswer, isPage } from '../answers.ts';
import type {
  ChannelEnvironment,
  ChannelType,
  MessageFormat,
  Outgoing,
  Receipt,
  SettingWarning,
} from '../channel.ts';
import { openedChannel, type Sending, sendOrPlain } from '../open-channel.ts';
import { Turns } from '../turns.ts';

/** One message on its way; `deadline` on the scale of `performance.now()`. */
export interface Call<Message> extends Outgoing {
  readonly message: Message;
  readonly deadline: number;
}

/** How a chat is reached: `hooks()` by the URLs of webhooks, `tokenApi()` by a token; a chat with a login of its own has its own. */
export interface Address<Message, Settings> {
  readonly settings: Schema<Settings>;
  /** As `ChannelType.parseAddress`. */
  readonly parse: ChannelType<Settings>['parseAddress'];
  readonly secretsOf: (settings: Settings) => readonly string[];
  readonly warningsOf: (settings: Settings) => readonly SettingWarning[];
  open(
    chat: Chat<Message, Settings>,
    settings: Settings,
    environment: ChannelEnvironment,
  ): Promise<OpenAddress<Message>>;
}

export interface OpenAddress<Message> extends Omit<Sending, 'send'> {
  send(call: Call<Message>): Promise<Receipt>;
}

export interface Chat<Message, Settings> extends Answers, Pick<ChannelType, 'type' | 'pace' | 'perJob'> {
  /** The most calls at once; the connections to each hook or API, of which there are 50, have room for them. */
  readonly calls: number;
  readonly address: Address<Message, Settings>;
  /** The options of a destination: `mention_on_error` if the chat supports mentions. */
  readonly options?: Readonly<Record<string, Schema>>;
  readonly format: MessageFormat<Message>;
  /** Undefined for an error answer; left out if the address makes its receipts. A page of HTML is an error, and not asked. */
  receiptOf?(answer: HttpAnswer): Receipt | undefined;
}

export function chat<Message, Settings>(definition: Chat<Message, Settings>): ChannelType<Settings> {
  const { type, pace, calls, perJob, address, options = {}, format } = definition;
  return {
    type,
    pace,
    perJob,
    settings: address.settings,
    optionsOf: () => options,
    formatOf: () => format,
    parseAddress: address.parse,
    secretsOf: address.secretsOf,
    warningsOf: address.warningsOf,
    open: async (settings, environment) => {
      const opened = await address.open(definition, settings, environment);
      const turns = new Turns({ connections: calls, mails: 0, perMs: 0 });
      return openedChannel({
        ...opened,
        turn: (withinMs) => turns.take(withinMs),
        send: (outgoing) => sendWithin(opened, outgoing),
      });
    },
  };
}

/** Sends the message or, in the same time, its plain form. */
function sendWithin<Message>(opened: OpenAddress<Message>, outgoing: Outgoing): Promise<Receipt> {
  const deadline = performance.now() + outgoing.timeoutMs;
  const send = (message: unknown) => opened.send({ ...outgoing, message: message as Message, deadline });
  return sendOrPlain(send, outgoing.message, outgoing.plain);
}

/** @throws {DeliveryFailure} for an answer that is none of success */
export function receiptFrom(
  answer: HttpAnswer,
  chat: Pick<Chat<never, never>, 'receiptOf'> & Answers,
): Receipt {
  const receipt = isPage(answer) ? undefined : chat.receiptOf?.(answer);
  if (receipt === undefined) throw failureOfAnswer(answer, chat);
  return receipt;
}
