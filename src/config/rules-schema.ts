/**
 * How a route, a channel, a destination and a group say when they are told less than everything, or more. Nothing has a
 * default of its own: what a config does not ask for is not in it.
 */
import { array, mixed } from 'yup';
import { ALL_STATUSES } from '../callback/callback.ts';
import { PER_JOB, WEEKDAYS } from '../signal/rules.ts';
import * as rule from './field-rules.ts';
import { choice, integer, ruled, section, someOf, texts } from './schema-fields.ts';

function span(doc: string) {
  return ruled(rule.spanRule, doc, { example: '1h' });
}

const muteSchema = section(
  'All its keys must hold; a window over midnight belongs to the day it begins on.',
  {
    days: someOf(WEEKDAYS, 'Weekdays. Default: all.'),
    from: ruled(rule.timeOfDayRule, 'Time of day from which it holds, such as "22:00". Default: midnight.'),
    to: ruled(rule.endOfDayRule, 'Time of day up to which it holds, such as "07:00". Default: midnight.'),
    dates: texts(rule.dateRule, 'Days such as 2026-12-29. Default: all.')
      .min(1, '${path} must name at least one date; leave it out for all of them')
      .default(undefined),
    except: someOf(ALL_STATUSES, 'Statuses that are told all the same. Default: none.'),
  },
);

interface ExpectSection {
  readonly every?: string | undefined;
  readonly cron?: string | undefined;
}

const expectSchema = section('When a result is due: either `every` or `cron`.', {
  every: span('A result at least so often.'),
  cron: ruled(
    rule.cronRule,
    'A cron expression of five fields, such as "0 9 * * 1-5", in the display’s timezone.',
  ),
  grace: span('How much later it may come. Default: 5m.'),
}).test(
  'either',
  '${path} must have either `every` or `cron`',
  // What is not there is asked, too.
  (value: ExpectSection | undefined) =>
    value === undefined || (value.every === undefined) !== (value.cron === undefined),
);

/** What the default route may say, too. */
export const rulesFields = {
  when: ruled(
    rule.conditionRule,
    'A Liquid condition over the template’s variables, such as output.count == 0.',
  ),
  after_failures: integer(1, 1, 1000, 'From which error in a row on errors are told. Default: 1.').default(
    undefined,
  ),
  repeat: ruled(
    rule.repeatRule,
    'While a BOT keeps failing: every error, only one that changes, or one in a duration such as 1h. Default: every.',
  ),
  mute: array(muteSchema)
    .strict()
    .typeError('${path} must be a list, such as [{ days: [sat, sun] }]')
    .default(undefined)
    .meta({ doc: 'When messages are held back, and then told as one summary.' }),
  overdue: span('How long a job may be executing before that is told.'),
};

export const expectField = expectSchema.default(undefined);

export const burstSchema = section('Past it, one summary tells the rest, for each destination.', {
  max: integer(1, 1, 1000, 'Messages in a window.').default(undefined).required('${path} is missing'),
  per: span('The window, from its first message on.').required('${path} is missing'),
});

export const perJobField = choice(
  PER_JOB,
  'message',
  'What is made of a job’s messages: one each; replies under the first one; one that is edited.',
);

export const groupSchema = section('Addresses that are told together, and now and then how their BOTs did.', {
  notify: mixed()
    .defined('${path} is missing: name at least one address')
    .meta({ doc: 'Addresses on channels.', jsonSchema: { $ref: '#/$defs/addresses' } }),
  digest: section('What ran, failed or was missed since the last one, also where all is well.', {
    at: ruled(rule.timeOfDayRule, 'Time of day, in the display’s timezone.').default('09:00'),
    days: someOf(WEEKDAYS, 'Weekdays. Default: all.'),
  }).default(undefined),
});
