/** The pipeline with one route, which tells each callback to the same destinations, by settings that a test may change. */
import { renameSync } from 'node:fs';
import { stringify } from 'yaml';
import type { Callback } from '../../src/callback/callback.ts';
import type { Config } from '../../src/config/config.ts';
import type { Verdict } from '../../src/deliver/outcome.ts';
import type { RaisedAlert } from '../../src/notice/notice.ts';
import { arrivalOf, target } from '../contract/arrivals.ts';
import { createSqliteStore, type SqliteStore } from '../support/sqlite-store.ts';
import { plannedTo, POLICY } from './delivery-record.ts';
import { PipelineWorld } from './pipeline-world.ts';

export { failure, failures } from './remotes.ts';

export const ANSWER_WITHIN_MS = 8000;

/** Where it does not say otherwise, nothing is done that nobody waits for until a test starts it. */
export class DeliveryBench extends PipelineWorld<SqliteStore> {
  alertTargets: readonly string[] = ['email:operators@example.com'];
  maxInFlight = 256;
  answerWhen: 'delivered' | 'accepted' = 'delivered';
  planned: readonly string[] = [];
  readonly policy = { ...POLICY };

  static async open(planned: readonly string[]): Promise<DeliveryBench> {
    const bench = new DeliveryBench('', createSqliteStore());
    await bench.plan(...planned);
    await bench.another('first');
    return bench;
  }

  plan(...destinations: readonly string[]): Promise<void> {
    this.planned = destinations;
    return this.reload();
  }

  /** Everything that the config decides is asked for anew. */
  override async reload(): Promise<void> {
    const { answerWhen: answer_when, maxInFlight: max_in_flight, alertTargets, planned } = this;
    const notify = (destinations: readonly string[]) =>
      destinations.map(plannedTo).map(({ channel, address }) => ({ [channel]: address }));
    const config = {
      channels: { slack: { type: 'outbox', as: 'slack' }, email: { type: 'outbox', as: 'email' } },
      receiver: { answer_within: `${ANSWER_WITHIN_MS / 1000}s`, answer_when, max_in_flight },
      ...(alertTargets.length > 0 && {
        groups: { operators: { notify: notify(alertTargets) } },
        delivery: { alerts: ['operators'] },
      }),
      default_route: { notify: notify(planned) },
    };
    await super.reload(stringify(config));
    await this.clock.advance(0);
  }

  protected override configured(config: Config): Config {
    const { alerts } = config.delivery;
    return { ...config, delivery: Object.assign(this.policy, { alerts }) };
  }

  /** The service posts the very callback to the first process. */
  deliver(callback: Callback): Promise<Verdict> {
    return this.clock.runUntil(this.first.handle(callback));
  }

  /** Has the ledger admit it, due at once and claimed by nobody. */
  accept(callback: Callback, destinations: readonly string[] = this.planned) {
    return this.first.ledger.admit({ ...arrivalOf(callback, destinations.map(target)), isAccepted: true });
  }

  /** As `<template> <destination> <error code>`, in the order in which they were raised. */
  async alerts(): Promise<readonly string[]> {
    const alerts = (await this.store.rows('callbacks')).filter(({ kind }) => kind === 'alert');
    return alerts
      .map(({ body }) => JSON.parse(Buffer.from(body as Uint8Array).toString()) as RaisedAlert)
      .map(({ subject }) =>
        'error' in subject
          ? `${subject.template} ${subject.destination} ${subject.error.code}`
          : subject.template,
      );
  }

  async row(destination: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    return (await this.store.rows('deliveries')).find((row) => row['destination'] === destination);
  }

  /** The results that the stories tell, by what they are of: `attempt`, `answered`. */
  async results(what: string): Promise<readonly unknown[]> {
    const callbacks = await this.store.rows('callbacks');
    const { archive } = this.first.ledger;
    const stories = await Promise.all(callbacks.map(({ id }) => archive.story(Number(id))));
    const rows = stories.flatMap((story) => story?.history ?? []);
    return rows.filter((row) => row.what === what).map(({ result }) => result);
  }

  /** Nothing that is to do with deliveries works until the returned function is called. */
  breakStore(): () => void {
    const { file } = this.store;
    renameSync(file, `${file}.elsewhere`);
    return () => renameSync(`${file}.elsewhere`, file);
  }

  get milestonesReached(): readonly string[] {
    return this.milestones.map(({ name, record }) => `${name} ${record.destination}`);
  }
}
