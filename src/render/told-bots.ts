/** The BOTs of a summary or a digest in words: how many did what, and one line for each cause, the worst first. */
import type { OutputView } from '../channels/card.ts';
import { moreMark, separated } from '../channels/marks.ts';
import type { DisplayConfig } from '../config/config.ts';
import type { OwnSubject } from '../notice/notice.ts';
import { likenessOf } from '../text/gist.ts';
import { formatTimeOfDay, type Language } from '../time/display.ts';
import { fit, inline } from './filters.ts';

type Subject = OwnSubject<'summary' | 'digest'>;
type ToldBot = Subject['bots'][number];

const KINDS = ['errors', 'missed', 'overdue', 'executing', 'succeeded'] as const;
type Kind = (typeof KINDS)[number];

interface ListWords {
  /** Of a digest. */
  readonly failed: (failed: string, all: string) => string;
  readonly well: string;
  readonly nothing: string;
  readonly counted: (count: string, what: string) => string;
  readonly of: Readonly<Record<Kind | 'muted' | 'none', string>>;
  readonly between: string;
}

const WORDS: Readonly<Record<Language, ListWords>> = {
  en: {
    failed: (failed, all) => `${failed} of ${all} ${all === '1' ? 'BOT' : 'BOTs'} failed`,
    well: 'All is well',
    nothing: 'Nothing ran',
    counted: (count, what) => `${count} ${what.toLowerCase()}`,
    of: {
      errors: 'Failed',
      missed: 'Missed',
      overdue: 'Overdue',
      executing: 'Started',
      succeeded: 'Succeeded',
      muted: 'Muted',
      none: 'No result yet',
    },
    between: ', ',
  },
  ja: {
    failed: (failed, all) => `BOT ${all}件のうち${failed}件がエラー`,
    well: '問題はありません',
    nothing: '実行はありませんでした',
    counted: (count, what) => `${what}${count}件`,
    of: {
      errors: 'エラー',
      missed: '未着',
      overdue: '長時間実行',
      executing: '開始',
      succeeded: '成功',
      muted: 'ミュート中',
      none: '結果はまだありません',
    },
    between: '、',
  },
};

/** @param url of the job of an error @param now when it is told */
export function botsView(
  subject: Subject,
  display: DisplayConfig & { readonly now: number },
  url: (bot: ToldBot) => string,
) {
  const { bots, moreBots: more_bots, errors, missed } = subject;
  const { language } = display;
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
    names: namesOf(bots, language),
    outputs: () => [...causesOf(shown, language), ...listsOf(shown, language)],
  };
}

type ShownBot = ReturnType<typeof botsView>['bots'][number];

function countOf(bot: object, kind: Kind): number {
  return (bot as Partial<Record<Kind, number>>)[kind] ?? 0;
}

/** `2 failed, 3 succeeded`: what did not happen is left out, as is what is not known of BOTs that are not named. */
function tally({ bots, moreBots, errors, missed }: Subject, language: Language): string {
  const known = (kind: Kind) => {
    if (kind === 'errors') return errors;
    if (kind === 'missed') return missed;
    return moreBots > 0 ? 0 : bots.reduce((sum, bot) => sum + countOf(bot, kind), 0);
  };
  const counts = KINDS.map((kind) => counted(kind, known(kind), language));
  return counts.filter((count) => count !== '').join(WORDS[language].between);
}

function digestTally({ bots, moreBots, errors, missed }: Subject, language: Language): string {
  const { failed, well, nothing, between } = WORDS[language];
  const failing = bots.filter((bot) => bot.errors > 0);
  const isAll = errorsOf(failing) === errors;
  const all = separated(bots.length + moreBots);
  const parts = [
    isAll && errors > 0 ? failed(separated(failing.length), all) : counted('errors', errors, language),
    counted('missed', missed, language),
  ].filter((part) => part !== '');
  return parts.join(between) || (bots.length === 0 ? nothing : well);
}

/** '' for none. */
function counted(kind: Kind, count: number, language: Language): string {
  const words = WORDS[language];
  return count === 0 ? '' : words.counted(separated(count), words.of[kind]);
}

/** `Crawler, Invoices: no login (06:10)`, which leads to a job; BOTs whose errors are alike stand on one line. */
function causesOf(bots: readonly ShownBot[], language: Language): readonly OutputView[] {
  const causes = new Map<string, ShownBot[]>();
  for (const bot of bots.filter(({ errors }) => errors > 0)) {
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
      const words = said || counted('errors', failed, language);
      return line(namesOf(cause, language), when === '' ? words : `${words} (${when})`, url);
    });
}

const NO_ERROR = { last_error: '', last_error_at: '', url: '' };

function errorsOf(bots: readonly Pick<ToldBot, 'errors'>[]): number {
  return bots.reduce((sum, { errors }) => sum + errors, 0);
}

/** The BOTs of each kind but errors, by name. */
function listsOf(bots: readonly ShownBot[], language: Language): readonly OutputView[] {
  const { of } = WORDS[language];
  const isMuted = (bot: ShownBot) => 'is_muted' in bot && bot.is_muted;
  const lists: readonly (readonly [keyof typeof of, (bot: ShownBot) => boolean])[] = [
    ['missed', (bot) => bot.missed > 0],
    ['overdue', (bot) => countOf(bot, 'overdue') > 0],
    ['muted', isMuted],
    ['executing', (bot) => countOf(bot, 'executing') > 0],
    ['succeeded', (bot) => bot.succeeded > 0],
    ['none', (bot) => !isMuted(bot) && KINDS.every((kind) => countOf(bot, kind) === 0)],
  ];
  return lists.flatMap(([kind, isOfIt]) => {
    const some = bots.filter(isOfIt);
    return some.length === 0 ? [] : [line(of[kind], namesOf(some, language, LONGEST_LIST))];
  });
}

function line(name: string, value: string, url = ''): OutputView {
  return { name, kind: 'scalar', value, items: [], files: [], fileCount: 0, url };
}

/** In characters. */
const LONGEST_NAME = 60;
const LONGEST_NAMES = 65;
const LONGEST_LIST = 400;

/** As many names as there is room for, and how many more there are. */
function namesOf(
  bots: readonly Pick<ToldBot, 'bot_id' | 'bot_name'>[],
  language: Language,
  room = LONGEST_NAMES,
): string {
  const { between } = WORDS[language];
  let names = '';
  for (const [index, { bot_id, bot_name }] of bots.entries()) {
    const name = fit(inline(bot_name) || inline(bot_id), LONGEST_NAME);
    if (index > 0 && names.length + name.length > room)
      return `${names} ${moreMark(language, bots.length - index)}`;
    names += index === 0 ? name : between + name;
  }
  return names;
}
