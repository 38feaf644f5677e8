/** What the page's forms have done, by the last part of their paths. Each answers with an outcome. */
import type { Actor } from '../../../ledger/history.ts';
import { readRedelivery, wholeNumberIn } from '../../../people/filters.ts';
import { type Outcome, Refused } from '../../../people/outcomes.ts';
import type { AdminServices } from '../../services.ts';
import type { Reader } from '../reader.ts';

interface Asked extends Pick<AdminServices, 'people' | 'reloading'> {
  readonly form: URLSearchParams;
  readonly actor: Actor;
  readonly reader: Reader;
}

/** @throws {Refused} */
export type Act = (asked: Asked) => Promise<Outcome>;

/** The form's `id`; 0, which is no row's id, if it is missing or invalid. */
const idIn = (form: URLSearchParams) => wholeNumberIn(form.get('id')) ?? 0;

export const ACTS: Readonly<Record<string, Act>> = {
  redeliver: ({ form, actor, people }) => people.redeliver(idIn(form), actor, form.get('again') === '1'),
  dismiss: ({ form, actor, people }) => people.dismiss(idIn(form), actor),
  route: ({ form, actor, people }) => people.routeAnew(idIn(form), actor),
  async 'redeliver-all'({ form, actor, reader, people }) {
    const what = form.get('what') === 'dismissed' ? 'dismissed' : 'redelivered';
    form.delete('what');
    return people.startBulk(readRedelivery(form, reader).filter, actor, what);
  },
  stop: ({ form, actor, people }) => people.stopBulk(idIn(form), actor),
  'see-refused': ({ form, actor, people }) => people.seeRefused(idIn(form), actor),
  async snooze({ form, actor, people }) {
    const textOf = (name: string) => form.get(name) ?? '';
    const [bot_id, destination, because] = [textOf('bot_id'), textOf('destination'), textOf('because')];
    const until = textOf('time') || textOf('until');
    return people.snooze({ bot_id, destination, because, until }, actor);
  },
  'end-snooze': ({ form, actor, people }) => people.endSnooze(idIn(form), actor),
  test: ({ form, actor, reader, people }) =>
    people.test(form.get('destination') ?? '', actor, reader.language),
  async reload({ actor: { user, from }, reloading }) {
    const result = await reloading.reload(`the page, ${user ?? 'nobody named'} from ${from}`);
    if (!result.isLoaded) throw new Refused({ name: 'not loaded' });
    const hash = result.configHash.slice(0, 12);
    return result.hasChanged ? { name: 'loaded', values: { hash } } : { name: 'unchanged' };
  },
};
