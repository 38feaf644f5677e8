/** What can be done about whom a callback has not told: by the config as it is now, and by a command. */
import type { Config } from '../config/config.ts';
import type { CallbackStory } from '../ledger/archive/archive.ts';
import { NO_LONGER_ROUTED } from '../ledger/ledger.ts';
import { createRouter } from '../route/router.ts';
import { cutEnd } from '../text/cut.ts';
import type { Language } from '../time/display.ts';

/** Foreign text that a shell takes for one word, and for nothing else. */
const PLAIN_WORD = /^[\w.:@][\w.:@-]*$/;

const LONGEST_LIST = 200;
const MOST_IDS = 5;

/** In the language of the display; undefined: there is nothing to add. */
export function hintOn(callback: CallbackStory, config: Config): string | undefined {
  const { deliveries, result, kind } = callback;
  if (kind === 'alert' || result === 'superseded') return undefined;
  const dead = deliveries.filter(({ state }) => state === 'dead');
  const mendable = dead.filter(({ reason }) => reason !== NO_LONGER_ROUTED).map(({ id }) => id);
  if (mendable.length > 0) return deliveredAgain(mendable, config.display.language);
  return deliveries.length === 0 || dead.length > 0 ? hintOnRoutes(callback, config) : undefined;
}

function deliveredAgain(ids: readonly number[], language: Language): string {
  const more = ids.length > MOST_IDS ? ' …' : '';
  const command = `botbell redeliver ${ids.slice(0, MOST_IDS).join(' ')}${more}`;
  return language === 'ja'
    ? `原因を取り除いたあと、次のコマンドで再送できます：${command}`
    : `Once the cause is mended, deliver it again: ${command}`;
}

function hintOnRoutes(callback: CallbackStory, config: Config): string | undefined {
  const { language } = config.display;
  const router = createRouter(config.routes, config.defaultRoute);
  const { destinations } = router.route({ bot_id: callback.botId, status: callback.status });
  if (destinations.length === 0) return undefined;
  const list = cutEnd(destinations.map(({ destination }) => destination.key).join(', '), LONGEST_LIST, '…');
  return routedNow(list, callback.jobId, language);
}

function routedNow(list: string, jobId: string, language: Language): string {
  const job = PLAIN_WORD.test(jobId) ? jobId : '<job_id>';
  const command = `botbell redeliver --route ${job}`;
  return language === 'ja'
    ? `現在の設定では ${list} に通知します。次のコマンドで、いまから通知できます：${command}`
    : `By the config as it is now, it would be told to ${list}: ${command}`;
}
