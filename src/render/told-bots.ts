/** The BOTs of a summary or a digest in words: how many did what, and one line for each cause, the worst first. */
import type { OutputView } from '../channels/card.ts';
import { moreMark, separated } from '../channels/marks.ts';
import { botNamesOf } from '../channels/value-text.ts';
import type { DisplayConfig } from '../config/config.ts';
import type { OwnSubject } from '../notice/notice.ts';
import { likenessOf } from '../text/gist.ts';
import { formatTimeOfDay, type Language } from '../time/display.ts';
import { SAY } from './phrases.ts';

type Subject = OwnSubject<'summary' | 'digest'>;
type ToldBot = Subject['bots'][number];

const KINDS = ['errors', 'missed', 'overdue', 'open', 'executing', 'succeeded'] as const;
type Kind = (typeof KINDS)[number];

/** @param url gives the address of the job with a BOT's last error @param now when the notice was raised */
export function botsView(
  subject: Subject,
  display: DisplayConfig & { readonly now: number },
  url: (bot: ToldBot) => string,
) {
  const { bots, moreBots: more_bots, errors, missed } = subject;
  const { language } = display;
  const nameOf = botNamesOf(bots, LONGEST_NAME);
  const shown = bots.map(({ lastError, ...bot }) => ({
    ...bot,
    last_error: lastError?.text ?? '',
    last_error_at: lastError === undefined ? '' : formatTimeOfDay(lastError.at, display),
    last_job_id: lastError?.jobId ?? '',
    url: lastError === undefined ? '' : url({ ...bot, lastError }),
  }));
  return {
    bots: shown,
    more_bots,
    errors,
    missed,
    tally: subject.template === 'digest' ? digestTally(subject, language) : tally(subject, language),
    names: listed(bots.map(nameOf), language, LONGEST_NAMES, more_bots),
    outputs: () => [...causesOf(shown, nameOf, language), ...listsOf(shown, nameOf, language)],
  };
}

type NameOf = ReturnType<typeof botNamesOf>;
type ShownBot = ReturnType<typeof botsView>['bots'][number];

function countOf(bot: object, kind: Kind): number {
  return (bot as Partial<Record<Kind, number>>)[kind] ?? 0;
}

function sumOf(bots: readonly object[], kind: Kind): number {
  return bots.reduce((total: number, bot) => total + countOf(bot, kind), 0);
}

/** `2 failed, 3 succeeded`; if some BOTs are not named, only what is known of all: errors, missed results and overdue runs. */
function tally({ bots, moreBots, errors, missed, overdue }: Subject, language: Language): string {
  const known = moreBots > 0 ? {} : Object.fromEntries(KINDS.map((kind) => [kind, sumOf(bots, kind)]));
  return countsIn({ ...known, errors, missed, overdue }, language);
}

function digestTally(subject: OwnSubject<'digest'>, language: Language): string {
  const { bots, moreBots, errors, missed, overdue, open } = subject;
  const say = SAY[language];
  const failing = bots.filter((bot) => bot.errors > 0);
  const isAll = errorsOf(failing) === errors && errors > 0;
  const all = bots.length + moreBots;
  const first = isAll ? say('failed', { failed: failing.length, all }) : '';
  const others = countsIn({ errors: isAll ? 0 : errors, missed, overdue, open }, language);
  return joined([first, others], language) || say(bots.length === 0 ? 'nothing' : 'well');
}

/** `2 failed, 3 missed`: counts of 0 are left out. */
export function countsIn(counts: Partial<Record<Kind, number>>, language: Language): string {
  const say = SAY[language];
  const counted = (kind: Kind, count = 0) =>
    count === 0 ? '' : say('counted', { count, what: say(kind).toLowerCase() });
  return joined(
    KINDS.map((kind) => counted(kind, counts[kind])),
    language,
  );
}

export function joined(parts: readonly string[], language: Language): string {
  return parts.filter((part) => part !== '').join(SAY[language]('between'));
}

/** `Crawler, Invoices: no login (06:10)`, which leads to a job; BOTs whose errors are alike stand on one line. */
function causesOf(bots: readonly ShownBot[], nameOf: NameOf, language: Language): readonly OutputView[] {
  const causes = new Map<string, ShownBot[]>();
  const isOpen = (bot: ShownBot) => countOf(bot, 'open') > 0 && bot.last_error !== '';
  for (const bot of bots.filter((each) => each.errors > 0 || isOpen(each))) {
    const cause = bot.last_error === '' ? `of ${bot.bot_id}` : likenessOf(bot.last_error, bot.last_job_id);
    causes.set(cause, [...(causes.get(cause) ?? []), bot]);
  }
  return [...causes.values()]
    .toSorted((a, b) => errorsOf(b) - errorsOf(a))
    .map((cause) => {
      const [{ last_error: said, last_error_at: at, url } = NO_ERROR] = cause;
      const failed = errorsOf(cause);
      const often = said !== '' && failed > cause.length ? `${separated(failed)}×` : '';
      const when = [often, at].filter((part) => part !== '').join(', ');
      const words = said || countsIn({ errors: failed }, language);
      return line(listed(cause.map(nameOf), language), when === '' ? words : `${words} (${when})`, url);
    });
}

const NO_ERROR = { last_error: '', last_error_at: '', url: '' };

function errorsOf(bots: readonly Pick<ToldBot, 'errors'>[]): number {
  return bots.reduce((sum, { errors }) => sum + errors, 0);
}

/** The BOTs of each kind but errors, by name. */
function listsOf(bots: readonly ShownBot[], nameOf: NameOf, language: Language): readonly OutputView[] {
  const say = SAY[language];
  const isMuted = (bot: ShownBot) => 'is_muted' in bot && bot.is_muted;
  const lists: readonly (readonly [Kind | 'muted' | 'none', (bot: ShownBot) => boolean])[] = [
    ['missed', (bot) => bot.missed > 0],
    ['overdue', (bot) => countOf(bot, 'overdue') > 0],
    ['open', (bot) => countOf(bot, 'open') > 0],
    ['muted', isMuted],
    ['executing', (bot) => countOf(bot, 'executing') > 0],
    ['succeeded', (bot) => bot.succeeded > 0],
    ['none', (bot) => !isMuted(bot) && KINDS.every((kind) => countOf(bot, kind) === 0)],
  ];
  return lists.flatMap(([kind, isOfIt]) => {
    const some = bots.filter(isOfIt);
    return some.length === 0 ? [] : [line(say(kind), listed(some.map(nameOf), language, LONGEST_LIST))];
  });
}

function line(name: string, value: string, url = ''): OutputView {
  return { name, kind: 'scalar', value, items: [], files: [], fileCount: 0, url };
}

/** In characters. */
const LONGEST_NAME = 60;
const LONGEST_NAMES = 65;
const LONGEST_LIST = 400;

/** As many names as there is room for, and how many more there are. @param unnamed how many BOTs there are beside these */
function listed(names: readonly string[], language: Language, room = LONGEST_NAMES, unnamed = 0): string {
  let list = '';
  for (const [index, name] of names.entries()) {
    if (index > 0 && list.length + name.length > room)
      return `${list} ${moreMark(language, names.length - index + unnamed)}`;
    list += index === 0 ? name : SAY[language]('between') + name;
  }
  return unnamed === 0 ? list : `${list} ${moreMark(language, unnamed)}`;
}
