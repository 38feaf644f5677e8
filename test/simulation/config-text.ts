/** Writes the plan of a config as the text that a person would write, and makes the channel types that it names. */
import type { Channel, ChannelType } from '../../src/channels/channel.ts';
import { judged } from '../../src/config/schema/form.ts';
import { section, text } from '../../src/config/schema/fields.ts';
import {
  type ConfigPlan,
  MINUTE,
  OPERATORS,
  type RoutePlan,
  SECOND,
  type StepPlan,
  TEAM,
} from './scenario.ts';

/** The channel's name as a setting, since a type opens a channel without knowing its name. */
const settings = section('A channel of the simulation.', {
  called: text(
    judged(() => undefined),
    'Its name.',
  ),
});

/** `chat` groups the messages of a job; `mail` hands its messages over, and waits long for answers. */
export function simulatedTypes(open: (name: string) => Channel): ReadonlyMap<string, ChannelType> {
  const typeNamed = (type: string, perJob: ChannelType['perJob']): ChannelType => ({
    type,
    settings,
    pace: { addressMs: SECOND, channelMs: 0 },
    perJob,
    formatOf: () => ({
      name: 'simulated',
      compose: () => ({ message: '', asText: () => '', asHtml: () => '' }),
    }),
    parseAddress: (address) => address,
    secretsOf: () => [],
    warningsOf: () => [],
    open: (opened) => Promise.resolve(open((opened as { readonly called: string }).called)),
  });
  const types = [typeNamed('chat', ['thread', 'update']), typeNamed('mail', undefined)];
  return new Map(types.map((each) => [each.type, each]));
}

export function yamlOf(config: ConfigPlan): string {
  const { burst, digestAt } = config;
  return `
receiver:
  answer_within: 8s
  answer_when: ${config.isAccepting ? 'accepted' : 'delivered'}
  max_in_flight: ${config.maxInFlight}
delivery:
  timeout: ${config.timeoutMs / SECOND}s
  attempts_per_request: ${config.attemptsPerRequest}
  take_over_after: ${config.takeOverAfterMs / SECOND}s
  give_up_after: ${config.giveUpAfterMs / MINUTE}m
  permanent_attempts: ${config.permanentAttempts}
  alerts: [operators]
channels:
  chat: { type: chat, called: chat${burst ? `, burst: { max: ${burst.max}, per: ${burst.perMs / SECOND}s }` : ''} }
  other: { type: chat, called: other }
  mail: { type: mail, called: mail }
groups:
  operators: ${targets([OPERATORS])}
  team: { notify: ${targets([TEAM])}${digestAt === undefined ? '' : `, digest: { at: ${timeOfDay(digestAt)} }`} }
routes:${config.routes.length === 0 ? ' []' : config.routes.map(routeText).join('')}
default_route:
  on: [error]
  notify: [operators]
`;
}

function routeText({ bots, on, notify, perJob, ...rules }: RoutePlan): string {
  const { mute, expect } = rules;
  return [
    `\n  - bot_id: [${bots.join(', ')}]`,
    `on: [${on.join(', ')}]`,
    `notify: ${targets(notify.map(groupOf), perJob)}`,
    rules.afterFailures && `after_failures: ${rules.afterFailures}`,
    rules.repeat && `repeat: ${rules.repeat === 'changes' ? 'changes' : `${rules.repeat}m`}`,
    rules.unlessCode && `when: code != ${rules.unlessCode}`,
    mute &&
      `mute: [{ from: ${timeOfDay(mute.from)}, to: ${timeOfDay(mute.to)}${mute.exceptErrors ? ', except: [error]' : ''} }]`,
    rules.overdueMin && `overdue: ${rules.overdueMin}m`,
    rules.steps && `then: [${rules.steps.map(stepText).join(', ')}]`,
    expect && `expect: { every: ${expect.everyMin}m, grace: ${expect.graceMin}m }`,
  ]
    .filter(Boolean)
    .join('\n    ');
}

function stepText({ afterMin, isUnlessDelivered, notify }: StepPlan): string {
  const unless = isUnlessDelivered ? 'unless: delivered, ' : '';
  return `{ after: ${afterMin}m, ${unless}notify: ${targets(notify)} }`;
}

/** The group's name in place of its destination: a digest counts only BOTs whose routes name the group. */
function groupOf(destination: string): string {
  return destination === TEAM ? 'team' : destination;
}

function targets(all: readonly string[], perJob?: string): string {
  const entryOf = (destination: string) => {
    const [channel, address] = destination.split(/:(.*)/);
    return `{ ${channel}: "${address}"${perJob && channel !== 'mail' ? `, per_job: ${perJob}` : ''} }`;
  };
  return `[${all.map((each) => (each.includes(':') ? entryOf(each) : each)).join(', ')}]`;
}

function timeOfDay(minutes: number): string {
  const two = (part: number) => String(part).padStart(2, '0');
  return `"${two(Math.floor(minutes / 60))}:${two(minutes % 60)}"`;
}
